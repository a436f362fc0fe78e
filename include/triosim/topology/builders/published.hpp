#pragma once

#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/builders/direct.hpp"
#include "triosim/topology/graph.hpp"

#include <cstdint>

namespace triosim::topology {

/// The machine of the published TrioSim: a remote memory with a cable of its own to each device, and a ring
/// of the devices. Which bandwidth the ring has depends on the case there, and is the caller's to say. The latency of
/// 100 ns is the published constant; the classic network ignores it.
inline Graph published(std::uint32_t devices, Bandwidth memory, Bandwidth between_devices) {
  const Time latency{100'000};
  Graph graph = ring(devices, {between_devices, latency});
  join_memory(graph, {memory, latency});
  return graph;
}

} // namespace triosim::topology
