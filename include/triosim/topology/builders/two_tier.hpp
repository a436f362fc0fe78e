#pragma once

#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/graph.hpp"

#include <cstdint>
#include <vector>

namespace triosim::topology {

/// What joins the islands of a two-tier machine.
enum class Fabric : std::uint8_t {
  OneSwitch, ///< every NIC on one switch that never blocks
  Rails,     ///< the NICs of the n-th devices of all islands on switch n (a rail); rails joined by a spine
};

struct TwoTierSettings {
  std::uint32_t islands = 1;
  std::uint32_t devices_per_island = 8;
  /// From each device to the switch of its island (NVLink and NVSwitch, say).
  Cable island;
  /// From each device's own NIC to the network.
  Cable nic;
  Fabric fabric = Fabric::Rails;
  /// Bandwidth from a rail to the spine over the sum of the NICs on the rail: 1 never blocks, 0.5 is two to one.
  double spine_share = 1;
};

/// Islands of devices on a fast switch, with one NIC for each device between islands. Within an island the messages of
/// ShortestHops go over the island's switch, as it is the wider way. Throws `TopologyError` for no devices.
inline Graph two_tier(const TwoTierSettings& settings) {
  const std::uint32_t per_island = settings.devices_per_island;
  const std::uint32_t devices =
      builders_detail::at_least_one(std::uint64_t{settings.islands} * per_island, "the devices of a two-tier topology");
  Graph graph{devices};
  for (std::uint32_t island = 0; island < settings.islands; ++island) {
    const NodeId hub = graph.add_switch();
    for (std::uint32_t i = 0; i < per_island; ++i)
      join(graph, island * per_island + i, hub, settings.island);
  }
  if (settings.islands == 1) return graph;
  const std::uint32_t rails = settings.fabric == Fabric::Rails ? per_island : 1;
  std::vector<NodeId> rail(rails);
  for (NodeId& node : rail)
    node = graph.add_switch();
  for (NodeId device = 0; device < devices; ++device)
    join(graph, device, rail[device % per_island % rails], settings.nic);
  if (rails == 1) return graph;
  const NodeId spine = graph.add_switch();
  for (const NodeId node : rail)
    join(graph, node, spine,
         {settings.nic.bandwidth * (settings.islands * settings.spine_share), settings.nic.latency});
  return graph;
}

} // namespace triosim::topology
