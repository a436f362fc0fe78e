#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace triosim::trace {

/// Gives equal texts the same dense number, in order of first appearance, and keeps one copy of each.
/// Views stay valid for the life of the pool, also when it is moved. One amortised hash look-up per call.
class StringPool {
 public:
  StringPool() = default;
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  std::uint32_t intern(std::string_view text) {
    if ((views_.size() + 1) * 2 > slots_.size()) grow();
    const std::uint32_t h = hash(text);
    Slot& slot = slots_[find_slot(text, h)];
    if (slot.number == 0) {
      views_.push_back(store(text));
      slot = {h, static_cast<std::uint32_t>(views_.size())};
    }
    return slot.number - 1;
  }

  std::optional<std::uint32_t> find(std::string_view text) const noexcept {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[find_slot(text, hash(text))];
    if (slot.number == 0) return std::nullopt;
    return slot.number - 1;
  }

  std::string_view operator[](std::uint32_t index) const noexcept { return views_[index]; }
  std::size_t size() const noexcept { return views_.size(); }

 private:
  static constexpr std::size_t chunk_size = 1 << 14;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0; // index + 1; 0 is free
  };

  // Eight bytes at a time, folded multiplications of the kind of wyhash. The order of bytes in a word changes the slots
  // only, never the numbers that are given out.
  static std::uint32_t hash(std::string_view text) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    std::uint64_t h = text.size() * odd;
    const char* p = text.data();
    std::size_t left = text.size();
    std::uint64_t word = 0;
    for (; left >= 8; left -= 8, p += 8) {
      std::memcpy(&word, p, 8);
      h = (h ^ word) * odd;
      h ^= h >> 29;
    }
    word = 0;
    if (left != 0) std::memcpy(&word, p, left);
    h = (h ^ word) * odd;
    return static_cast<std::uint32_t>(h >> 32);
  }

  std::size_t find_slot(std::string_view text, std::uint32_t h) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = h & mask;
    while (slots_[slot].number != 0 && (slots_[slot].hash != h || views_[slots_[slot].number - 1] != text))
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& moved : old) {
      if (moved.number == 0) continue;
      std::size_t slot = moved.hash & mask;
      while (slots_[slot].number != 0)
        slot = (slot + 1) & mask;
      slots_[slot] = moved;
    }
  }

  std::string_view store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) {
      const std::size_t size = text.size() > chunk_size ? text.size() : chunk_size;
      chunks_.push_back(std::make_unique<char[]>(size));
      next_ = chunks_.back().get();
      left_ = size;
    }
    std::memcpy(next_, text.data(), text.size());
    const std::string_view stored{next_, text.size()};
    next_ += text.size();
    left_ -= text.size();
    return stored;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::vector<std::string_view> views_;
  std::vector<Slot> slots_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

} // namespace triosim::trace
