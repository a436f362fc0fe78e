#pragma once

#include "triosim/net/message.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <tuple>

namespace triosim {

namespace detail {

template <class O>
concept Listens = requires(O& o, const TaskGraph& graph) {
  o.begin(graph);
}
|| requires(O& o, std::uint32_t rank, TaskId task, Time now) {
  o.task_started(rank, task, now);
}
|| requires(O& o, std::uint32_t rank, TaskId task, Time now) {
  o.task_finished(rank, task, now);
}
|| requires(O& o, const net::Message& message, Time now) {
  o.message_sent(message, now);
}
|| requires(O& o, const net::Message& message, Time now) {
  o.message_arrived(message, now);
}
|| requires(O& o, std::uint32_t rank, Bytes in_use, Time now) {
  o.memory_changed(rank, in_use, now);
}
|| requires(O& o, Time total) {
  o.end(total);
};

// A member of the right name that cannot be called would be passed over without a word. (`begin` and `end` are names
// that containers have for other reasons.)
template <class O>
concept Understood =
    (
        !requires { &O::task_started; } ||
        requires(O & o, std::uint32_t rank, TaskId task, Time now) { o.task_started(rank, task, now); }) &&
    (
        !requires { &O::task_finished; } ||
        requires(O & o, std::uint32_t rank, TaskId task, Time now) { o.task_finished(rank, task, now); }) &&
    (
        !requires { &O::message_sent; } ||
        requires(O & o, const net::Message& message, Time now) { o.message_sent(message, now); }) &&
    (
        !requires { &O::message_arrived; } ||
        requires(O & o, const net::Message& message, Time now) { o.message_arrived(message, now); }) &&
    (
        !requires { &O::memory_changed; } ||
        requires(O & o, std::uint32_t rank, Bytes in_use, Time now) { o.memory_changed(rank, in_use, now); });

} // namespace detail

/// Those who listen to a run, by reference. An observer has any of these members; what it lacks is not called, and with
/// no observer nothing is left in the compiled program.
///
///     void begin(const TaskGraph&);                                     // before the first event
///     void task_started(std::uint32_t rank, TaskId, Time now);          // a collective: when all members have come
///     void task_finished(std::uint32_t rank, TaskId, Time now);
///     void message_sent(const net::Message&, Time now);
///     void message_arrived(const net::Message&, Time now);
///     void memory_changed(std::uint32_t rank, Bytes in_use, Time now);  // memory policies that keep account
///     void end(Time total);                                             // after the last event
///
/// Source and destination of a message are ranks, or the node of the remote memory.
template <class... Observer>
class Observers {
  static_assert((detail::Listens<Observer> && ...),
                "triosim: an observer must have at least one of the members that are "
                "called, such as task_started; see triosim/report/observers.hpp");
  static_assert((detail::Understood<Observer> && ...),
                "triosim: an observer must take what its members are called with; "
                "see triosim/report/observers.hpp");

 public:
  explicit Observers(Observer&... observers) : observers_{observers...} {}

  void begin(const TaskGraph& graph) {
    each([&](auto& o) {
      if constexpr (requires { o.begin(graph); }) o.begin(graph);
    });
  }
  void task_started(std::uint32_t rank, TaskId task, Time now) {
    each([&](auto& o) {
      if constexpr (requires { o.task_started(rank, task, now); }) o.task_started(rank, task, now);
    });
  }
  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    each([&](auto& o) {
      if constexpr (requires { o.task_finished(rank, task, now); }) o.task_finished(rank, task, now);
    });
  }
  void message_sent(const net::Message& message, Time now) {
    each([&](auto& o) {
      if constexpr (requires { o.message_sent(message, now); }) o.message_sent(message, now);
    });
  }
  void message_arrived(const net::Message& message, Time now) {
    each([&](auto& o) {
      if constexpr (requires { o.message_arrived(message, now); }) o.message_arrived(message, now);
    });
  }
  void memory_changed(std::uint32_t rank, Bytes in_use, Time now) {
    each([&](auto& o) {
      if constexpr (requires { o.memory_changed(rank, in_use, now); }) o.memory_changed(rank, in_use, now);
    });
  }
  void end(Time total) {
    each([&](auto& o) {
      if constexpr (requires { o.end(total); }) o.end(total);
    });
  }

 private:
  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... observer) { (f(observer), ...); }, observers_);
  }

  std::tuple<Observer&...> observers_;
};

} // namespace triosim
