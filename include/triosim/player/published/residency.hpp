#pragma once

#include "triosim/player/published/tables.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/vocabulary.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace triosim::player::published {

/// What is in the memory of each device. A tensor is present as soon as room has been set aside for it, which
/// is before it has arrived. There is no write-back, and what is dropped may or may not be fetched again: that is for
/// the player to know.
///
/// Beside tensors, each device holds chunks of all-reduces: all of a reduced buffer's, under its first tensor's name,
/// until a new reduce of that name replaces them.
class Residency {
 public:
  using Status = trace::MemoryStatus;

  Residency() = default;
  /// `tensors[rank]` is how many tensors the rank knows.
  Residency(std::span<const std::uint32_t> tensors, std::uint64_t capacity)
      : capacity_{capacity}, entries_(tensors.size()), in_use_(tensors.size(), 0), peak_(tensors.size(), 0) {
    for (std::uint32_t rank = 0; rank < tensors.size(); ++rank)
      learn(rank, tensors[rank]);
  }

  /// The rank knows `tensors` tensors from now on.
  void learn(std::uint32_t rank, std::size_t tensors) { entries_[rank].resize(tensors); }

  /// Nothing is left on any device; the peaks are kept.
  void clear() {
    for (auto& entries : entries_)
      std::fill(entries.begin(), entries.end(), Entry{});
    std::fill(in_use_.begin(), in_use_.end(), 0);
    blocks_.clear();
  }

  bool present(std::uint32_t rank, TensorIndex tensor) const { return entries_[rank][tensor].state != absent; }
  std::uint64_t in_use(std::uint32_t rank) const { return in_use_[rank]; }
  std::uint64_t peak(std::uint32_t rank) const { return peak_[rank]; }
  std::uint64_t capacity() const noexcept { return capacity_; }

  /// Whether `need` more bytes fit; `evict()` is called once if they do not.
  template <class Evict>
  bool room(std::uint32_t rank, std::uint64_t need, Evict&& evict) {
    if (fits(rank, need)) return true;
    evict();
    return fits(rank, need);
  }

  /// Sets room aside for all of `uses` or for none. What has the status `skip` already stays as it is; what is present
  /// with another one is dropped first, and lost if there is no room after all.
  template <class Uses, class Evict>
  bool insert(std::uint32_t rank, const Uses& uses, Status status, Status skip, Evict&& evict) {
    collected_.clear();
    std::uint64_t need = 0;
    uses([&](const Use& use) {
      std::uint8_t& state = entries_[rank][use.tensor].state;
      if (state == code(skip)) return;
      if (state != absent) drop(rank, use.tensor);
      collected_.push_back(use);
      need += use.bytes;
    });
    if (!room(rank, need, evict)) return false;
    for (const Use& use : collected_)
      put(rank, use, status);
    note(rank);
    return true;
  }

  /// Bytes that were fetched are here. What has been dropped in the meantime is set up again if there is room, and is
  /// lost otherwise.
  template <class Evict>
  bool arrive(std::uint32_t rank, std::span<const Use> uses, Evict&& evict) {
    collected_.clear();
    std::uint64_t need = 0;
    for (const Use& use : uses) {
      std::uint8_t& state = entries_[rank][use.tensor].state;
      if (state != absent) {
        state = code(Status::ToBeUsed);
        continue;
      }
      collected_.push_back(use);
      need += use.bytes;
    }
    if (collected_.empty()) return true;
    if (!room(rank, need, evict)) return false;
    for (const Use& use : collected_)
      put(rank, use, Status::ToBeUsed);
    note(rank);
    return true;
  }

  /// Drops what has been used, but for `keep`.
  void drop_used(std::uint32_t rank, std::span<const Use> keep) {
    for_each(rank, [&](TensorIndex tensor, std::uint8_t state) {
      if (state == code(Status::Used) && !contains(keep, tensor)) drop(rank, tensor);
    });
  }
  /// Drops everything whatever its status, also chunks, but for `keep`.
  void drop_all(std::uint32_t rank, std::span<const Use> keep) {
    for_each(rank, [&](TensorIndex tensor, std::uint8_t) {
      if (!contains(keep, tensor)) drop(rank, tensor);
    });
    pieces_ = true;
    for (Block& block : blocks_) {
      in_use_[rank] -= block.held(rank);
      block.whole[rank] = false;
      block.pieces[rank].clear();
    }
  }

