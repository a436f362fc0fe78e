#pragma once

#include "triosim/error.hpp"
#include "triosim/machine.hpp"
#include "triosim/topology/builders/cable.hpp"
#include "triosim/topology/builders/product.hpp"
#include "triosim/topology/builders/two_tier.hpp"
#include "triosim/topology/graph.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim::topology {

/// The topology of `devices` devices of a machine. One tier is what its shape says. Of two, the first makes islands,
/// and the second joins them with an adapter for each device, the n-th adapters of all islands on a rail and the rails
/// by a spine (two_tier), whatever switches it is built of: it never blocks. More tiers, or a first one that is no
/// switch, are a product of lines. Throws `TopologyError` where the devices do not fill the islands.
inline Graph of_machine(const Machine& machine, std::uint32_t devices) {
  const auto cable = [](const Tier& tier) {
    // Half of the latency of a message on the way to the switch, half behind it.
    const bool switched = tier.shape == Tier::Shape::Switch || tier.shape == Tier::Shape::FatTree;
    return Cable{tier.bandwidth, switched ? Time{tier.latency.picoseconds() / 2} : tier.latency};
  };
  const auto shape = [](const Tier& tier) {
    switch (tier.shape) {
    case Tier::Shape::Ring:
      return LineShape::Ring;
    case Tier::Shape::FullyConnected:
      return LineShape::FullyConnected;
    case Tier::Shape::Mesh:
      return LineShape::Mesh;
    default:
      return LineShape::Switch;
    }
  };
  std::vector<Line> lines;
  std::uint32_t left = devices;
  for (const Tier& tier : machine.tiers) {
    const std::uint32_t size = tier.size == 0 ? left : std::min(tier.size, left);
    if (size == 0 || left % size != 0)
      throw TopologyError{std::to_string(devices) + " devices of " + machine.name + " do not fill " + tier.name +
                          " of " + std::to_string(tier.size)};
    lines.push_back({shape(tier), size, cable(tier)});
    left /= size;
  }
  if (left > 1)
    throw TopologyError{std::to_string(devices) + " devices are more than " + machine.name + " can join, " +
                        std::to_string(devices / left)};
  if (lines.size() == 2 && lines[0].shape == LineShape::Switch && lines[1].shape == LineShape::Switch)
    return two_tier({.islands = lines[1].extent,
                     .devices_per_island = lines[0].extent,
                     .island = lines[0].cable,
                     .nic = lines[1].cable});
  return product(lines);
}

} // namespace triosim::topology
