#pragma once

#include "triosim/error.hpp"
#include "triosim/io/byte_stream.hpp"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triosim::chakra {

/// Messages one after the other, each after its length as a varint. The end of the file, or a length of zero, is the
/// end.
class MessageStream {
 public:
  explicit MessageStream(io::ByteStream& bytes) noexcept : bytes_{&bytes} {}

  /// Where the message that `next` has returned begins in the file.
  std::size_t position() const noexcept { return position_; }

  /// The view lives until the next call. Throws `TraceError` where the file ends inside a message.
  std::optional<std::string_view> next() {
    bytes_->take(taken_);
    taken_ = 0;
    const std::size_t start = bytes_->position();
    const std::string_view head = bytes_->look(10);
    if (head.empty()) return std::nullopt;
    std::uint64_t length = 0;
    std::size_t used = 0;
    for (;; ++used) {
      if (used == head.size()) throw problem(start, "the file ends inside the length of a message");
      const auto byte = static_cast<unsigned char>(head[used]);
      if (used == 9 && byte > 1) throw problem(start, "the length of a message is longer than 64 bits");
      length |= std::uint64_t{byte & 0x7fu} << (7 * used);
      if (byte < 0x80) break;
    }
    bytes_->take(used + 1);
    if (length == 0) return std::nullopt;
    position_ = bytes_->position();
    const std::string_view message = bytes_->look(length);
    if (message.size() < length)
      throw problem(start, "the file ends inside a message: expected " + std::to_string(length) + " bytes, found " +
                               std::to_string(message.size()));
    taken_ = message.size();
    return message;
  }

  TraceError problem(std::size_t byte, std::string_view text, std::string_view field = {}) const {
    return TraceError::at_byte(bytes_->name(), byte, std::string{field}, text);
  }

 private:
  io::ByteStream* bytes_;
  std::size_t position_ = 0;
  std::size_t taken_ = 0;
};

/// A field of a message that is not what its number promises. Readers turn it into a `TraceError`.
struct WireProblem {
  std::string field;
  std::string text;
};

[[noreturn]] inline void refuse_wire(protozero::pbf_wire_type found, protozero::pbf_wire_type expected,
                                     const char* field) {
  const auto spell = [](protozero::pbf_wire_type type) -> std::string {
    switch (type) {
    case protozero::pbf_wire_type::varint:
      return "a varint";
    case protozero::pbf_wire_type::fixed64:
      return "8 bytes";
    case protozero::pbf_wire_type::length_delimited:
      return "a length and bytes";
    case protozero::pbf_wire_type::fixed32:
      return "4 bytes";
    default:
      return "an unknown wire type";
    }
  };
  throw WireProblem{field, "found " + spell(found) + ", expected " + spell(expected)};
}

inline void expect_wire(const protozero::pbf_reader& message, protozero::pbf_wire_type expected, const char* field) {
  if (message.wire_type() != expected) refuse_wire(message.wire_type(), expected, field);
}

inline std::uint64_t get_varint(protozero::pbf_reader& message, const char* field) {
  expect_wire(message, protozero::pbf_wire_type::varint, field);
  return message.get_uint64();
}

inline std::string_view get_bytes(protozero::pbf_reader& message, const char* field) {
  expect_wire(message, protozero::pbf_wire_type::length_delimited, field);
  const protozero::data_view bytes = message.get_view();
  return {bytes.data(), bytes.size()};
}

/// One number of a repeated field, or several of them packed, appended to `out`.
template <class Vector>
void get_varints(protozero::pbf_reader& message, Vector& out, const char* field) {
  if (message.wire_type() == protozero::pbf_wire_type::varint) {
    out.push_back(message.get_uint64());
    return;
  }
  expect_wire(message, protozero::pbf_wire_type::length_delimited, field);
  const protozero::data_view packed = message.get_view();
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end)
    out.push_back(protozero::decode_varint(&at, end));
}

} // namespace triosim::chakra
