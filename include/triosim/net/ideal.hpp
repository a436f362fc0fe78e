#pragma once

#include "triosim/cluster.hpp"
#include "triosim/net/arrival.hpp"
#include "triosim/net/message.hpp"
#include "triosim/topology/routes.hpp"
#include "triosim/topology/routing.hpp"
#include "triosim/units.hpp"

#include <optional>
#include <utility>

namespace triosim::net {

/// Every message has the network to itself: latency + bytes / bandwidth, whatever else is under way. With a topology,
/// latency is the sum over the shortest route and bandwidth that of its narrowest link; without, they are the same for
/// every pair. A lower bound of what the other networks say. A message from a node to itself takes no time.
///
/// A wider link or a shorter latency is never later. Cost: O(1) for a message.
class Ideal {
 public:
  /// The same between any two nodes. An infinite bandwidth leaves the latency alone.
  explicit Ideal(Bandwidth bandwidth, Time latency = {}) : bandwidth_{bandwidth}, latency_{latency} {}
  explicit Ideal(const Cluster& cluster) : Ideal{cluster.topology} {}
  explicit Ideal(topology::Graph graph) : routes_{std::in_place, std::move(graph)} {}

  template <class Port>
  void send(const Message& message, Port& port) {
    if (message.source == message.destination) {
      port.deliver_at(port.now(), message.id);
    } else if (!routes_) {
      port.deliver_at(arrival(arrival(port.now(), latency_), message.bytes / bandwidth_), message.id);
    } else {
      const auto route = routes_->find(message.source, message.destination);
      port.deliver_at(arrival(arrival(port.now(), routes_->latency(route)), message.bytes / routes_->bandwidth(route)),
                      message.id);
    }
  }

 private:
  std::optional<topology::Routes<topology::ShortestHops>> routes_;
  Bandwidth bandwidth_;
  Time latency_;
};

} // namespace triosim::net
