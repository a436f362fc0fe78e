#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/topology/builders/published.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace triosim::strategy::classic {

/// How the published program derives the bandwidth of its ring of devices from the one that the user gives.
enum class RingBandwidth {
  /// Times 2(N-1)/N, which cancels what a ring all-reduce costs: it takes S over the given bandwidth for every N.
  ForAllReduce,
  /// As it is given: pipelines.
  AsGiven
};

/// The published machine. Throws `ConfigError` for a capacity that no shift can make.
inline Cluster machine(std::uint32_t devices, Bandwidth memory, Bandwidth between_devices, RingBandwidth ring,
                       std::optional<Bytes> capacity = std::nullopt) {
  const auto n = static_cast<double>(devices);
  if (ring == RingBandwidth::ForAllReduce)
    between_devices = Bandwidth{between_devices.bytes_per_second() * 2 * (n - 1) / n};
  return Cluster{topology::published(devices, memory, between_devices), capacity};
}

} // namespace triosim::strategy::classic