  /// A reduce begins: every device has all its chunks. All are of `size` bytes but the first, of `first_size`.
  void put_chunks(TensorIndex name, std::uint64_t size, std::uint64_t first_size, std::uint32_t chunks) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.name == name; });
    Block& block = found == blocks_.end() ? blocks_.emplace_back() : *found;
    const std::size_t ranks = in_use_.size();
    block.name = name;
    block.whole.resize(ranks, false);
    block.pieces.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      in_use_[rank] -= block.held(rank);
      block.whole[rank] = true;
      block.pieces[rank].clear();
    }
    block.size = size;
    block.first_size = first_size;
    block.chunks = chunks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      in_use_[rank] += block.held(rank);
      note(rank);
    }
  }
  /// One chunk has come in: counted unless it is there.
  void put_chunk(std::uint32_t rank, TensorIndex name, std::uint32_t chunk) {
    if (!pieces_) return;
    for (Block& block : blocks_) {
      if (block.name != name || block.whole[rank]) continue;
      auto& pieces = block.pieces[rank];
      if (std::find(pieces.begin(), pieces.end(), chunk) != pieces.end()) continue;
      pieces.push_back(chunk);
      in_use_[rank] += chunk == 0 ? block.first_size : block.size;
      note(rank);
    }
  }

 private:
  static constexpr std::uint8_t absent = 0;

  struct Entry {
    std::uint64_t bytes = 0; // of what is present
    std::uint8_t state = absent;
  };
  struct Block {
    TensorIndex name = 0;
    std::uint64_t size = 0, first_size = 0;
    std::uint32_t chunks = 0;
    std::vector<bool> whole;                        // of each rank: all of them are there
    std::vector<std::vector<std::uint32_t>> pieces; // of each rank: which are, if not all

    std::uint64_t held(std::uint32_t rank) const {
      if (whole[rank]) return chunks == 0 ? 0 : first_size + size * (chunks - 1);
      std::uint64_t sum = 0;
      for (const std::uint32_t chunk : pieces[rank])
        sum += chunk == 0 ? first_size : size;
      return sum;
    }
  };

  static constexpr std::uint8_t code(Status status) noexcept {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(status) + 1);
  }
  static bool contains(std::span<const Use> uses, TensorIndex tensor) {
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return use.tensor == tensor; });
  }

  bool fits(std::uint32_t rank, std::uint64_t need) const {
    return in_use_[rank] <= capacity_ && need <= capacity_ - in_use_[rank];
  }
  template <class Visit>
  void for_each(std::uint32_t rank, Visit&& visit) {
    for (TensorIndex tensor = 0; tensor < entries_[rank].size(); ++tensor)
      if (const std::uint8_t state = entries_[rank][tensor].state; state != absent) visit(tensor, state);
  }
  void drop(std::uint32_t rank, TensorIndex tensor) {
    Entry& entry = entries_[rank][tensor];
    in_use_[rank] -= entry.bytes;
    entry = {};
  }
  void put(std::uint32_t rank, const Use& use, Status status) {
    Entry& entry = entries_[rank][use.tensor];
    in_use_[rank] += use.bytes - entry.bytes;
    entry = {use.bytes, code(status)};
  }
  void note(std::uint32_t rank) { peak_[rank] = std::max(peak_[rank], in_use_[rank]); }

  std::uint64_t capacity_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::vector<Entry>> entries_; // [rank][tensor]
  std::vector<std::uint64_t> in_use_, peak_;
  std::vector<Block> blocks_;
  bool pieces_ = false; // a device may hold some of its chunks only
  std::vector<Use> collected_;
};

} // namespace triosim::player::published
