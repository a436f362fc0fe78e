#pragma once

#include "triosim/cluster.hpp"
#include "triosim/net/arrival.hpp"
#include "triosim/net/message.hpp"
#include "triosim/net/transfers.hpp"
#include "triosim/topology/routes.hpp"
#include "triosim/topology/routing.hpp"
#include "triosim/units.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triosim::net {

/// What a message waits for before it takes bandwidth, given the sum of its links' latencies and their number.
template <class L>
concept LatencyPolicy = requires(Time links, std::size_t hops) {
  { L::of(links, hops) } -> std::same_as<Time>;
};

/// The latency of each link counts.
struct LinkLatency {
  static constexpr Time of(Time links, std::size_t) noexcept { return links; }
};
/// Latency is ignored, as the published packet network does.
struct NoLatency {
  static constexpr Time of(Time, std::size_t) noexcept { return {}; }
};

/// Messages as fluids on the links of a topology. A message waits for its latency, then takes its share of each link of
/// its route until its last byte has left; it has arrived at that instant. `Sharing` divides the links (MaxMin,
/// EqualSplit), `Routing` picks them.
///
/// Assumes: cut-through switches, no protocol overhead, no loss, senders that adapt their rates at once.
/// Zero load: sum of the latencies + bytes / narrowest bandwidth. A message without bytes takes the latency alone, one
/// from a node to itself no time. A message over a link without bandwidth never arrives.
/// A wider link is never later where the flows meet on one link. Where they meet on several, one that is sped up may
/// slow down another, here as on real networks.
///
/// All that happens at an instant is shared out once, at its end.
/// Cost: that of `Sharing`, a wake-up for each instant at which something finishes, one for each message that waits for
/// latency, and O(log messages) for each finish time that moves.
template <class Sharing, topology::RoutingPolicy Routing, LatencyPolicy Latency = LinkLatency>
class SharedNetwork {
 public:
  using RouteIndex = typename topology::Routes<Routing>::Index;

  SharedNetwork() = default;
  explicit SharedNetwork(const Cluster& cluster) : SharedNetwork{cluster.topology} {}
  explicit SharedNetwork(topology::Graph graph, Routing routing = {})
      : routes_{std::move(graph), std::move(routing)}, transfers_{Sharing{capacities(routes_.graph())}} {}

  /// Throws `TopologyError` where there is no route.
  template <class Port>
  void send(const Message& message, Port& port) {
    send_over(routes_.find(message.source, message.destination), message, port);
  }

  /// A route of the caller's choice: links in order, none twice.
  RouteIndex add_route(std::span<const topology::LinkId> links) { return routes_.add(links); }

  /// Sends over a route that `add_route` gave, whatever the nodes of the message are.
  template <class Port>
  void send_over(RouteIndex route, const Message& message, Port& port) {
    const auto links = routes_.links(route);
    const Time latency = Latency::of(routes_.latency(route), links.size());
    if (links.empty() || message.bytes == Bytes{}) {
      port.deliver_at(arrival(port.now(), latency), message.id);
    } else if (latency == Time{}) {
      start(route, message.bytes, message.id);
    } else {
      std::uint32_t place;
      if (free_.empty()) {
        place = static_cast<std::uint32_t>(waiting_.size());
        waiting_.emplace_back();
      } else {
        place = free_.back();
        free_.pop_back();
      }
      waiting_[place] = {message.bytes, message.id, route};
      port.wake_at(arrival(port.now(), latency), place);
    }
  }

  template <class Port>
  void on_wake(std::uint32_t token, Port& port) {
    if (token < first_finish_token) {
      const Waiting waiting = waiting_[token];
      free_.push_back(token);
      start(waiting.route, waiting.bytes, waiting.message);
    } else if (token == finish_token_) {
      armed_ = Time::infinity();
      transfers_.finish(port.now(), [&](FlowId flow) { port.deliver(message_of_[flow]); });
    }
  }

  template <class Port>
  void instant_end(Port& port) {
    transfers_.commit(port.now());
    const Time next = transfers_.next_finish();
    if (next >= armed_) return;
    armed_ = next;
    // A wake-up for a later time that is under way becomes stale.
    finish_token_ = first_finish_token | (finish_token_ + 1);
    port.wake_at(next, finish_token_);
  }

  /// What a link carries from the end of this instant on: a slow link, or a failed one (zero). Routes stay.
  void set_bandwidth(topology::LinkId link, Bandwidth bandwidth) { transfers_.set_capacity(link, bandwidth); }

  const topology::Graph& graph() const noexcept { return routes_.graph(); }
  /// Messages sent and not arrived, but for those whose arrival has been promised.
  std::size_t in_flight() const noexcept { return transfers_.size() + waiting_.size() - free_.size(); }

 private:
  // Tokens below are places in waiting_, those from here on count the wake-ups for finish times.
  static constexpr std::uint32_t first_finish_token = 0x80000000;

  struct Waiting {
    Bytes bytes;
    MessageId message = 0;
    RouteIndex route = 0;
  };

  static std::vector<double> capacities(const topology::Graph& graph) {
    std::vector<double> capacities;
    capacities.reserve(graph.links().size());
    for (const topology::Link& link : graph.links())
      capacities.push_back(link.bandwidth.bytes_per_second());
    return capacities;
  }

  void start(RouteIndex route, Bytes bytes, MessageId message) {
    const FlowId flow = transfers_.start(routes_.links(route), bytes);
    if (flow >= message_of_.size()) message_of_.resize(flow + std::size_t{1});
    message_of_[flow] = message;
  }

  topology::Routes<Routing> routes_;
  Transfers<Sharing> transfers_;
  std::vector<MessageId> message_of_; // of each flow
  std::vector<Waiting> waiting_;      // for the latency of its route
  std::vector<std::uint32_t> free_;   // places in waiting_
  Time armed_ = Time::infinity();     // when the wake-up that counts is due
  std::uint32_t finish_token_ = first_finish_token;
};

} // namespace triosim::net
