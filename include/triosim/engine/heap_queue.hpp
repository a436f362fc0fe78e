#pragma once

#include "triosim/engine/event.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::engine {

/// An implicit d-ary heap ordered by (time, sequence number). The choice below about 64 pending events, and for those
/// who push events into the past of the last pop, which a radix heap cannot hold.
template <std::size_t Arity = 4>
class HeapQueue {
  static_assert(Arity >= 2, "triosim: a heap needs at least two children a node; see engine/heap_queue.hpp");

 public:
  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }

  void push(Time time, Event event) {
    const Entry entry{time.picoseconds(), sequence_++, event};
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / Arity;
      if (!before(entry, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = entry;
  }

  /// Whether an event of the instant `now` is left.
  bool pending_at(Time now) const noexcept { return !heap_.empty() && heap_.front().time == now.picoseconds(); }

  /// The queue is not empty.
  Time next_time() const { return Time{heap_.front().time}; }

  /// The queue is not empty.
  TimedEvent pop() {
    const Entry first = heap_.front();
    const Entry moved = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size > 0) {
      std::size_t hole = 0;
      for (;;) {
        const std::size_t begin = hole * Arity + 1;
        if (begin >= size) break;
        const std::size_t end = std::min(begin + Arity, size);
        std::size_t least = begin;
        for (std::size_t child = begin + 1; child < end; ++child)
          least = before(heap_[child], heap_[least]) ? child : least;
        if (!before(heap_[least], moved)) break;
        heap_[hole] = heap_[least];
        hole = least;
      }
      heap_[hole] = moved;
    }
    return {Time{first.time}, first.event};
  }

 private:
  struct Entry {
    std::int64_t time;
    std::uint64_t sequence;
    Event event;
  };

  // Without branches: the outcome is a coin toss that no predictor learns.
  static bool before(const Entry& a, const Entry& b) noexcept {
    return static_cast<bool>(static_cast<unsigned>(a.time < b.time) | (static_cast<unsigned>(a.time == b.time) &
                                                                       static_cast<unsigned>(a.sequence < b.sequence)));
  }

  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

} // namespace triosim::engine
