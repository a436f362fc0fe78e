#pragma once

#include "triosim/engine/event.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::engine {

/// A monotone radix heap in base 64: no event may be pushed before the time reached last.
///
/// Times are numbers of eleven digits. An event is kept by the highest digit in which its time differs from the time
/// reached last, and by the value of that digit: the bucket to open next is the lowest digit that has any, and its
/// least value, which two bit masks tell. Opening a bucket moves on to its earliest time and puts its events by a lower
/// digit, so each event moves as often as its time has digits that differ, in practice two or three times.
///
/// First in, first out among equal times by construction: they always share a bucket, and buckets keep order.
/// (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", JACM 1990, has base 2, one
/// level, and the two-level buckets from which this follows.)
///
/// Cost: amortised O(digits that differ), no comparison of events. Memory is at most about twice what is pending,
/// beside the small buckets that are kept.
class RadixQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// `time` is at or after the time reached last.
  void push(Time time, Event event) {
    // A long run of events that bring forth others at their own instant must not keep those that are done.
    if (done_ > keep && done_ * 2 > due_.size()) forget_done();
    put({time, event});
    ++size_;
  }

  /// Whether an event of the instant `now` is left, where `now` is the time that `next_time` gave last (0 at first).
  bool pending_at(Time) const noexcept { return done_ < due_.size(); }

  /// Moves on to the next event and tells its time; nothing may be pushed before it from here on. The queue is not
  /// empty.
  Time next_time() {
    settle();
    return Time{static_cast<std::int64_t>(last_)};
  }

  /// The queue is not empty.
  TimedEvent pop() {
    settle();
    --size_;
    return due_[done_++];
  }

 private:
  static constexpr unsigned digit_bits = 6;
  static constexpr unsigned values = 1u << digit_bits;
  static constexpr unsigned digits = (64 + digit_bits - 1) / digit_bits;
  // Events of storage that an emptied bucket may keep.
  static constexpr std::size_t keep = 1024;

  static std::uint64_t number(const TimedEvent& entry) noexcept {
    return static_cast<std::uint64_t>(entry.time.picoseconds());
  }

  void put(const TimedEvent& entry) {
    const std::uint64_t time = number(entry), difference = time ^ last_;
    if (difference == 0) {
      due_.push_back(entry);
      return;
    }
    const unsigned digit = static_cast<unsigned>(std::bit_width(difference) - 1) / digit_bits;
    const unsigned value = static_cast<unsigned>(time >> (digit * digit_bits)) % values;
    buckets_[digit * values + value].push_back(entry);
    used_values_[digit] |= std::uint64_t{1} << value;
    used_digits_ |= 1u << digit;
  }

  // Makes `due_` hold the earliest events.
  void settle() {
    if (done_ < due_.size()) return;
    due_.clear();
    done_ = 0;
    const auto digit = static_cast<unsigned>(std::countr_zero(used_digits_));
    std::uint64_t& used = used_values_[digit];
    std::vector<TimedEvent>& bucket = buckets_[digit * values + static_cast<unsigned>(std::countr_zero(used))];
    used &= used - 1;
    if (used == 0) used_digits_ &= used_digits_ - 1;
    last_ = number(bucket.front());
    if (digit == 0) { // all at one time
      due_.swap(bucket);
      return;
    }
    for (const TimedEvent& entry : bucket)
      last_ = number(entry) < last_ ? number(entry) : last_;
    for (const TimedEvent& entry : bucket)
      put(entry);
    if (bucket.capacity() > keep)
      std::vector<TimedEvent>{}.swap(bucket);
    else
      bucket.clear();
  }

  void forget_done() {
    due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(done_));
    done_ = 0;
  }

  std::array<std::vector<TimedEvent>, std::size_t{digits} * values> buckets_;
  std::array<std::uint64_t, digits> used_values_{};
  std::uint32_t used_digits_ = 0;
  std::vector<TimedEvent> due_; // those at `last_`
  std::size_t done_ = 0;        // how many of these have been popped
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

} // namespace triosim::engine
