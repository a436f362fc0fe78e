#pragma once

#include "triosim/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace triosim::io {

/// A file that is read once, front to back, in pieces. What is packed with gzip (one member or several) is unpacked on
/// the way, whatever the file is called; positions count unpacked bytes. Throws `TraceError` that names the file.
class InputFile {
 public:
  explicit InputFile(std::string path) : name_{std::move(path)} {
    std::error_code code;
    if (std::filesystem::is_directory(name_, code)) throw TraceError::in_file(name_, "is a directory, expected a file");
    file_.reset(std::fopen(name_.c_str(), "rb"));
    if (!file_) throw TraceError::in_file(name_, std::string{"cannot be opened: "} + std::strerror(errno));
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    start();
  }

  /// Bytes that are in memory already, under the name that errors shall show. `bytes` must outlive the reading.
  static InputFile from_memory(std::string name, std::string_view bytes) { return InputFile{std::move(name), bytes}; }

  const std::string& name() const noexcept { return name_; }
  bool is_gzip() const noexcept { return unpacker_ != nullptr; }

  /// Fills `to` with up to `count` bytes; fewer only at the end of the file, 0 when nothing is left.
  std::size_t read(char* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      const std::size_t got = unpacker_ ? read_packed(to + done, count - done) : read_plain(to + done, count - done);
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 18;

  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  struct EndInflate {
    void operator()(z_stream* stream) const noexcept {
      inflateEnd(stream);
      delete stream;
    }
  };

  InputFile(std::string name, std::string_view bytes) : name_{std::move(name)}, memory_{bytes} { start(); }

  void start() {
    if (file_) {
      buffer_ = std::make_unique<char[]>(chunk);
      refill();
    }
    const std::string_view magic{"\x1f\x8b", 2};
    if (memory_.substr(0, 2) != magic) return;
    unpacker_.reset(new z_stream{});
    if (inflateInit2(unpacker_.get(), 16 + MAX_WBITS) != Z_OK) {
      delete unpacker_.release();
      throw TraceError::in_file(name_, "is packed with gzip, and zlib cannot be started");
    }
  }

  /// The next piece of the file itself into `memory_`; false at its end.
  bool refill() {
    if (!file_) return false;
    memory_ = {buffer_.get(), fill(buffer_.get(), chunk)};
    return !memory_.empty();
  }

  std::size_t fill(char* to, std::size_t count) {
    const std::size_t got = std::fread(to, 1, count, file_.get());
    if (got == 0 && std::ferror(file_.get()))
      throw TraceError::in_file(name_, std::string{"cannot be read: "} + std::strerror(errno));
    return got;
  }

  std::size_t read_plain(char* to, std::size_t count) {
    if (memory_.empty() && file_ && count >= chunk) return fill(to, count);
    if (memory_.empty() && !refill()) return 0;
    const std::size_t got = std::min(count, memory_.size());
    std::memcpy(to, memory_.data(), got);
    memory_.remove_prefix(got);
    return got;
  }

  std::size_t read_packed(char* to, std::size_t count) {
    z_stream& z = *unpacker_;
    const std::size_t limit = std::min<std::size_t>(count, std::size_t{1} << 30);
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = static_cast<uInt>(limit);
    while (z.avail_out == limit) {
      if (memory_.empty() && !refill()) {
        if (between_members_) return 0;
        throw TraceError::in_file(name_, "the gzip stream ends too early, the file has been cut off");
      }
      if (between_members_) {
        // Padding with zeros after the last member is common on block devices and archives.
        memory_.remove_prefix(std::min(memory_.find_first_not_of('\0'), memory_.size()));
        if (memory_.empty()) continue;
        inflateReset(&z);
        between_members_ = false;
      }
      const std::size_t offered = std::min<std::size_t>(memory_.size(), std::size_t{1} << 30);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(memory_.data()));
      z.avail_in = static_cast<uInt>(offered);
      const int code = inflate(&z, Z_NO_FLUSH);
      memory_.remove_prefix(offered - z.avail_in);
      if (code == Z_STREAM_END)
        between_members_ = true;
      else if (code != Z_OK && code != Z_BUF_ERROR)
        throw TraceError::in_file(name_,
                                  std::string{"the gzip stream is damaged: "} + (z.msg ? z.msg : "unknown cause"));
    }
    return limit - z.avail_out;
  }

  std::string name_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::unique_ptr<char[]> buffer_;
  std::string_view memory_; // what has been taken from the file and not yet handed on
  std::unique_ptr<z_stream, EndInflate> unpacker_;
  bool between_members_ = false;
};

/// The whole file, unpacked when it is packed with gzip.
inline std::string read_file(const std::string& path) {
  InputFile file{path};
  std::string text;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  std::size_t step = code || size < 4096 ? 4096 : static_cast<std::size_t>(size) + 1;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + step);
    const std::size_t got = file.read(text.data() + before, step);
    text.resize(before + got);
    if (got < step) return text;
    step = std::max(step, text.size() / 2);
  }
}

/// A file that appears whole or not at all: it is written under another name in the same folder and takes its own name
/// with `commit()`. Without `commit()` nothing is left behind. A path that exists and is no regular file (a pipe,
/// /dev/stdout) is written to directly. Throws `Error` that names the file and the cause.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path) : path_{std::move(path)} {
    std::error_code code;
    const std::filesystem::file_status status = std::filesystem::status(path_, code);
    if (std::filesystem::is_directory(status)) throw Error{"cannot write " + path_.string() + ": it is a directory"};
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      temporary_ = path_;
    } else {
      // What a link points to is replaced, not the link.
      if (std::filesystem::is_symlink(std::filesystem::symlink_status(path_, code)))
        path_ = std::filesystem::weakly_canonical(path_, code);
      temporary_ = path_;
      temporary_ += suffix();
    }
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (!file_) fail(errno);
    std::setvbuf(file_, nullptr, _IONBF, 0);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { discard(); }

  /// Hands `bytes` to the system at once: collect small pieces before.
  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
  }

  void commit() {
    std::FILE* const file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) {
      const int cause = errno;
      remove();
      fail(cause);
    }
    if (temporary_ == path_) return;
    std::error_code code;
    std::filesystem::rename(temporary_, path_, code);
    if (code) {
      remove();
      throw Error{"cannot write " + path_.string() + ": " + code.message()};
    }
  }

 private:
  static std::string suffix() {
    static thread_local std::minstd_rand random{std::random_device{}()};
    return "." + std::to_string(random()) + ".part";
  }

  [[noreturn]] void fail(int cause) { throw Error{"cannot write " + path_.string() + ": " + std::strerror(cause)}; }

  void remove() noexcept {
    std::error_code code;
    if (temporary_ != path_) std::filesystem::remove(temporary_, code);
  }

  void discard() noexcept {
    if (!file_) return;
    std::fclose(std::exchange(file_, nullptr));
    remove();
  }

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes `bytes` as the whole of a file, through `AtomicFile`.
inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file{path};
  file.write(bytes);
  file.commit();
}

} // namespace triosim::io
