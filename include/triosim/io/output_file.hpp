#pragma once

#include "triosim/error.hpp"
#include "triosim/io/file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace triosim::io {

/// A file that is written front to back in pieces of any size, packed with gzip if its name ends in ".gz", and that
/// appears whole, with `commit()`, or not at all (see AtomicFile). Throws `Error` that names the file and the cause.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path)
      : file_{path}, packed_{path.extension() == ".gz"}, buffer_{std::make_unique<char[]>(chunk)} {
    if (!packed_) return;
    packer_.reset(new z_stream{});
    // 16 asks for gzip's frame, without a time: the same input gives the same bytes.
    if (deflateInit2(packer_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error{"cannot write " + path.string() + ": zlib cannot be started"};
  }

  void write(std::string_view bytes) {
    if (packed_)
      pack(bytes, Z_NO_FLUSH);
    else
      copy(bytes);
  }

  void commit() {
    if (packed_) pack({}, Z_FINISH);
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 16;

  struct EndDeflate {
    void operator()(z_stream* stream) const noexcept {
      deflateEnd(stream);
      delete stream;
    }
  };

  void copy(std::string_view bytes) {
    if (bytes.size() > chunk - used_) flush();
    if (bytes.size() > chunk) {
      file_.write(bytes);
      return;
    }
    std::copy(bytes.begin(), bytes.end(), buffer_.get() + used_);
    used_ += bytes.size();
  }

  void pack(std::string_view bytes, int mode) {
    z_stream& z = *packer_;
    do {
      const std::size_t offered = std::min(bytes.size(), std::size_t{1} << 30);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      z.avail_in = static_cast<uInt>(offered);
      int code = Z_OK;
      do {
        if (used_ == chunk) flush();
        z.next_out = reinterpret_cast<Bytef*>(buffer_.get() + used_);
        z.avail_out = static_cast<uInt>(chunk - used_);
        code = deflate(&z, mode);
        used_ = chunk - z.avail_out;
      } while (z.avail_in > 0 || (mode == Z_FINISH && code != Z_STREAM_END));
      bytes.remove_prefix(offered);
    } while (!bytes.empty());
  }

  void flush() {
    if (used_ > 0) file_.write({buffer_.get(), std::exchange(used_, std::size_t{0})});
  }

  AtomicFile file_;
  bool packed_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::unique_ptr<z_stream, EndDeflate> packer_;
};

} // namespace triosim::io
