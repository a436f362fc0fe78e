#pragma once

#include "triosim/engine/serial.hpp"
#include "triosim/net/message.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triosim::net {

/// When messages are sent: each at its time, or when the last of those it waits for has arrived, whichever is later.
class Timetable {
 public:
  using Index = std::uint32_t;

  /// The next message, numbered from 0.
  Index add(Time start) {
    start_.push_back(start);
    first_after_.push_back(none);
    waits_for_.push_back(0);
    return static_cast<Index>(start_.size() - 1);
  }
  /// `message` waits for `other`. Both have been added.
  void after(Index message, Index other) {
    edges_.push_back({message, first_after_[other]});
    first_after_[other] = static_cast<Index>(edges_.size() - 1);
    ++waits_for_[message];
  }
  std::size_t size() const noexcept { return start_.size(); }

 private:
  static constexpr Index none = 0xFFFFFFFF;
  struct Edge {
    Index message;
    Index next;
  };

  std::vector<Time> start_;
  std::vector<Index> first_after_; // of each message: those that wait for it, a list in edges_
  std::vector<Index> waits_for_;   // how many
  std::vector<Edge> edges_;

  template <class, class, class>
  friend class MessagePlayer;
};

/// Plays messages on a network and nothing else: the arrival of each. `send(index, port)` puts message `index` on the
/// network with that number as its id. What never arrives (a dead link, a circle of waiting) has `Time::infinity()`.
template <class Net, class Send, class Engine = engine::Serial>
class MessagePlayer {
 public:
  MessagePlayer(Net& net, Timetable timetable, Send send)
      : net_{net}, table_{std::move(timetable)}, send_{std::move(send)} {}

  std::vector<Time> run() {
    arrival_.assign(table_.size(), Time::infinity());
    for (std::uint32_t i = 0; i < table_.size(); ++i)
      if (table_.waits_for_[i] == 0) engine_.schedule(table_.start_[i], {start, 0, i});
    engine_.run(*this);
    return std::move(arrival_);
  }

  std::uint64_t events() const noexcept { return engine_.events(); }

  // ---- called by the engine ----
  void handle(engine::Event event) {
    Port port{*this};
    switch (event.kind()) {
    case start:
      send_(event.argument(), port);
      break;
    case message_here:
      arrive(event.argument());
      break;
    case wake:
      if constexpr (requires { net_.on_wake(0u, port); }) net_.on_wake(event.argument(), port);
      break;
    default:
      break;
    }
    settle();
  }
  void instant_end() {
    if constexpr (requires(Port port) { net_.instant_end(port); }) {
      Port port{*this};
      net_.instant_end(port);
      settle();
    }
  }

 private:
  enum Kind : std::uint8_t { start, message_here, wake };

  struct Port {
    MessagePlayer& player;
    Time now() const { return player.engine_.now(); }
    void deliver_at(Time at, MessageId id) {
      if (at != Time::infinity()) player.engine_.schedule(at, {message_here, 0, id});
    }
    void deliver(MessageId id) { player.landed_.push_back(id); }
    void wake_at(Time at, std::uint32_t token) {
      static_assert(
          requires(Net net, Port port) { net.on_wake(token, port); },
          "triosim: a network policy must have on_wake(token, port) to call port.wake_at; see "
          "triosim/concepts.hpp");
      if (at != Time::infinity()) player.engine_.schedule(at, {wake, 0, token});
    }
  };

  void settle() {
    for (std::size_t i = 0; i < landed_.size(); ++i)
      arrive(landed_[i]);
    landed_.clear();
  }

  void arrive(MessageId id) {
    arrival_[id] = engine_.now();
    for (auto edge = table_.first_after_[id]; edge != Timetable::none; edge = table_.edges_[edge].next)
      if (const auto message = table_.edges_[edge].message; --table_.waits_for_[message] == 0)
        engine_.schedule(std::max(engine_.now(), table_.start_[message]), {start, 0, message});
  }

  Net& net_;
  Timetable table_;
  Send send_;
  Engine engine_;
  std::vector<Time> arrival_;
  std::vector<MessageId> landed_;
};

/// The arrival of each of the messages of a timetable; see MessagePlayer.
template <class Net, class Send>
std::vector<Time> play_messages(Net& net, Timetable timetable, Send send) {
  return MessagePlayer<Net, Send>{net, std::move(timetable), std::move(send)}.run();
}

} // namespace triosim::net
