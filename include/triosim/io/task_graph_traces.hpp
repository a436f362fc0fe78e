#pragma once

#include "triosim/chakra/collective_type.hpp"
#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/file_template.hpp"
#include "triosim/chakra/groups.hpp"
#include "triosim/chakra/operation.hpp"
#include "triosim/chakra/published.hpp"
#include "triosim/error.hpp"
#include "triosim/task_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace triosim::io {

/// A task graph as Chakra execution traces, a template for each program and what each rank fills in. Nodes are tasks in
/// program order, numbered from 0. Compute tasks have their FLOPs as `num_ops` and their memory traffic in bytes as
/// `tensor_size`; a fetch is a load from memory. Sizes of messages and collectives are bytes: of a collective the whole
/// buffer of a rank, of an all-gather what the rank brings, as ASTRA-sim takes them. Times are left to who plays them.
///
/// Communicators are numbered from 1, slot by slot; those of one rank are left out unless that rank calls them.
class TaskGraphTraces {
 public:
  /// `tag_base` is added to the tags of messages. Keeps a reference to the graph.
  explicit TaskGraphTraces(const TaskGraph& graph, std::uint32_t tag_base = 0) : graph_{&graph}, tag_base_{tag_base} {
    number_groups();
  }

  std::size_t programs() const noexcept { return graph_->programs().size(); }
  /// The communicator groups, for the file beside the traces.
  const std::vector<chakra::CommGroup>& groups() const noexcept { return groups_; }

  /// The file of all ranks that do `program`. Throws `ConfigError` for what a trace cannot say: sizes or tags that are
  /// too large, an all-gather whose buffer its members do not divide.
  chakra::FileTemplate file(std::uint32_t program, chakra::Format format) const {
    chakra::FileTemplate file{format, chakra::published_header};
    const Program& tasks = graph_->programs()[program];
    const Program::Edges edges = tasks.edges();
    const std::vector<Peer> peers = peers_of(program);
    const std::uint32_t example = example_rank(program);
    chakra::OperationEncoding encoding;
    std::vector<std::uint64_t> before;
    for (TaskId task = 0; task < tasks.size(); ++task) {
      chakra::Operation node;
      node.id = task;
      node.name = tasks.name(task);
      before.assign(edges.predecessors(task).begin(), edges.predecessors(task).end());
      node.data_deps = before;
      switch (tasks.kind(task)) {
      case TaskKind::Compute: {
        const Operation operation = tasks.operation(task);
        node.type = chakra::NodeType::comp;
        node.num_ops = whole(operation.flops.count(), node.name);
        node.tensor_size = operation.bytes.count();
        node.op_type = to_string(operation.stage);
        break;
      }
      case TaskKind::Collective: {
        const Collective& collective = tasks.collective(task);
        node.type = chakra::NodeType::comm_coll;
        node.collective = chakra::collective_type(collective.type);
        node.group = chakra::RankValue::slot(collective.group);
        std::uint64_t bytes = collective.bytes.count();
        if (collective.type == CollectiveType::AllGather)
          bytes = share(bytes, graph_->group(collective.group).size(example));
        node.comm_size = size(bytes, node.name);
        break;
      }
      case TaskKind::Send:
      case TaskKind::Receive: {
        const PointToPoint& message = tasks.message(task);
        node.type = tasks.kind(task) == TaskKind::Send ? chakra::NodeType::comm_send : chakra::NodeType::comm_recv;
        node.comm_size = size(message.bytes.count(), node.name);
        node.tag = tag(message.tag);
        const auto at = std::find(peers.begin(), peers.end(), Peer{message.group, message.shift});
        node.peer = chakra::RankValue::slot(
            static_cast<std::uint32_t>(graph_->groups().size() + static_cast<std::size_t>(at - peers.begin())));
        break;
      }
      case TaskKind::Fetch:
        node.type = chakra::NodeType::mem_load;
        node.tensor_size = tasks.fetch(task).count();
        break;
      }
      file.add(encoding(node));
    }
    return file;
  }

