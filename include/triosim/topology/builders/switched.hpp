#pragma once

#include "triosim/error.hpp"
#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace triosim::topology {

/// All devices on one switch that never blocks.
inline Graph single_switch(std::uint32_t devices, const Cable& cable) {
  Graph graph{builders_detail::at_least_one(devices, "the devices of a switch")};
  const NodeId hub = graph.add_switch();
  for (NodeId device = 0; device < devices; ++device)
    join(graph, device, hub, cable);
  return graph;
}

/// A three-level fat tree of switches with `ports` ports (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): ports pods of
/// ports/2 edge and ports/2 aggregation switches, (ports/2)^2 core switches, up to ports^3/4 devices, filled from the
/// first pod on. Switches without devices below them are left out. Throws `TopologyError` for an odd number of ports or
/// more devices than fit.
inline Graph fat_tree(std::uint32_t ports, std::uint32_t devices, const Cable& cable) {
  builders_detail::at_least_one(devices, "the devices of a fat tree");
  const std::uint64_t half = ports / 2;
  if (ports < 2 || ports % 2 != 0 || ports > 1024 || devices > half * half * ports)
    throw TopologyError{"a fat tree of switches with " + std::to_string(ports) + " ports cannot join " +
                        std::to_string(devices) +
                        " devices: it takes an even number of 2 to 1024 ports, and holds ports^3/4"};
  Graph graph{devices};
  const auto h = static_cast<std::uint32_t>(half);
  const std::uint32_t edges = (devices + h - 1) / h, pods = (edges + h - 1) / h;
  std::vector<NodeId> edge(edges), aggregation(std::size_t{pods} * h), core(pods > 1 ? std::size_t{h} * h : 0);
  for (auto* level : {&edge, &aggregation, &core})
    for (NodeId& node : *level)
      node = graph.add_switch();
  for (NodeId device = 0; device < devices; ++device)
    join(graph, device, edge[device / h], cable);
  for (std::uint32_t e = 0; e < edges; ++e)
    for (std::uint32_t a = 0; a < h; ++a)
      join(graph, edge[e], aggregation[e / h * h + a], cable);
  if (pods > 1)
    for (std::uint32_t a = 0; a < pods * h; ++a)
      for (std::uint32_t c = 0; c < h; ++c)
        join(graph, aggregation[a], core[a % h * h + c], cable);
  return graph;
}

/// Two levels of switches: `per_leaf` devices on each leaf, each leaf joined to each of the spines by `up`.
/// per_leaf * device.bandwidth over spines * up.bandwidth is the oversubscription.
inline Graph leaf_spine(std::uint32_t leaves, std::uint32_t per_leaf, std::uint32_t spines, const Cable& device,
                        const Cable& up) {
  builders_detail::at_least_one(spines, "the spines of a leaf-spine topology");
  const std::uint32_t devices =
      builders_detail::at_least_one(std::uint64_t{leaves} * per_leaf, "the devices of a leaf-spine topology");
  Graph graph{devices};
  std::vector<NodeId> leaf(leaves), spine(spines);
  for (auto* level : {&leaf, &spine})
    for (NodeId& node : *level)
      node = graph.add_switch();
  for (NodeId d = 0; d < devices; ++d)
    join(graph, d, leaf[d / per_leaf], device);
  for (const NodeId l : leaf)
    for (const NodeId s : spine)
      join(graph, l, s, up);
  return graph;
}

} // namespace triosim::topology
