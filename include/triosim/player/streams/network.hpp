#pragma once

#include "triosim/error.hpp"
#include "triosim/player/streams/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace triosim::player::streams {

/// Closed form, nobody shares anything: a message takes the latency of its hops and the time of its bytes on one link,
/// in the first dimension in which the two ends differ.
class CongestionUnaware {
 public:
  explicit CongestionUnaware(const std::vector<Dimension>& dimensions) : dimensions_{dimensions} {}

  /// Calls `arrives_at(ns, message)` for the message that leaves at `now`.
  template <class Port>
  void send(std::uint32_t message, std::uint32_t from, std::uint32_t to, std::int64_t bytes, Port& port) {
    port.arrives_in(delay(from, to, bytes), message);
  }
  template <class Port>
  void wake(std::uint32_t, Port&) {}

 private:
  std::int64_t delay(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
    for (const Dimension& dimension : dimensions_) {
      const std::uint32_t a = from % dimension.size, b = to % dimension.size;
      from /= dimension.size;
      to /= dimension.size;
      if (a == b) continue;
      const std::uint32_t right = (b + dimension.size - a) % dimension.size;
      const std::uint32_t hops = dimension.shape == Dimension::Shape::FullyConnected ? 1
                                 : dimension.shape == Dimension::Shape::Switch
                                     ? 2
                                     : std::min(right, dimension.size - right);
      return static_cast<std::int64_t>(hops * dimension.latency_ns +
                                       static_cast<double>(bytes) / dimension.bytes_per_ns);
    }
    return 0;
  }

  std::vector<Dimension> dimensions_;
};

/// Links that carry one message at a time, first come, first served; a message is stored whole at every hop. One
/// dimension.
class CongestionAware {
 public:
  /// Throws `ConfigError` for more than one dimension.
  explicit CongestionAware(const std::vector<Dimension>& dimensions) {
    if (dimensions.size() != 1)
      throw ConfigError{"topology", std::to_string(dimensions.size()) + " dimensions",
                        "one dimension for the congestion-aware backend by classic rules; physical rules take any"};
    dimension_ = dimensions.front();
    const std::size_t n = dimension_.size;
    links_.resize(dimension_.shape == Dimension::Shape::FullyConnected ? n * n : 2 * n);
  }

  template <class Port>
  void send(std::uint32_t message, std::uint32_t from, std::uint32_t to, std::int64_t bytes, Port& port) {
    if (message >= flights_.size()) flights_.resize(message + std::size_t{1});
    flights_[message] = {from, to, bytes, false};
    hop(message, port);
  }

  /// `token` is twice a link that has become free, or twice a message that has come to the end of a link and one more.
  template <class Port>
  void wake(std::uint32_t token, Port& port) {
    if (token % 2 != 0) {
      Flight& flight = flights_[token / 2];
      if (dimension_.shape == Dimension::Shape::Ring ? flight.at == flight.to : flight.last) {
        port.arrived(token / 2);
        return;
      }
      hop(token / 2, port);
      return;
    }
    Link& link = links_[token / 2];
    link.busy = false;
    if (link.waiting.empty()) return;
    const std::uint32_t next = link.waiting.front();
    link.waiting.pop_front();
    start(next, token / 2, port);
  }

 private:
  struct Flight {
    std::uint32_t at = 0, to = 0;
    std::int64_t bytes = 0;
    bool last = false; ///< on its last link
  };
  struct Link {
    bool busy = false;
    std::deque<std::uint32_t> waiting;
  };

  // Ring: 2i is the link from i to the next, 2i + 1 the one to the one before. Switch: 2i is up, 2i + 1 down.
  template <class Port>
  void hop(std::uint32_t message, Port& port) {
    Flight& flight = flights_[message];
    const std::uint32_t n = dimension_.size;
    std::uint32_t link = 0;
    switch (dimension_.shape) {
    case Dimension::Shape::Ring: {
      const std::uint32_t right = (flight.to + n - flight.at) % n;
      const bool clockwise = right <= n - right;
      link = 2 * flight.at + (clockwise ? 0u : 1u);
      break;
    }
    case Dimension::Shape::Switch:
      if (flight.at == n) {
        link = 2 * flight.to + 1;
        flight.last = true;
      } else {
        link = 2 * flight.at;
      }
      break;
    case Dimension::Shape::FullyConnected:
      link = flight.at * n + flight.to;
      flight.last = true;
      break;
    }
    if (links_[link].busy)
      links_[link].waiting.push_back(message);
    else
      start(message, link, port);
  }

  template <class Port>
  void start(std::uint32_t message, std::uint32_t link, Port& port) {
    Flight& flight = flights_[message];
    links_[link].busy = true;
    const double bytes = static_cast<double>(flight.bytes) / dimension_.bytes_per_ns;
    if (dimension_.shape == Dimension::Shape::Ring)
      flight.at =
          link % 2 == 0 ? (flight.at + 1) % dimension_.size : (flight.at + dimension_.size - 1) % dimension_.size;
    else if (dimension_.shape == Dimension::Shape::Switch)
      flight.at = dimension_.size; // the switch
    port.wake_in(static_cast<std::int64_t>(dimension_.latency_ns + bytes), 2 * message + 1);
    port.wake_in(static_cast<std::int64_t>(bytes), 2 * link);
  }

  Dimension dimension_;
  std::vector<Link> links_;
  std::vector<Flight> flights_;
};

} // namespace triosim::player::streams
