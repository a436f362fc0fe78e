#pragma once

#include "triosim/error.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <string>

namespace triosim::topology {

/// What a builder joins nodes with: each way has this bandwidth and latency.
struct Cable {
  Bandwidth bandwidth;
  Time latency{};
};

/// Adds both directions; the second has the next number.
inline LinkId join(Graph& graph, NodeId a, NodeId b, const Cable& cable) {
  return graph.add_cable(a, b, cable.bandwidth, cable.latency);
}

/// Gives the topology a remote memory with a cable of its own to each device.
inline NodeId join_memory(Graph& graph, const Cable& cable) {
  const NodeId memory = graph.add_memory();
  for (NodeId device = 0; device < graph.devices(); ++device)
    join(graph, device, memory, cable);
  return memory;
}

namespace builders_detail {

/// Throws `TopologyError` unless `count` is at least 1 and not beyond what numbers of nodes and links can hold.
inline std::uint32_t at_least_one(std::uint64_t count, const char* what) {
  if (count < 1 || count > (std::uint64_t{1} << 28))
    throw TopologyError{std::string{what} + " must be between 1 and 268435456, found " + std::to_string(count)};
  return static_cast<std::uint32_t>(count);
}

} // namespace builders_detail

} // namespace triosim::topology
