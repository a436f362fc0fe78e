#pragma once

#include "triosim/task_graph/program.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace triosim::player {

/// Pairs receives with messages by (source, destination, tag), each side first in, first out.
class Matching {
 public:
  struct Key {
    std::uint32_t source, destination, tag;
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// A receive that waits, or a message that has arrived before anybody asked for it.
  struct Entry {
    TaskId task = 0;
    Bytes bytes;
  };

  /// A message arrived: the receive that waits for it, if any; otherwise the message is kept.
  std::optional<Entry> message(const Key& key, Entry entry) { return match(key, entry, Side::Message); }
  /// A receive is ready: the message that is here already, if any; otherwise the receive is kept.
  std::optional<Entry> receive(const Key& key, Entry entry) { return match(key, entry, Side::Receive); }

  /// The tags of messages from `source` to `destination` that nobody has asked for, in ascending order.
  std::vector<std::uint32_t> unclaimed(std::uint32_t source, std::uint32_t destination) const {
    std::vector<std::uint32_t> tags;
    for (const auto& [key, queue] : queues_)
      if (key.source == source && key.destination == destination && queue.side == Side::Message)
        tags.push_back(key.tag);
    std::sort(tags.begin(), tags.end());
    return tags;
  }

 private:
  enum class Side : std::uint8_t { Message, Receive };
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  // Only one side of a key can wait at a time.
  struct Queue {
    std::uint32_t first = none, last = none;
    Side side = Side::Message;
  };
  struct Node {
    Entry entry;
    std::uint32_t next = none;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t h = key.source * 0x9E3779B97F4A7C15ull;
      h = (h ^ (h >> 29)) + key.destination * 0xBF58476D1CE4E5B9ull;
      h = (h ^ (h >> 32)) + key.tag * 0x94D049BB133111EBull;
      return static_cast<std::size_t>(h ^ (h >> 31));
    }
  };

  std::optional<Entry> match(const Key& key, Entry entry, Side side) {
    const auto [found, fresh] = queues_.try_emplace(key);
    Queue& queue = found->second;
    if (fresh || queue.side == side) {
      std::uint32_t node = free_;
      if (node == none) {
        node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      } else {
        free_ = nodes_[node].next;
      }
      nodes_[node] = {entry, none};
      queue.side = side;
      (queue.first == none ? queue.first : nodes_[queue.last].next) = node;
      queue.last = node;
      return std::nullopt;
    }
    const std::uint32_t node = queue.first;
    const Entry first = nodes_[node].entry;
    if (node == queue.last)
      queues_.erase(found);
    else
      queue.first = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    return first;
  }

  std::unordered_map<Key, Queue, Hash> queues_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
};

} // namespace triosim::player
