#pragma once

#include "triosim/cluster.hpp"
#include "triosim/net/arrival.hpp"
#include "triosim/net/message.hpp"
#include "triosim/topology/routes.hpp"
#include "triosim/topology/routing.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace triosim::net {

/// Links that serve one message at a time, first come, first served, on any topology. Switches cut through: the head of
/// a message goes on to the next link as soon as it is there, and the tail follows at the rate of the narrowest link,
/// so that a message alone takes the sum of the latencies and its bytes over the narrowest bandwidth. A link is taken
/// from the head to the tail.
///
/// Compared with fair sharing, messages that meet come one after the other and not together; totals are alike. Whole
/// messages in a queue are coarser than packets: a small message waits for a large one. A wider link is never later
/// where all meet on one link. A message over a link without bandwidth never arrives, and holds up those behind it.
///
/// Cost: an event for each link of a route.
class CongestionAware {
 public:
  CongestionAware() = default;
  explicit CongestionAware(const Cluster& cluster) : CongestionAware{cluster.topology} {}
  explicit CongestionAware(topology::Graph graph) : routes_{std::move(graph)}, links_(routes_.graph().links().size()) {}

  /// Throws `TopologyError` where there is no route.
  template <class Port>
  void send(const Message& message, Port& port) {
    const auto route = routes_.find(message.source, message.destination);
    if (routes_.links(route).empty() || message.bytes == Bytes{}) {
      port.deliver_at(arrival(port.now(), routes_.latency(route)), message.id);
      return;
    }
    std::uint32_t flight = 0;
    if (free_.empty()) {
      flight = static_cast<std::uint32_t>(flights_.size());
      flights_.emplace_back();
    } else {
      flight = free_.back();
      free_.pop_back();
    }
    flights_[flight] = {message.bytes, message.id, route, 0, port.now()};
    reach(flight, port);
  }

  /// Twice a link that is free again, or twice a message whose head is at its next link and one more.
  template <class Port>
  void on_wake(std::uint32_t token, Port& port) {
    if (token % 2 != 0) return reach(token / 2, port);
    Link& link = links_[token / 2];
    link.busy = false;
    if (link.waiting.empty()) return;
    const std::uint32_t next = link.waiting.front();
    link.waiting.pop_front();
    enter(next, port);
  }

 private:
  struct Flight {
    Bytes bytes;
    MessageId message = 0;
    topology::Routes<topology::ShortestHops>::Index route = 0;
    std::uint32_t hop = 0;
    Time tail; ///< when its last byte is at the present link
  };
  struct Link {
    bool busy = false;
    std::deque<std::uint32_t> waiting;
  };

  template <class Port>
  void reach(std::uint32_t flight, Port& port) {
    Link& link = links_[routes_.links(flights_[flight].route)[flights_[flight].hop]];
    if (link.busy)
      link.waiting.push_back(flight);
    else
      enter(flight, port);
  }

  template <class Port>
  void enter(std::uint32_t number, Port& port) {
    Flight& flight = flights_[number];
    const auto links = routes_.links(flight.route);
    const topology::LinkId at = links[flight.hop];
    const topology::Link& link = routes_.graph().link(at);
    links_[at].busy = true;
    // The last byte leaves when the link has carried all of them, and not before it has come.
    const Time leaves = std::max(arrival(port.now(), flight.bytes / link.bandwidth), flight.tail);
    port.wake_at(leaves, 2 * at);
    flight.tail = arrival(leaves, link.latency);
    if (++flight.hop < links.size()) {
      port.wake_at(arrival(port.now(), link.latency), 2 * number + 1);
      return;
    }
    port.deliver_at(flight.tail, flight.message);
    free_.push_back(number);
  }

  topology::Routes<topology::ShortestHops> routes_;
  std::vector<Link> links_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_;
};

} // namespace triosim::net
