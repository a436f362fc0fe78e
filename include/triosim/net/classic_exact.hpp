#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/net/flow_table.hpp"
#include "triosim/net/indexed_heap.hpp"
#include "triosim/net/message.hpp"
#include "triosim/topology/least_bandwidth.hpp"
#include "triosim/topology/routes.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace triosim::net::classic {

/// The model of classic::PacketSharing with the published program's own bookkeeping, so that with
/// engine::Published even the order of simultaneous arrivals comes out as there:
///
///     send:     put the message on its links, share those links anew, arm
///     share:    for each message on them: done += (t - last) * rate;  rate = min over its links of C / k;
///               finish = t + (bytes - done) / rate;  last = t
///     arm:      schedule one delivery, for the message that finishes first of all that are under way
///     delivery: if that message has gone or finishes at another time by now, arm again; otherwise hand it over, take
///               it off its links and share those anew
///
/// So there is one scheduled delivery for each message under way, most of them stale. Where rounding makes a finish
/// time fall behind the one that was scheduled, the published program aborts; here the message arrives that much later.
/// Among messages that finish at the same time the published program picks any (Go's map order); here it is the one
/// with the lowest id.
///
/// Zero load: bytes / narrowest bandwidth. A message over a link without bandwidth never arrives, even without bytes.
/// Cost: O(log messages under way) a message and O(log) for each that shares a link with it.
class ExactPacketSharing {
 public:
  ExactPacketSharing() = default;
  explicit ExactPacketSharing(const Cluster& cluster)
      : routes_{cluster.topology}, table_{cluster.topology.links().size()} {}

  /// Throws `TopologyError` where there is no route.
  template <class Port>
  void send(const Message& message, Port& port) {
    const auto links = routes_.links(routes_.find(message.source, message.destination));
    if (links.empty()) {
      port.deliver(message.id);
      return;
    }
    const FlowId flow = table_.add(links);
    if (flow > flow_mask) throw ConfigError{"messages under way", std::to_string(flow), "at most 16777216"};
    if (flow >= packets_.size()) packets_.resize(flow + std::size_t{1});
    Packet& packet = packets_[flow];
    const std::uint32_t generation = packet.generation + 1;
    packet = {static_cast<double>(message.bytes.count()), 0,          0,         0,
              std::numeric_limits<double>::infinity(),    message.id, generation};
    share(flow, seconds(port));
    arm(port);
  }

  template <class Port>
  void on_wake(std::uint32_t token, Port& port) {
    const FlowId flow = token & flow_mask;
    const double now = seconds(port);
    Packet& packet = packets_[flow];
    if (token != token_of(flow) || !due(packet.finish, port)) {
      arm(port);
      return;
    }
    port.deliver(packet.message);
    ++packet.generation;
    first_.erase(flow);
    left_.assign(table_.route(flow).begin(), table_.route(flow).end());
    table_.remove(flow);
    for (const FlowTable::Hop& hop : left_)
      for (const FlowTable::Member& member : table_.flows_on(hop.link))
        update(member.flow, now);
  }

  /// Messages sent and not arrived.
  std::size_t in_flight() const noexcept { return table_.size(); }

 private:
  // A wake-up names the packet and, in the upper bits, which of those that have had its place.
  static constexpr std::uint32_t flow_mask = (1u << 24) - 1;

  struct Packet {
    double bytes = 0;
    double done = 0;   // bytes, at `last`
    double rate = 0;   // bytes per second
    double last = 0;   // seconds
    double finish = 0; // seconds
    MessageId message = 0;
    std::uint32_t generation = 0;
  };
  struct Key {
    double finish;
    MessageId message;
    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.finish != b.finish ? a.finish < b.finish : a.message < b.message;
    }
  };

  template <class Port>
  static double seconds(const Port& port) {
    if constexpr (requires { port.seconds(); })
      return port.seconds();
    else
      return static_cast<double>(port.now().picoseconds()) / 1e12;
  }

  // On a clock of whole picoseconds, the first that is not before `finish`.
  static Time rounded_up(double finish) {
    const double picoseconds = std::ceil(finish * 1e12);
    return picoseconds < 9.2e18 ? Time{static_cast<std::int64_t>(picoseconds)} : Time::infinity();
  }
  template <class Port>
  static bool due(double finish, const Port& port) {
    if constexpr (requires { port.seconds(); })
      return finish <= port.seconds();
    else
      return rounded_up(finish) <= port.now();
  }

  std::uint32_t token_of(FlowId flow) const { return flow | packets_[flow].generation << 24; }

  void share(FlowId flow, double now) {
    for (const FlowTable::Hop& hop : table_.route(flow))
      for (const FlowTable::Member& member : table_.flows_on(hop.link))
        update(member.flow, now);
  }

  void update(FlowId flow, double now) {
    Packet& packet = packets_[flow];
    packet.done += (now - packet.last) * packet.rate;
    packet.last = now;
    double rate = std::numeric_limits<double>::infinity();
    for (const FlowTable::Hop& hop : table_.route(flow))
      rate = std::min(rate, routes_.graph().link(hop.link).bandwidth.bytes_per_second() /
                                static_cast<double>(table_.flows_on(hop.link).size()));
    packet.rate = rate;
    const double left = packet.bytes - packet.done;
    if (!(rate > 0))
      packet.finish = std::numeric_limits<double>::infinity();
    else
      packet.finish = left < 0 ? now : now + left / rate;
    first_.set(flow, {packet.finish, packet.message});
  }

  template <class Port>
  void arm(Port& port) {
    if (first_.empty()) return;
    const auto& first = first_.top();
    if (first.key.finish == std::numeric_limits<double>::infinity()) return;
    if constexpr (requires { port.wake_at_seconds(first.key.finish, 0u); })
      port.wake_at_seconds(std::max(port.seconds(), first.key.finish), token_of(first.id));
    else
      port.wake_at(std::max(port.now(), rounded_up(first.key.finish)), token_of(first.id));
  }

  topology::Routes<topology::LeastBandwidth> routes_;
  FlowTable table_;
  std::vector<Packet> packets_; // of each flow
  IndexedHeap<Key> first_;
  std::vector<FlowTable::Hop> left_;
};

} // namespace triosim::net::classic
