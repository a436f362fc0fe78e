#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace triosim::chakra {

/// Bytes that only ever grow at the end, most of them small numbers: room is made once for each and not byte by byte,
/// which for traces of millions of nodes is what most of the time would go into.
class PackedBytes {
 public:
  PackedBytes() = default;
  PackedBytes(PackedBytes&& other) noexcept { swap(other); }
  PackedBytes& operator=(PackedBytes&& other) noexcept {
    PackedBytes{std::move(other)}.swap(*this);
    return *this;
  }
  PackedBytes(const PackedBytes& other) { append({other.data(), other.size()}); }
  PackedBytes& operator=(const PackedBytes& other) {
    PackedBytes{other}.swap(*this);
    return *this;
  }
  ~PackedBytes() = default;

  const char* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }

  /// A number in base 128, low digits first, as in protobuf.
  void put_varint(std::uint64_t number) {
    if (capacity_ - size_ < 10) grow(10);
    char* at = bytes_.get() + size_;
    for (; number >= 0x80; number >>= 7)
      *at++ = static_cast<char>(number | 0x80);
    *at++ = static_cast<char>(number);
    size_ = static_cast<std::size_t>(at - bytes_.get());
  }

  void append(std::string_view text) {
    if (capacity_ - size_ < text.size()) grow(text.size());
    if (!text.empty()) std::memcpy(bytes_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }

  void shrink_to_fit() {
    if (capacity_ != size_) move_to(size_);
  }

 private:
  void swap(PackedBytes& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  void grow(std::size_t more) { move_to(std::max(size_ + more, capacity_ * 2)); }

  void move_to(std::size_t capacity) {
    std::unique_ptr<char[]> bytes{new char[capacity]};
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace triosim::chakra
