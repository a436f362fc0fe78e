#pragma once

#include "triosim/engine/event.hpp"
#include "triosim/error.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace triosim::engine {

/// The published TrioSim's engine, for runs that must come out as its runs do: time is a double in seconds, and the
/// queue is a plain binary heap without sequence numbers. Events of one instant come out in an order that
/// follows from where the heap happens to hold them. That order decides which micro-batch goes first where several
/// reach a pipeline stage at once, and gaps far below a picosecond decide too; so neither the first-in first-out order
/// nor the whole picoseconds of the other engines will do.
///
/// Breaks the law that events of one instant are handled in the order in which they were scheduled, and only that.
class Published {
 public:
  Time now() const noexcept { return now_; }
  /// The present, unrounded.
  double seconds() const noexcept { return seconds_; }
  std::uint64_t events() const noexcept { return events_; }

  /// Throws `Error` for an instant that has passed.
  void schedule(Time at, Event event) {
    if (at == now_) return schedule_seconds(seconds_, event);
    schedule_seconds(at > now_ ? std::max(at.seconds(), seconds_) : at.seconds(), event);
  }
  /// The same by the exact clock. What lies beyond the range of `Time` throws `ConfigError`.
  void schedule_seconds(double at, Event event) {
    if (!(at >= seconds_)) {
      if (at < seconds_)
        throw Error{"an event was scheduled at " + std::to_string(at) + " s, before the present " +
                    std::to_string(seconds_) + " s"};
      throw ConfigError{"time", "not a number", "a number of seconds"};
    }
    push({at, event});
  }

  template <class Handler>
  void run(Handler& handler) {
    for (;;) {
      while (!heap_.empty() && heap_.front().seconds == seconds_) {
        const Event event = pop();
        ++events_;
        handler.handle(event);
      }
      handler.instant_end();
      if (heap_.empty()) return;
      const double next = heap_.front().seconds;
      if (next == seconds_) continue;
      now_ = Time::from_seconds(next);
      seconds_ = next;
    }
  }

 private:
  struct Entry {
    double seconds;
    Event event;
  };

  // Append, then exchange with the parent while that is strictly later.
  void push(const Entry& entry) {
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!(heap_[parent].seconds > entry.seconds)) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = entry;
  }

  // The last one takes the place of the first and sinks: to the right only if that is strictly earlier than the left,
  // and down only if what it meets is strictly earlier.
  Event pop() {
    const Event first = heap_.front().event;
    const Entry moved = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= size) break;
      if (child + 1 < size && heap_[child + 1].seconds < heap_[child].seconds) ++child;
      if (!(heap_[child].seconds < moved.seconds)) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moved;
    return first;
  }

  std::vector<Entry> heap_;
  Time now_;
  double seconds_ = 0;
  std::uint64_t events_ = 0;
};

} // namespace triosim::engine
