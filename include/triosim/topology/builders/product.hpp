#pragma once

#include "triosim/error.hpp"
#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::topology {

/// What joins the devices of one line of a product.
enum class LineShape : std::uint8_t { Ring, Switch, FullyConnected, Mesh };

/// One dimension of a product: its extent, and what joins devices that differ in it alone.
struct Line {
  LineShape shape = LineShape::Ring;
  std::uint32_t extent = 1;
  Cable cable;
};

/// The product of lines: device number = c0 + extent0 (c1 + extent1 (c2 + ...)), and the devices of each line, which
/// differ in one coordinate, are joined as that dimension says, every line by links of its own. Two rings make a torus;
/// a fully connected line and a switch make islands with a network for each place in them. Throws `TopologyError`.
inline Graph product(std::span<const Line> lines) {
  std::uint64_t devices = 1;
  for (const Line& line : lines)
    devices = builders_detail::at_least_one(devices * builders_detail::at_least_one(line.extent, "an extent"),
                                            "the devices of a product");
  Graph graph{static_cast<std::uint32_t>(devices)};
  std::uint32_t stride = 1;
  for (const Line& line : lines) {
    const std::uint32_t n = line.extent;
    for (std::uint32_t first = 0; first < devices && n > 1; ++first) {
      if (first / stride % n != 0) continue; // not the first of its line
      const auto at = [&](std::uint32_t i) { return first + i * stride; };
      switch (line.shape) {
      case LineShape::Ring:
      case LineShape::Mesh:
        for (std::uint32_t i = 0; i + 1 < n; ++i)
          join(graph, at(i), at(i + 1), line.cable);
        if (n > 2 && line.shape == LineShape::Ring) join(graph, at(n - 1), at(0), line.cable);
        break;
      case LineShape::Switch: {
        const NodeId hub = graph.add_switch();
        for (std::uint32_t i = 0; i < n; ++i)
          join(graph, at(i), hub, line.cable);
        break;
      }
      case LineShape::FullyConnected:
        for (std::uint32_t i = 0; i < n; ++i)
          for (std::uint32_t j = i + 1; j < n; ++j)
            join(graph, at(i), at(j), line.cable);
        break;
      }
    }
    stride *= n;
  }
  return graph;
}

} // namespace triosim::topology
