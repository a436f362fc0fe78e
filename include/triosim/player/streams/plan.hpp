#pragma once

#include "triosim/collective/call.hpp"
#include "triosim/error.hpp"
#include "triosim/player/streams/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace triosim::player::streams {

/// One step of a chunk on its way: a collective over one dimension.
struct Phase {
  CollectiveType type = CollectiveType::AllReduce;
  Implementation how;
  std::uint32_t dimension = 0; ///< whose queues it goes through
  std::uint32_t stride = 1;    ///< between neighbours, in ranks; of a group, in places
  std::uint32_t size = 1;      ///< members
  std::int64_t bytes = 0;      ///< what each member brings
  /// Which part of the queues it takes from: all-reduces in more dimensions go inwards through the first half and
  /// outwards through the second.
  enum class Part : std::uint8_t { All, First, Last } part = Part::All;

  /// Bytes of the message with which the phase begins.
  std::int64_t message() const noexcept {
    switch (type) {
    case CollectiveType::AllGather:
      return bytes;
    default:
      return how.kind == Implementation::Kind::DoubleBinaryTree  ? bytes
             : how.kind == Implementation::Kind::HalvingDoubling ? bytes / 2
                                                                 : bytes / size;
    }
  }
  std::int64_t result() const noexcept {
    return type == CollectiveType::AllGather       ? bytes * size
           : type == CollectiveType::ReduceScatter ? bytes / size
                                                   : bytes;
  }
};

/// How a collective is cut into chunks, and the phases of each.
struct ChunkPlan {
  std::uint32_t chunks = 0;
  std::vector<Phase> phases; ///< none: nothing to do
};

namespace plan_detail {

inline std::size_t slot_of(CollectiveType type) {
  switch (type) {
  case CollectiveType::AllReduce:
    return 0;
  case CollectiveType::AllGather:
    return 1;
  case CollectiveType::ReduceScatter:
    return 2;
  case CollectiveType::AllToAll:
    return 3;
  default:
    throw ConfigError{"collective", std::string{to_string(type)},
                      "all-reduce, all-gather, reduce-scatter or all-to-all, which the classic rules have; physical "
                      "rules have them all"};
  }
}

inline void check(const Phase& phase) {
  using Kind = Implementation::Kind;
  const bool power_of_two = (phase.size & (phase.size - 1)) == 0;
  const char* name = phase.how.kind == Kind::HalvingDoubling ? "halvingDoubling" : "doubleBinaryTree";
  if ((phase.how.kind == Kind::HalvingDoubling || phase.how.kind == Kind::DoubleBinaryTree) && !power_of_two)
    throw ConfigError{std::string{name} + " over " + std::to_string(phase.size) + " ranks", std::to_string(phase.size),
                      "a power of two by classic rules; physical rules take any number"};
  if (phase.how.kind == Kind::DoubleBinaryTree && phase.type != CollectiveType::AllReduce)
    throw ConfigError{"doubleBinaryTree", std::string{to_string(phase.type)}, "an all-reduce"};
  if (phase.how.kind == Kind::HalvingDoubling && phase.type == CollectiveType::AllToAll)
    throw ConfigError{"halvingDoubling", "all-to-all", "ring or direct for an all-to-all"};
}

} // namespace plan_detail

/// `involved` has a bit for each dimension that takes part. `members`: of a group that is not everybody; such a group
/// is one dimension of its own, by the only implementation that is listed or else by rings.
inline ChunkPlan plan_chunks(const Settings& settings, const std::vector<Dimension>& network, std::uint32_t ranks,
                             CollectiveType type, std::int64_t bytes, std::uint32_t involved,
                             std::optional<std::uint32_t> members) {
  const std::size_t slot = plan_detail::slot_of(type);
  const std::vector<Implementation>& how = settings.implementations[slot];
  if (how.empty())
    throw ConfigError{std::string{to_string(type)} + "-implementation", "nothing",
                      "a list with an entry for each dimension"};
  ChunkPlan plan;
  // The number of chunks: the last one is as large as the others.
  std::int64_t chunk = bytes / settings.splits, whole = bytes;
  if (type != CollectiveType::AllGather && chunk < static_cast<std::int64_t>(ranks)) {
    chunk = ranks;
    whole = static_cast<std::int64_t>(settings.splits) * chunk;
  }
  if (chunk <= 0) {
    if (bytes <= 0) return plan;
    throw ConfigError{"bytes of an all-gather", std::to_string(bytes),
                      "at least one byte for each of preferred-dataset-splits, " + std::to_string(settings.splits)};
  }
  const std::int64_t count = (whole + chunk - 1) / chunk;
  if (count > 1'000'000) throw ConfigError{"preferred-dataset-splits", std::to_string(settings.splits), "at most 10^6"};
  plan.chunks = static_cast<std::uint32_t>(count);

  std::vector<Phase> dimensions; // as a logical topology
  if (members) {
    Phase phase;
    phase.how = how.size() == 1 ? how.front() : Implementation{};
    phase.size = *members;
    dimensions.push_back(phase);
  } else if (how.front().flat) {
    Phase phase;
    phase.how = how.front();
    phase.size = ranks;
    dimensions.push_back(phase);
  } else {
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < how.size() && d < network.size(); ++d) {
      Phase phase;
      phase.how = how[d];
      phase.dimension = static_cast<std::uint32_t>(d);
      phase.stride = stride;
      phase.size = network[d].size;
      stride *= phase.size;
      dimensions.push_back(phase);
    }
  }
  std::erase_if(dimensions, [&](const Phase& phase) {
    return phase.size < 2 || (phase.dimension < 32 && (involved >> phase.dimension & 1) == 0);
  });
  if (dimensions.empty()) return plan;

  std::int64_t now = chunk;
  const auto add = [&](Phase phase, CollectiveType kind, Phase::Part part) {
    phase.type = kind;
    phase.part = part;
    phase.bytes = now;
    plan_detail::check(phase);
    now = phase.result();
    plan.phases.push_back(phase);
  };
  using Part = Phase::Part;
  if (type == CollectiveType::AllGather) {
    for (std::size_t d = dimensions.size(); d-- > 0;)
      add(dimensions[d], type, Part::All);
  } else if (type == CollectiveType::AllReduce && settings.local_bandwidth_aware) {
    for (std::size_t d = 0; d + 1 < dimensions.size(); ++d)
      add(dimensions[d], CollectiveType::ReduceScatter, Part::First);
    add(dimensions.back(), CollectiveType::AllReduce, Part::First);
    for (std::size_t d = dimensions.size() - 1; d-- > 0;)
      add(dimensions[d], CollectiveType::AllGather, Part::Last);
  } else {
    for (const Phase& phase : dimensions)
      add(phase, type, Part::All);
  }
  return plan;
}

} // namespace triosim::player::streams
