#pragma once

#include "triosim/net/message.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <tuple>

namespace triosim {

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
