#pragma once

#include <triosim/cluster.hpp>
#include <triosim/collective/algorithm.hpp>
#include <triosim/net/message.hpp>
#include <triosim/units.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace triosim::test {

/// The simplest network: every message has 1 GB/s for itself (a byte a nanosecond).
struct Wire {
  Wire() = default;
  explicit Wire(const Cluster&) {}
  template <class Port>
  void send(const net::Message& message, Port& port) {
    port.deliver_at(port.now() + message.bytes / Bandwidth{1e9}, message.id);
  }
};

/// Knows how long a collective takes: a nanosecond a byte of the whole buffer.
struct Oracle : Wire {
  using Wire::Wire;
  std::optional<Time> collective_time(const collective::Call& call, std::span<const std::uint32_t>) const {
    return call.bytes / Bandwidth{1e9};
  }
};

} // namespace triosim::test
