#pragma once

#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::topology {

// Devices joined to each other, with no switch between. Each builder throws `TopologyError` for no devices at all.

/// A cable between each two devices.
inline Graph fully_connected(std::uint32_t devices, const Cable& cable) {
  Graph graph{builders_detail::at_least_one(devices, "the devices of a fully connected topology")};
  for (NodeId a = 0; a < devices; ++a)
    for (NodeId b = a + 1; b < devices; ++b)
      join(graph, a, b, cable);
  return graph;
}

namespace builders_detail {

/// A grid of the given extents, the last one varying fastest with the rank; `wrap` joins the ends of each line.
inline Graph grid(std::span<const std::uint32_t> extents, std::span<const Cable> cables, bool wrap) {
  std::uint64_t devices = 1;
  for (const std::uint32_t extent : extents)
    devices = at_least_one(devices * at_least_one(extent, "an extent of a grid"), "the devices of a grid");
  Graph graph{static_cast<std::uint32_t>(devices)};
  for (std::uint32_t device = 0; device < devices; ++device) {
    std::uint32_t stride = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::uint32_t extent = extents[d], at = device / stride % extent;
      // Two in a line are neighbours once, not twice.
      if (at + 1 < extent)
        join(graph, device, device + stride, cables[d]);
      else if (wrap && extent > 2)
        join(graph, device, device - at * stride, cables[d]);
      stride *= extent;
    }
  }
  return graph;
}

} // namespace builders_detail

/// A grid without wrap-around of any number of dimensions: {rows, columns}, {x, y, z}. Ranks go along the last first.
inline Graph mesh(std::span<const std::uint32_t> extents, const Cable& cable) {
  const std::vector<Cable> cables(extents.size(), cable);
  return builders_detail::grid(extents, cables, false);
}

/// A grid whose lines are closed to rings.
inline Graph torus(std::span<const std::uint32_t> extents, const Cable& cable) {
  const std::vector<Cable> cables(extents.size(), cable);
  return builders_detail::grid(extents, cables, true);
}

/// Each device joined to the next, the last to the first; two devices by one cable.
inline Graph ring(std::uint32_t devices, const Cable& cable) {
  return builders_detail::grid(std::span{&devices, 1}, std::span{&cable, 1}, true);
}

} // namespace triosim::topology
