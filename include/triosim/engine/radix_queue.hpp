#pragma once

#include "triosim/engine/event.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::engine {

/// A monotone radix heap: no event may be pushed before the time reached last. Bucket b holds the events whose time
/// differs from that time in bit b-1 at the highest; bucket 0 those at that very time. Each event moves down
/// at most 63 times, in practice about log2 of the spread of the pending times, and events of one instant cost next to
/// nothing. First in, first out among equal times by construction: they always share a bucket, and buckets keep order.
/// (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", JACM 1990.)
class RadixQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// `time` is at or after the time reached last.
  void push(Time time, Event event) {
    const auto b = bucket_of(time);
    buckets_[b].push_back({time, event});
    occupied_ |= b == 0 ? 0 : std::uint64_t{1} << (b - 1);
    ++size_;
  }

  /// Whether an event of the instant `now` is left, where `now` is the time that `next_time` gave last (0 at first).
  bool pending_at(Time) const noexcept { return head_ < buckets_[0].size(); }

  /// Moves on to the next event and tells its time; nothing may be pushed before it from here on. The queue is not
  /// empty.
  Time next_time() {
    settle();
    return last_;
  }

  /// The queue is not empty.
  TimedEvent pop() {
    settle();
    const TimedEvent first = buckets_[0][head_++];
    --size_;
    return first;
  }

 private:
  std::size_t bucket_of(Time time) const noexcept {
    const auto difference =
        static_cast<std::uint64_t>(time.picoseconds()) ^ static_cast<std::uint64_t>(last_.picoseconds());
    return static_cast<std::size_t>(std::bit_width(difference));
  }

  // Makes bucket 0 hold the earliest events.
  void settle() {
    if (head_ < buckets_[0].size()) return;
    buckets_[0].clear();
    head_ = 0;
    const auto lowest = static_cast<std::size_t>(std::countr_zero(occupied_)) + 1;
    occupied_ &= occupied_ - 1;
    std::vector<TimedEvent>& source = buckets_[lowest];
    Time earliest = source.front().time;
    for (const TimedEvent& entry : source)
      earliest = entry.time < earliest ? entry.time : earliest;
    last_ = earliest;
    for (const TimedEvent& entry : source) {
      const auto b = bucket_of(entry.time);
      buckets_[b].push_back(entry);
      occupied_ |= b == 0 ? 0 : std::uint64_t{1} << (b - 1);
    }
    source.clear();
  }

  std::array<std::vector<TimedEvent>, 65> buckets_;
  std::uint64_t occupied_ = 0; // bit b-1: bucket b is not empty
  std::size_t head_ = 0;       // how much of bucket 0 has been popped
  std::size_t size_ = 0;
  Time last_;
};

} // namespace triosim::engine
