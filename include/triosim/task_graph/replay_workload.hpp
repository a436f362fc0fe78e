#pragma once

#include "triosim/collective/call.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace triosim {

/// What execution traces say that some ranks do: nodes in the order of their ids, with what each waits for. Which group
/// or which peer a communication has is not in it, so that ranks which do the same thing share it.
struct ReplayProgram {
  enum class Kind : std::uint8_t { Compute, Collective, Send, Receive, Load, Store, Skip };

  struct Node {
    std::uint64_t id = 0;
    Kind kind = Kind::Skip;
    bool on_cpu = false;
    CollectiveType type = CollectiveType::AllReduce; ///< of a collective
    std::int32_t tag = 0;                            ///< of a message
    std::uint32_t dimensions = ~0u; ///< of a collective: a bit for each dimension of the network that it uses
    std::int64_t priority = 0;      ///< of a collective
    std::int64_t duration_ns = 0;   ///< as recorded; 0: not recorded
    double operations = 0;          ///< of compute
    std::int64_t bytes = 0; ///< of compute its tensors, of a communication its size, of a memory node what moves
    std::uint32_t name = 0; ///< in `names`
    std::uint32_t who = 0;  ///< of a communication: its place in what each rank has
  };

  std::vector<Node> nodes;
  std::vector<std::uint32_t> after_begins{0}; ///< of each node in `after`, and the end
  std::vector<std::uint32_t> after;           ///< nodes that wait for it
  std::vector<std::uint32_t> waits;           ///< for how many others each node waits
  std::vector<std::string> names;
  std::uint32_t communications = 0;

  std::string_view name(std::uint32_t node) const { return names[nodes[node].name]; }
};

/// The traces of all ranks.
struct ReplayWorkload {
  struct Rank {
    std::uint32_t program = 0;
    /// By `Node::who`: the group of a collective (in `groups`; `everybody` where it names none), or the other rank of a
    /// message.
    std::vector<std::uint32_t> who;
  };
  struct Group {
    std::string name;
    std::vector<std::uint32_t> members; ///< in their order in the group
  };

  static constexpr std::uint32_t everybody = 0xFFFFFFFF;

  std::vector<ReplayProgram> programs;
  std::vector<Rank> ranks;
  std::vector<Group> groups;
  /// What the traces have that was passed over, with how often; by sentence.
  std::map<std::string, std::uint64_t> passed_over;

  const ReplayProgram& program(std::uint32_t rank) const { return programs[ranks[rank].program]; }
  std::uint64_t nodes() const {
    std::uint64_t sum = 0;
    for (const Rank& rank : ranks)
      sum += programs[rank.program].nodes.size();
    return sum;
  }
};

} // namespace triosim
