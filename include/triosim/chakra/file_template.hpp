#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/format_encoder.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/error.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_text.hpp"

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// The file of many ranks that do the same thing: every node is encoded once, and writing the file of one rank copies
/// the bytes and fills in what differs (`Attribute::per_rank`): groups and peers.
///
/// Cost of `render`: one copy of the file's bytes plus a few nanoseconds for each node with a hole; no allocation once
/// the buffer has grown. Rendering is const, so threads may share a template.
class FileTemplate {
 public:
  FileTemplate(Format format, const HeaderView& header) : encoder_{format} { encoder_.begin(bytes_, header); }

  void add(const NodeView& node) {
    encoder_.node(node_, node);
    if (encoder_.has_lengths()) {
      if (node_.holes.empty()) {
        protozero::add_varint_to_buffer(&bytes_, node_.bytes.size());
      } else {
        cut(length_mark);
        lengths_.push_back({node_.bytes.size(), static_cast<std::uint32_t>(node_.holes.size())});
      }
    } else if (nodes_ != 0) {
      bytes_.append(encoder_.separator());
    }
    std::size_t copied = 0;
    for (auto& [position, hole] : node_.holes) {
      bytes_.append(node_.bytes, copied, position - copied);
      copied = position;
      slots_ = std::max<std::size_t>(slots_, std::size_t{hole.slot} + 1);
      cut(index_of(hole));
    }
    bytes_.append(node_.bytes, copied);
    ++nodes_;
  }

  /// How many values a rank must bring.
  std::size_t slots() const noexcept { return slots_; }
  std::uint64_t nodes() const noexcept { return nodes_; }
  const Losses& losses() const noexcept { return encoder_.losses(); }

  /// The file of a rank, handed to `sink(std::string_view)` in pieces of some 256 KiB. `buffer` is scratch memory.
  template <class Sink>
  void render(std::span<const std::uint32_t> values, std::string& buffer, Sink&& sink) const {
    if (values.size() < slots_)
      throw Error{"a Chakra file template needs " + std::to_string(slots_) + " values for a rank, got " +
                  std::to_string(values.size())};
    std::vector<std::string> filled(holes_.size());
    for (std::size_t i = 0; i < holes_.size(); ++i)
      fill(filled[i], holes_[i], values[holes_[i].slot]);
    buffer.clear();
    const auto copy = [&](std::size_t from, std::size_t to) {
      while (from < to) {
        const std::size_t some = std::min(to - from, piece_size);
        buffer.append(bytes_, from, some);
        from += some;
        if (buffer.size() < piece_size) continue;
        sink(std::string_view{buffer});
        buffer.clear();
      }
    };
    std::size_t done = 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      copy(done, cuts_[i].position);
      done = cuts_[i].position;
      if (cuts_[i].hole != length_mark) {
        buffer.append(filled[cuts_[i].hole]);
        continue;
      }
      std::size_t bytes = lengths_[length].fixed;
      for (std::size_t k = 1; k <= lengths_[length].holes; ++k)
        bytes += filled[cuts_[i + k].hole].size();
      ++length;
      protozero::add_varint_to_buffer(&buffer, bytes);
    }
    copy(done, bytes_.size());
    buffer.append(encoder_.end());
    if (!buffer.empty()) sink(std::string_view{buffer});
  }

  std::string render(std::span<const std::uint32_t> values) const {
    std::string whole;
    std::string buffer;
    render(values, buffer, [&](std::string_view piece) { whole.append(piece); });
    return whole;
  }

  /// Writes the file of a rank. Throws `Error` where that is not possible; then no file is left.
  void write(const std::filesystem::path& path, std::span<const std::uint32_t> values, std::string& buffer) const {
    io::AtomicFile file{path};
    render(values, buffer, [&](std::string_view piece) { file.write(piece); });
    file.commit();
  }

 private:
  static constexpr std::uint32_t length_mark = static_cast<std::uint32_t>(-1);
  static constexpr std::size_t piece_size = std::size_t{1} << 18;

  struct Cut {
    std::size_t position; ///< in `bytes_`
    std::uint32_t hole;   ///< what goes here: a hole, or the length of the node
  };
  struct Length {
    std::size_t fixed;
    std::uint32_t holes;
  };

  void cut(std::uint32_t hole) { cuts_.push_back({bytes_.size(), hole}); }

  std::uint32_t index_of(const Hole& hole) {
    const auto found = std::find(holes_.begin(), holes_.end(), hole);
    if (found != holes_.end()) return static_cast<std::uint32_t>(found - holes_.begin());
    holes_.push_back(hole);
    return static_cast<std::uint32_t>(holes_.size() - 1);
  }

  static void fill(std::string& out, const Hole& hole, std::uint32_t value) {
    switch (hole.spelling) {
    case Hole::Spelling::decimal:
      io::append_decimal(out, value);
      break;
    case Hole::Spelling::v001_uint32:
      protozero::pbf_writer{out}.add_uint32(hole.field, value);
      break;
    case Hole::Spelling::v004_int32: {
      protozero::pbf_writer message{out};
      V004Encoder::encode(message, hole.field, Attribute::int32(hole.name, static_cast<std::int32_t>(value)));
      break;
    }
    case Hole::Spelling::v004_string: {
      const std::string digits = std::to_string(value);
      protozero::pbf_writer message{out};
      V004Encoder::encode(message, hole.field, Attribute::string(hole.name, digits));
      break;
    }
    }
  }

  FormatEncoder encoder_;
  EncodedNode node_;
  std::string bytes_;
  std::vector<Cut> cuts_;
  std::vector<Length> lengths_;
  std::vector<Hole> holes_;
  std::size_t slots_ = 0;
  std::uint64_t nodes_ = 0;
};

} // namespace triosim::chakra
