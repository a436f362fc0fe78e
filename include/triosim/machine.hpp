#pragma once

#include "triosim/error.hpp"
#include "triosim/units.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triosim {

/// One accelerator, as its data sheet has it.
struct DeviceModel {
  std::string name;
  /// Dense peak in FLOP/s (a multiply-add counts as two) by data type: fp64, fp32, tf32, fp16, bf16, fp8, int8.
  std::map<std::string, double, std::less<>> peak;
  Bandwidth memory_bandwidth;
  Bytes memory;

  /// Throws `ConfigError` for a data type that the device does not have.
  double peak_of(std::string_view type) const {
    const auto found = peak.find(type);
    if (found != peak.end()) return found->second;
    std::string known;
    for (const auto& [name_of_type, rate] : peak)
      known.append(known.empty() ? "" : ", ").append(name_of_type);
    throw ConfigError{"data type", std::string{type}, "one that " + name + " has: " + known};
  }
};

/// One level of links. The tier joins `size` of what the tier below makes: the first joins devices, the next joins
/// groups of those, and so on.
struct Tier {
  enum class Shape : std::uint8_t { Switch, Ring, FullyConnected, Mesh, FatTree };

  std::string name;
  Shape shape = Shape::Switch;
  /// How many it joins; 0, of the last tier only: as many as there are.
  std::uint32_t size = 0;
  /// Of one device, one way.
  Bandwidth bandwidth;
  /// Of one message from device to device.
  Time latency;
};

constexpr std::string_view to_string(Tier::Shape shape) noexcept {
  constexpr std::string_view names[] = {"switch", "ring", "fully-connected", "mesh", "fat-tree"};
  return names[static_cast<std::size_t>(shape)];
}

/// What NCCL's collectives cost on a machine: for each of its protocols a launch, the latency of a hop within a node
/// and between nodes, and the share of the bandwidth that it gets. Fitted to measurements, see net::NcclModel.
struct NcclCosts {
  struct Protocol {
    Time launch;      ///< once a call
    Time hop;         ///< within a node
    Time net_hop;     ///< between nodes
    double share = 1; ///< of the bandwidth
  };

  /// LL, LL128, Simple.
  std::array<Protocol, 3> protocols;
  /// Bus bandwidth (bytes on the wire of a device over time) of two devices of a node, and of many.
  Bandwidth pair, many;
  /// Between nodes, of each device that takes part.
  Bandwidth net;
};

/// A kind of machine: what its devices are and what joins them, however many of them are used.
struct Machine {
  std::string name;
  DeviceModel device;
  std::vector<Tier> tiers;
  /// Where somebody has measured.
  std::optional<NcclCosts> nccl;

  /// Devices that the tiers below tier `i` join: 1 for the first.
  std::uint32_t below(std::size_t i) const {
    std::uint32_t devices = 1;
    for (std::size_t j = 0; j < i; ++j)
      devices *= tiers[j].size;
    return devices;
  }
};

} // namespace triosim
