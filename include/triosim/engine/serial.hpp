#pragma once

#include "triosim/engine/event.hpp"
#include "triosim/engine/heap_queue.hpp"
#include "triosim/engine/radix_queue.hpp"
#include "triosim/error.hpp"

#include <cstdint>
#include <string>

namespace triosim::engine {

/// One thread, one queue. Events are handled in the order of their time, those of one instant in the order in which
/// they were scheduled, whatever the queue.
template <class Queue>
class SerialOver {
 public:
  Time now() const noexcept { return now_; }
  /// Events handled so far.
  std::uint64_t events() const noexcept { return events_; }

  /// Throws `Error` for an instant that has passed.
  void schedule(Time at, Event event) {
    if (at < now_)
      throw Error{"an event was scheduled at " + std::to_string(at.picoseconds()) + " ps, before the present " +
                  std::to_string(now_.picoseconds()) + " ps"};
    queue_.push(at, event);
  }

  /// Handles events until none is left. `handler.handle(event)` may schedule more; `handler.instant_end()` is called
  /// when no event of the present instant is left, and may schedule more, also at this instant.
  template <class Handler>
  void run(Handler& handler) {
    for (;;) {
      while (queue_.pending_at(now_)) {
        const TimedEvent timed = queue_.pop();
        ++events_;
        handler.handle(timed.event);
      }
      handler.instant_end();
      if (queue_.pending_at(now_)) continue;
      if (queue_.empty()) return;
      now_ = queue_.next_time();
    }
  }

 private:
  Queue queue_;
  Time now_;
  std::uint64_t events_ = 0;
};

/// The engine to use: a monotone radix heap, the faster the more is pending.
using Serial = SerialOver<RadixQueue>;
/// The engine over a 4-ary heap: faster with a handful of pending events, about equal at sixteen.
using SerialHeap = SerialOver<HeapQueue<4>>;

} // namespace triosim::engine
