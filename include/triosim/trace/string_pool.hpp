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
    std::size_t slot = find_slot(text);
    if (slots_[slot] == 0) {
      views_.push_back(store(text));
      slots_[slot] = static_cast<std::uint32_t>(views_.size());
    }
    return slots_[slot] - 1;
  }

  std::optional<std::uint32_t> find(std::string_view text) const noexcept {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t found = slots_[find_slot(text)];
    if (found == 0) return std::nullopt;
    return found - 1;
  }

  std::string_view operator[](std::uint32_t index) const noexcept { return views_[index]; }
  std::size_t size() const noexcept { return views_.size(); }

 private:
  static constexpr std::size_t chunk_size = 1 << 14;

  // FNV-1a with a final mix, as the low bits choose the slot.
  static std::size_t hash(std::string_view text) noexcept {
    std::uint64_t h = 0xcbf29ce484222325U;
    for (const char c : text)
      h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }

  std::size_t find_slot(std::string_view text) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(text) & mask;
    while (slots_[slot] != 0 && views_[slots_[slot] - 1] != text)
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
    for (std::size_t i = 0; i < views_.size(); ++i)
      slots_[find_slot(views_[i])] = static_cast<std::uint32_t>(i + 1);
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
  std::vector<std::uint32_t> slots_; // index + 1; 0 is free
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

} // namespace triosim::trace
