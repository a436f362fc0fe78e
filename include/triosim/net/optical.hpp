#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/net/arrival.hpp"
#include "triosim/net/message.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace triosim::net {

/// The circuits that stand from the beginning and are never taken down.
enum class StandingCircuits : std::uint8_t {
  None,
  Ring,      ///< from each rank to the next and to the one before
  Butterfly, ///< between ranks whose numbers differ in one bit
};

/// What an optical mesh is made of. The defaults are the constants of the published TrioSim.
struct OpticalSettings {
  /// Cells of the mesh, one for each device; 0 x 0 stands for the shape nearest to a square.
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  /// Of each circuit.
  Bandwidth bandwidth{64e9};
  /// From one cell to the next.
  Time hop{20'000};
  /// To turn the switches for a new circuit.
  Time set_up{20'000'000'000};
  /// Circuits that may begin at a node at a time, and as many that may end there.
  std::uint32_t wave_guides = 8;
  StandingCircuits standing = StandingCircuits::Ring;
};

/// Devices on a mesh of wave-guides, joined by circuits of light. A circuit belongs to one sender and one receiver, has
/// its full bandwidth for one message at a time, and passes the cells between without stopping:
///     time of a message = wait for the circuit + hop * cells apart + bytes / bandwidth.
/// Where no circuit is open, one is set up, for which the sender and the receiver need a free wave-guide each: the
/// longest idle circuit gives way; where none is idle, the message waits. A sender serves those that wait in order;
/// a circuit that is open serves its next message at once, ahead of them.
///
/// Ranks lie along the rows, there and back in turn (a snake), so that the ring of ranks is a ring of neighbours.
/// The memory of the topology has a standing circuit of one hop to and from each device, beside the wave-guides.
/// The links of the topology do not matter.
///
/// Zero load: hop * cells apart + bytes / bandwidth on a standing circuit; set_up more for the first message on
/// another. A wider circuit is never later while no message waits for a wave-guide.
/// Cost: O(wave-guides) for a message; one that waits is looked at again whenever a wave-guide may have come free.
class Optical {
 public:
  /// Throws `TopologyError` for a mesh that has not one cell for each device, or too few wave-guides for the standing
  /// circuits.
  explicit Optical(const Cluster& cluster, OpticalSettings settings = {})
      : settings_{settings}, devices_{cluster.ranks()} {
    if (settings_.rows == 0 && settings_.columns == 0) {
      settings_.rows = 1;
      for (std::uint32_t r = 1; std::uint64_t{r} * r <= devices_; ++r)
        if (devices_ % r == 0) settings_.rows = r;
      settings_.columns = devices_ / settings_.rows;
    }
    if (std::uint64_t{settings_.rows} * settings_.columns != devices_)
      throw TopologyError{"an optical mesh of " + std::to_string(settings_.rows) + " x " +
                          std::to_string(settings_.columns) + " cells cannot hold " + std::to_string(devices_) +
                          " devices: it needs one cell for each"};
    outgoing_.resize(cluster.topology.nodes());
    incoming_.resize(cluster.topology.nodes());
    waiting_.resize(devices_);
    if (const auto memory = cluster.topology.memory()) {
      memory_ = *memory;
      for (std::uint32_t device = 0; device < devices_; ++device) {
        open(memory_, device, Time{}, true);
        open(device, memory_, Time{}, true);
      }
    }
    for (std::uint32_t rank = 0; rank < devices_; ++rank) {
      if (settings_.standing == StandingCircuits::Ring) {
        stand(rank, (rank + 1) % devices_);
        stand(rank, (rank + devices_ - 1) % devices_);
      } else if (settings_.standing == StandingCircuits::Butterfly) {
        for (std::uint32_t bit = 1; bit < devices_; bit <<= 1)
          if ((rank ^ bit) < devices_) stand(rank, rank ^ bit);
      }
    }
    for (std::uint32_t rank = 0; rank < devices_; ++rank)
      if (const std::size_t used = std::max(guided(outgoing_[rank]), guided(incoming_[rank]));
          used > settings_.wave_guides)
        throw TopologyError{"the standing circuits of an optical mesh need " + std::to_string(used) +
                            " wave-guides at rank " + std::to_string(rank) + ", which has " +
                            std::to_string(settings_.wave_guides)};
  }

  /// Throws `TopologyError` for a message between nodes that can never have a circuit.
  template <class Port>
  void send(const Message& message, Port& port) {
    if (message.source == message.destination) {
      port.deliver_at(port.now(), message.id);
      return;
    }
    if (std::max(message.source, message.destination) >= outgoing_.size() || blocked(message))
      throw TopologyError{"the optical mesh can never open a circuit from node " + std::to_string(message.source) +
                          " to node " + std::to_string(message.destination)};
    if (const std::uint32_t circuit = find(message.source, message.destination); circuit != none) {
      carry(circuit, message, port);
      return;
    }
    Queue& queue = waiting_[message.source];
    queue.messages.push_back(message);
    if (queue.messages.size() - queue.head == 1) serve(message.source, port);
  }

  template <class Port>
  void on_wake(std::uint32_t source, Port& port) {
    serve(source, port);
  }

  const OpticalSettings& settings() const noexcept { return settings_; }
  /// How many cells apart two ranks are.
  std::int64_t cells_apart(std::uint32_t a, std::uint32_t b) const {
    const auto [row_a, column_a] = cell(a);
    const auto [row_b, column_b] = cell(b);
    return std::abs(row_a - row_b) + std::abs(column_a - column_b);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Circuit {
    topology::NodeId from;
    topology::NodeId to;
    Time free_at; // when it has sent all that it has been given
    Time delay;   // of light
    bool standing;
  };
  // Messages of one sender that have no circuit, in order.
  struct Queue {
    std::vector<Message> messages;
    std::size_t head = 0;
  };

  std::pair<std::int64_t, std::int64_t> cell(std::uint32_t rank) const {
    const std::int64_t columns = settings_.columns, row = rank / columns, along = rank % columns;
    return {row, row % 2 == 0 ? along : columns - 1 - along};
  }
  bool is_device(topology::NodeId node) const { return node < devices_; }

  std::uint32_t find(topology::NodeId from, topology::NodeId to) const {
    // The memory has a circuit to each device; a device has few.
    if (from == memory_) return is_device(to) ? outgoing_[from][to] : none;
    for (const std::uint32_t circuit : outgoing_[from])
      if (circuits_[circuit].to == to) return circuit;
    return none;
  }

  void stand(std::uint32_t from, std::uint32_t to) {
    if (from != to && find(from, to) == none) open(from, to, Time{}, true);
  }

  std::uint32_t open(topology::NodeId from, topology::NodeId to, Time ready, bool standing) {
    std::uint32_t id;
    if (closed_.empty()) {
      id = static_cast<std::uint32_t>(circuits_.size());
      circuits_.emplace_back();
    } else {
      id = closed_.back();
      closed_.pop_back();
    }
    const std::int64_t cells = is_device(from) && is_device(to) ? cells_apart(from, to) : 1;
    circuits_[id] = {from, to, ready, settings_.hop * cells, standing};
    outgoing_[from].push_back(id);
    incoming_[to].push_back(id);
    return id;
  }

  void close(std::uint32_t id) {
    std::erase(outgoing_[circuits_[id].from], id);
    std::erase(incoming_[circuits_[id].to], id);
    closed_.push_back(id);
  }

  // Those that take a wave-guide of a device.
  std::size_t guided(const std::vector<std::uint32_t>& circuits) const {
    return static_cast<std::size_t>(std::count_if(circuits.begin(), circuits.end(), [&](std::uint32_t id) {
      return is_device(circuits_[id].from) && is_device(circuits_[id].to);
    }));
  }

  // Whether the standing circuits leave no wave-guide for the message.
  bool blocked(const Message& message) const {
    if (find(message.source, message.destination) != none) return false;
    if (!is_device(message.source) || !is_device(message.destination)) return true;
    const auto full = [&](const std::vector<std::uint32_t>& circuits) {
      std::size_t standing = 0;
      for (const std::uint32_t id : circuits)
        standing += circuits_[id].standing && is_device(circuits_[id].from) && is_device(circuits_[id].to) ? 1 : 0;
      return standing >= settings_.wave_guides;
    };
    return full(outgoing_[message.source]) || full(incoming_[message.destination]);
  }

  // The circuit that would have to give way for one more (none if there is room), and when it can.
  std::pair<std::uint32_t, Time> room(const std::vector<std::uint32_t>& circuits, Time now) const {
    if (guided(circuits) < settings_.wave_guides) return {none, now};
    std::uint32_t idle_longest = none;
    for (const std::uint32_t id : circuits)
      if (!circuits_[id].standing && (idle_longest == none || circuits_[id].free_at < circuits_[idle_longest].free_at))
        idle_longest = id;
    return {idle_longest, std::max(now, circuits_[idle_longest].free_at)};
  }

  template <class Port>
  void carry(std::uint32_t id, const Message& message, Port& port) {
    Circuit& circuit = circuits_[id];
    circuit.free_at = arrival(std::max(circuit.free_at, port.now()), message.bytes / settings_.bandwidth);
    port.deliver_at(arrival(circuit.free_at, circuit.delay), message.id);
  }

  // Gives circuits to the messages that wait at `source`, as far as there are any.
  template <class Port>
  void serve(std::uint32_t source, Port& port) {
    Queue& queue = waiting_[source];
    while (queue.head < queue.messages.size()) {
      const Message& message = queue.messages[queue.head];
      std::uint32_t circuit = find(source, message.destination);
      if (circuit == none) {
        const auto [leaving, out_at] = room(outgoing_[source], port.now());
        const auto [arriving, in_at] = room(incoming_[message.destination], port.now());
        if (const Time at = std::max(out_at, in_at); at > port.now()) {
          if (at != Time::infinity()) port.wake_at(at, source);
          return;
        }
        if (leaving != none) close(leaving);
        if (arriving != none && arriving != leaving) close(arriving);
        circuit = open(source, message.destination, arrival(port.now(), settings_.set_up), false);
      }
      carry(circuit, message, port);
      ++queue.head;
    }
    queue.messages.clear();
    queue.head = 0;
  }

  OpticalSettings settings_;
  std::uint32_t devices_;
  topology::NodeId memory_ = none;
  std::vector<Circuit> circuits_;
  std::vector<std::uint32_t> closed_;                // places in circuits_
  std::vector<std::vector<std::uint32_t>> outgoing_; // circuits of each node
  std::vector<std::vector<std::uint32_t>> incoming_;
  std::vector<Queue> waiting_; // of each device
};

} // namespace triosim::net
