#pragma once

#include "triosim/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Texts of a trace, equal ones once. A reference is the place of the text in one array, 0 for the empty one, so a text
/// costs its bytes and a length, and what is seen early (and then often) has small references. Unlike
/// `trace::StringPool` it needs no table of views and can forget its hash table: a trace has millions of texts.
class TextPool {
 public:
  using Ref = std::uint32_t;

  /// Throws `Error` where more than 4 GiB of different texts come together.
  Ref intern(std::string_view text) {
    if (text.empty()) return 0;
    if ((count_ + 1) * 8 > slots_.size() * 5) grow();
    const std::uint32_t hashed = hash(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hashed & mask;
    while (slots_[slot].ref != 0) {
      if (slots_[slot].hash == hashed && (*this)[slots_[slot].ref] == text) return slots_[slot].ref;
      slot = (slot + 1) & mask;
    }
    slots_[slot] = {hashed, store(text)};
    ++count_;
    return slots_[slot].ref;
  }

  std::string_view operator[](Ref ref) const noexcept {
    const char* at = bytes_.data() + ref;
    std::size_t size = static_cast<unsigned char>(*at++);
    if (size >= 0x80) {
      size &= 0x7f;
      for (int shift = 7;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*at++);
        size |= std::size_t{byte & 0x7fu} << shift;
        if (byte < 0x80) break;
      }
    }
    return {at, size};
  }

  /// Nothing more will come: gives back what only `intern` needs.
  void freeze() {
    slots_ = {};
    count_ = 0;
    bytes_.shrink_to_fit();
  }

  std::size_t memory() const noexcept { return bytes_.capacity() + slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    Ref ref = 0; // 0: free
  };

  // Eight bytes a step, folded by a multiplication; the table needs speed and spread, not secrecy.
  static std::uint32_t hash(std::string_view text) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    std::uint64_t h = text.size() * odd;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      h = mix(h ^ word);
    }
    std::uint64_t word = 0;
    if (left != 0) std::memcpy(&word, at, left);
    return static_cast<std::uint32_t>(mix(h ^ word ^ odd));
  }
  static std::uint64_t mix(std::uint64_t h) noexcept {
    h *= 0xbf58476d1ce4e5b9U;
    h ^= h >> 32;
    h *= 0x94d049bb133111ebU;
    return h ^ (h >> 29);
  }

  Ref store(std::string_view text) {
    if (bytes_.size() + text.size() > 0xffff'fff0U - 10)
      throw Error{"the trace has more than 4 GiB of different texts"};
    const auto ref = static_cast<Ref>(bytes_.size());
    std::size_t size = text.size();
    for (; size >= 0x80; size >>= 7)
      bytes_.push_back(static_cast<char>((size & 0x7f) | 0x80));
    bytes_.push_back(static_cast<char>(size));
    bytes_.append(text);
    return ref;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 256 : slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& taken : old) {
      if (taken.ref == 0) continue;
      std::size_t slot = taken.hash & mask;
      while (slots_[slot].ref != 0)
        slot = (slot + 1) & mask;
      slots_[slot] = taken;
    }
  }

  std::string bytes_ = std::string(1, '\0'); // the empty text at 0
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

} // namespace triosim::chakra
