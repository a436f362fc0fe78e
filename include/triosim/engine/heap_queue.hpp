#pragma once

#include "triosim/engine/event.hpp"
#include "triosim/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim::engine {

/// An implicit d-ary heap ordered by (time, sequence number). The choice for a handful of pending events, and for those
/// who push events into the past of the last pop, which a radix heap cannot hold.
///
/// The heap orders 16-byte keys, each one integer: the time, the sequence number and the slot where the event lies,
/// from the highest bit down. So one comparison without a branch says which of two comes first: the outcome is a coin
/// toss that no predictor learns. With `SlotBits` bits for slots, 2^SlotBits events may be pending, and sequence
/// numbers have 64 - SlotBits bits; when they run out, the keys are numbered anew in their order.
template <std::size_t Arity = 4, unsigned SlotBits = 28>
class HeapQueue {
  static_assert(Arity >= 2, "triosim: a heap needs at least two children a node; see triosim/engine/heap_queue.hpp");
  static_assert(SlotBits > 0 && SlotBits < 64, "triosim: a heap must have bits for slots and for sequence numbers; see "
                                               "triosim/engine/heap_queue.hpp");

 public:
  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }

  /// Throws `Error` where more events are pending than keys can tell apart.
  void push(Time time, Event event) {
    if (sequence_ == sequences) renumber();
    const std::uint64_t slot = keep(event);
    sift_up(heap_.size(), key(time, sequence_++ << SlotBits | slot));
  }

  /// Whether an event of the instant `now` is left.
  bool pending_at(Time now) const noexcept { return !heap_.empty() && time_of(heap_.front()) == now; }

  /// The queue is not empty.
  Time next_time() const { return time_of(heap_.front()); }

  /// The queue is not empty.
  TimedEvent pop() {
    const Key first = heap_.front(), moved = heap_.back();
    heap_.pop_back();
    if (heap_.empty())
      sequence_ = 0;
    else
      sift_down(moved);
    const auto slot = static_cast<std::uint64_t>(first) & (slots - 1);
    free_.push_back(static_cast<std::uint32_t>(slot));
    return {time_of(first), events_[slot]};
  }

 private:
  __extension__ typedef unsigned __int128 Key;

  static constexpr std::uint64_t slots = std::min(std::uint64_t{1} << SlotBits, std::uint64_t{1} << 32);
  static constexpr std::uint64_t sequences = std::uint64_t{1} << (64 - SlotBits);
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63; // flipped, so that negative times come first

  static Key key(Time time, std::uint64_t order) noexcept {
    return static_cast<Key>(static_cast<std::uint64_t>(time.picoseconds()) ^ sign) << 64 | order;
  }
  static Time time_of(Key key) noexcept {
    return Time{static_cast<std::int64_t>(static_cast<std::uint64_t>(key >> 64) ^ sign)};
  }

  std::uint64_t keep(Event event) {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      events_[slot] = event;
      return slot;
    }
    if (events_.size() == slots)
      throw Error{"more than " + std::to_string(events_.size()) + " events are pending, which this queue cannot hold"};
    events_.push_back(event);
    return events_.size() - 1;
  }

  void sift_up(std::size_t hole, Key key) {
    heap_.push_back(key);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / Arity;
      if (heap_[parent] < key) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = key;
  }

  void sift_down(Key moved) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t begin = hole * Arity + 1;
      if (begin >= size) break;
      std::size_t least = begin;
      Key least_key = heap_[begin];
      const auto look = [&](std::size_t child) {
        const Key key = heap_[child];
        const bool less = key < least_key;
        least = less ? child : least;
        least_key = less ? key : least_key;
      };
      if (begin + Arity <= size) // a loop of known length
        for (std::size_t i = 1; i < Arity; ++i)
          look(begin + i);
      else
        for (std::size_t child = begin + 1; child < size; ++child)
          look(child);
      if (moved < least_key) break;
      heap_[hole] = least_key;
      hole = least;
    }
    heap_[hole] = moved;
  }

  void renumber() {
    if (heap_.size() >= sequences)
      throw Error{"more than " + std::to_string(heap_.size()) + " events are pending, which this queue cannot number"};
    std::sort(heap_.begin(), heap_.end()); // sorted keys are a heap
    sequence_ = 0;
    for (Key& entry : heap_)
      entry = key(time_of(entry), sequence_++ << SlotBits | (static_cast<std::uint64_t>(entry) & (slots - 1)));
  }

  std::vector<Key> heap_;
  std::vector<Event> events_; // by slot
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
};

} // namespace triosim::engine