  /// What `rank` fills in: the number of its communicator in each slot, then its peers.
  void values(std::uint32_t rank, std::vector<std::uint32_t>& values) const {
    values.clear();
    for (std::size_t slot = 0; slot < graph_->groups().size(); ++slot)
      values.push_back(numbers_[slot][graph_->groups()[slot].place(rank).communicator]);
    for (const Peer& peer : peers_of(graph_->program_index(rank)))
      values.push_back(graph_->group(peer.slot).peer(rank, peer.shift));
  }

 private:
  struct Peer {
    std::uint16_t slot;
    std::int32_t shift;
    friend bool operator==(const Peer&, const Peer&) = default;
  };

  void number_groups() {
    std::vector<std::vector<bool>> calls; // of each program, by slot
    for (const Program& program : graph_->programs()) {
      calls.emplace_back(graph_->groups().size(), false);
      auto& peers = peers_.emplace_back();
      for (TaskId task = 0; task < program.size(); ++task) {
        if (program.kind(task) == TaskKind::Collective) calls.back()[program.collective(task).group] = true;
        if (program.kind(task) != TaskKind::Send && program.kind(task) != TaskKind::Receive) continue;
        const Peer peer{program.message(task).group, program.message(task).shift};
        if (std::find(peers.begin(), peers.end(), peer) == peers.end()) peers.push_back(peer);
      }
    }
    for (std::size_t slot = 0; slot < graph_->groups().size(); ++slot) {
      const Communicators& communicators = graph_->groups()[slot];
      auto& numbers = numbers_.emplace_back(communicators.count(), 0);
      for (std::uint32_t c = 0; c < communicators.count(); ++c) {
        const auto members = communicators.members(c);
        const bool called = std::any_of(members.begin(), members.end(),
                                        [&](std::uint32_t rank) { return calls[graph_->program_index(rank)][slot]; });
        if (!called) continue;
        groups_.push_back({std::to_string(groups_.size() + 1), {members.begin(), members.end()}});
        numbers[c] = static_cast<std::uint32_t>(groups_.size());
      }
    }
  }

  const std::vector<Peer>& peers_of(std::uint32_t program) const { return peers_[program]; }
  std::uint32_t example_rank(std::uint32_t program) const {
    for (std::uint32_t rank = 0; rank < graph_->ranks(); ++rank)
      if (graph_->program_index(rank) == program) return rank;
    return 0;
  }

  static std::uint64_t share(std::uint64_t bytes, std::uint32_t members) {
    // What is left over when a buffer is cut is paid for by all alike.
    return bytes / members + (bytes % members != 0 ? 1 : 0);
  }
  static std::int64_t whole(double count, std::string_view name) {
    if (!(count >= 0 && count < 0x1p63))
      throw ConfigError{"FLOPs of " + std::string{name}, std::to_string(count), "0 to 2^63"};
    return std::llround(count);
  }
  static std::int64_t size(std::uint64_t bytes, std::string_view name) {
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw ConfigError{"bytes of " + std::string{name}, std::to_string(bytes), "fewer than 2^63"};
    return static_cast<std::int64_t>(bytes);
  }
  std::int32_t tag(std::uint32_t tag) const {
    const std::uint64_t sum = std::uint64_t{tag} + tag_base_;
    if (sum > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      throw ConfigError{"tag", std::to_string(sum), "tags below 2^31, so a lower tag base"};
    return static_cast<std::int32_t>(sum);
  }

  const TaskGraph* graph_;
  std::uint32_t tag_base_;
  std::vector<chakra::CommGroup> groups_;
  std::vector<std::vector<std::uint32_t>> numbers_; // of each slot, by communicator
  std::vector<std::vector<Peer>> peers_;            // of each program
};

} // namespace triosim::io
