#pragma once

#include "triosim/scenario.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace triosim {

/// The machine: devices, and what joins them. Rank r runs on device r.
struct Cluster {
  topology::Graph topology;
  /// Of each device; nothing means that memory is not limited.
  std::optional<Bytes> memory_capacity;
  /// What changes during a run; nothing as a rule.
  Scenario scenario{};

  Cluster() = default;
  explicit Cluster(topology::Graph graph, std::optional<Bytes> capacity = std::nullopt)
      : topology{std::move(graph)}, memory_capacity{capacity} {}

  std::uint32_t ranks() const noexcept { return topology.devices(); }
};

} // namespace triosim
