#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::net {

/// A 4-ary heap of small numbers, each with a key that may change: smallest key on top. O(log size) for each change,
/// O(1) when a key moves little.
template <class Key>
class IndexedHeap {
 public:
  struct Entry {
    Key key;
    std::uint32_t id;
  };

  bool empty() const noexcept { return entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  bool contains(std::uint32_t id) const noexcept { return id < place_.size() && place_[id] != none; }
  /// The heap is not empty.
  const Entry& top() const { return entries_.front(); }
  /// `id` is in the heap.
  const Key& key(std::uint32_t id) const { return entries_[place_[id]].key; }

  /// Puts `id` in, or changes its key.
  void set(std::uint32_t id, const Key& key) {
    if (id >= place_.size()) place_.resize(id + std::size_t{1}, none);
    std::uint32_t at = place_[id];
    if (at == none) {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({key, id});
      rise(at, {key, id});
    } else if (key < entries_[at].key) {
      rise(at, {key, id});
    } else {
      sink(at, {key, id});
    }
  }

  void erase(std::uint32_t id) {
    if (!contains(id)) return;
    const std::uint32_t at = place_[id];
    place_[id] = none;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    if (last.key < entries_[at].key) {
      rise(at, last);
    } else {
      sink(at, last);
    }
  }

  /// The heap is not empty.
  Entry pop() {
    const Entry first = entries_.front();
    place_[first.id] = none;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(0, last);
    return first;
  }

  void clear() {
    for (const Entry& entry : entries_)
      place_[entry.id] = none;
    entries_.clear();
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::size_t arity = 4;

  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    place_[entry.id] = static_cast<std::uint32_t>(at);
  }

  void rise(std::size_t hole, const Entry entry) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / arity;
      if (!(entry.key < entries_[parent].key)) break;
      put(hole, entries_[parent]);
      hole = parent;
    }
    put(hole, entry);
  }

  void sink(std::size_t hole, const Entry entry) {
    const std::size_t size = entries_.size();
    for (;;) {
      const std::size_t begin = hole * arity + 1;
      if (begin >= size) break;
      const std::size_t end = std::min(begin + arity, size);
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child)
        least = entries_[child].key < entries_[least].key ? child : least;
      if (!(entries_[least].key < entry.key)) break;
      put(hole, entries_[least]);
      hole = least;
    }
    put(hole, entry);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> place_; // of each id in entries_
};

} // namespace triosim::net
