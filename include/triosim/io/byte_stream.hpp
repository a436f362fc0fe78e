#pragma once

#include "triosim/io/file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace triosim::io {

/// A window that moves over an `InputFile`: what comes next can be looked at before it is taken. Memory is a chunk, or
/// the longest stretch that has been asked for at once; a length in the file that lies costs no more than the file.
/// Also a RapidJSON input stream (Peek, Take, Tell).
class ByteStream {
 public:
  using Ch = char;

  explicit ByteStream(InputFile file) : file_{std::move(file)}, buffer_{new char[chunk]}, capacity_{chunk} {}

  const std::string& name() const noexcept { return file_.name(); }
  bool is_gzip() const noexcept { return file_.is_gzip(); }
  /// How many bytes have been taken.
  std::size_t position() const noexcept { return base_ + begin_; }

  /// The next `count` bytes, or all that are left where there are fewer.
  std::string_view look(std::size_t count) {
    while (end_ - begin_ < count && !finished_)
      more(count);
    return {buffer_.get() + begin_, std::min(count, end_ - begin_)};
  }
  void take(std::size_t count) noexcept { begin_ += std::min(count, end_ - begin_); }
  bool at_end() { return begin_ == end_ && look(1).empty(); }

  char Peek() { return at_end() ? '\0' : buffer_[begin_]; }
  char Take() { return at_end() ? '\0' : buffer_[begin_++]; }
  std::size_t Tell() const noexcept { return position(); }
  char* PutBegin() noexcept { return nullptr; }
  void Put(char) noexcept {}
  void Flush() noexcept {}
  std::size_t PutEnd(char*) noexcept { return 0; }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 18;

  void more(std::size_t wanted) {
    if (begin_ != 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
      base_ += begin_;
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == capacity_) {
      // Doubling, and not what was asked for: a hostile length must not become an allocation.
      const std::size_t larger = std::min(std::max(wanted, 2 * chunk), 2 * capacity_);
      std::unique_ptr<char[]> bigger{new char[larger]};
      std::memcpy(bigger.get(), buffer_.get(), end_);
      buffer_ = std::move(bigger);
      capacity_ = larger;
    }
    const std::size_t got = file_.read(buffer_.get() + end_, capacity_ - end_);
    finished_ = got < capacity_ - end_;
    end_ += got;
  }

  InputFile file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t base_ = 0; // position of the buffer's first byte in the file
  bool finished_ = false;
};

} // namespace triosim::io
