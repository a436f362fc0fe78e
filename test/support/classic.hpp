#pragma once

#include <triosim/engine/published.hpp>
#include <triosim/net/classic_exact.hpp>
#include <triosim/net/classic_optical.hpp>
#include <triosim/player/published.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/classic/machine.hpp>
#include <triosim/time_model/proportional.hpp>

#include <cstdint>
#include <optional>

namespace triosim::test {

template <class Strategy, class Net = net::classic::ExactPacketSharing>
using Classic = Simulator<engine::Published, time_model::Proportional, Net, Strategy>;

/// A machine with 100 GB/s to the memory and a given bandwidth in GB/s between devices.
inline Cluster classic_machine(std::uint32_t devices, double between, strategy::classic::RingBandwidth ring,
                               std::optional<Bytes> capacity = std::nullopt) {
  return strategy::classic::machine(devices, Bandwidth{100e9}, Bandwidth{between * 1e9}, ring, capacity);
}

} // namespace triosim::test
