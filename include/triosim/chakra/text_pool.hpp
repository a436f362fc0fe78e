#pragma once

#include "triosim/chakra/packed_bytes.hpp"
#include "triosim/error.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Texts of a trace, equal ones once. A reference is the place of the text in one array, 0 for the empty one, so a text
/// costs its bytes and a length, and what is seen early (and then often) has small references. Unlike
/// `trace::StringPool` it needs no table of views and can forget its hash table: a trace has millions of texts.
class TextPool {
 public:
  using Ref = std::uint32_t;

  TextPool() { bytes_.put_varint(0); }

  /// Throws `Error` where more than 4 GiB of different texts come together.
  Ref intern(std::string_view text) {
    if (text.empty()) return 0;
    if (recent_.empty()) recent_.resize(recent_size);
    const std::uint32_t hashed = hash(text);
    // Most texts were used a moment ago; the large table is out of the cache by then, a small one is not.
    Slot& recent = recent_[hashed % recent_size];
    if (recent.ref != 0 && recent.hash == hashed && holds(recent.ref, text)) return recent.ref;
    if ((count_ + 1) * 8 > slots_.size() * 5) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hashed & mask;
    while (slots_[slot].ref != 0) {
      if (slots_[slot].hash == hashed && holds(slots_[slot].ref, text)) {
        recent = slots_[slot];
        return recent.ref;
      }
      slot = (slot + 1) & mask;
    }
    recent = slots_[slot] = {hashed, store(text)};
    ++count_;
    return recent.ref;
  }

  /// Whether a text is the one with this reference.
  bool holds(Ref ref, std::string_view text) const noexcept {
    const std::string_view held = (*this)[ref];
    return held.size() == text.size() && std::memcmp(held.data(), text.data(), text.size()) == 0;
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
    recent_ = {};
    count_ = 0;
    bytes_.shrink_to_fit();
  }

  std::size_t memory() const noexcept {
    return bytes_.capacity() + (slots_.capacity() + recent_.capacity()) * sizeof(Slot);
  }

 private:
  static constexpr std::size_t recent_size = std::size_t{1} << 13;

  struct Slot {
    std::uint32_t hash = 0;
    Ref ref = 0; // 0: free
  };

  // Eight bytes a step, one multiplication each; the table needs speed and spread, not secrecy. The low bits of a
  // product depend on few bits of its factors, so the high ones are what is used.
  static std::uint32_t hash(std::string_view text) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    const char* at = text.data();
    const std::size_t size = text.size();
    const auto load = [](const char* from, std::size_t count) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, count);
      return word;
    };
    std::uint64_t h = size * odd;
    if (size >= 8) {
      // The last step overlaps the one before it, which is cheaper than a copy of odd length.
      const char* const last = at + size - 8;
      for (; at < last; at += 8)
        h = (std::rotl(h, 23) ^ load(at, 8)) * odd;
      h = (std::rotl(h, 23) ^ load(last, 8)) * odd;
    } else if (size >= 4) {
      h = (h ^ load(at, 4) ^ load(at + size - 4, 4) << 32) * odd;
    } else {
      for (std::size_t i = 0; i < size; ++i)
        h = (std::rotl(h, 8) ^ static_cast<unsigned char>(at[i])) * odd;
    }
    h ^= h >> 32;
    h *= 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(h >> 32);
  }

  Ref store(std::string_view text) {
    if (bytes_.size() + text.size() > 0xffff'fff0U - 10)
      throw Error{"the trace has more than 4 GiB of different texts"};
    const auto ref = static_cast<Ref>(bytes_.size());
    bytes_.put_varint(text.size());
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

  PackedBytes bytes_;
  std::vector<Slot> slots_;
  std::vector<Slot> recent_; // by the low bits of the hash
  std::size_t count_ = 0;
};

} // namespace triosim::chakra
