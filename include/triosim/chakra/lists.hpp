#pragma once

#include "triosim/chakra/model.hpp"

#include <protozero/buffer_string.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Appends one text to the encoded form of a string_list (or bytes_list) attribute.
inline void append_string_list(std::string& encoded, std::string_view text) {
  encoded.push_back('\x0a');
  protozero::add_varint_to_buffer(&encoded, text.size());
  encoded.append(text);
}

/// Calls `use(std::string_view)` for each text of an encoded string_list. False where the bytes are not such a list;
/// the texts before the damage have been used then.
template <class Use>
bool for_each_string(std::string_view encoded, Use&& use) {
  try {
    protozero::pbf_reader list{encoded.data(), encoded.size()};
    while (list.next()) {
      if (list.tag() == 1 && list.wire_type() == protozero::pbf_wire_type::length_delimited) {
        const protozero::data_view text = list.get_view();
        use(std::string_view{text.data(), text.size()});
      } else {
        list.skip();
      }
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

namespace lists_detail {

/// How one number of a list is laid out: as a varint, a zigzag varint, or in 4 or 8 bytes.
enum class Layout : std::uint8_t { varint, zigzag, four, eight };

constexpr Layout layout(ValueType type) noexcept {
  switch (type) {
  case ValueType::sint32_list:
  case ValueType::sint64_list:
    return Layout::zigzag;
  case ValueType::float_list:
  case ValueType::fixed32_list:
  case ValueType::sfixed32_list:
    return Layout::four;
  case ValueType::double_list:
  case ValueType::fixed64_list:
  case ValueType::sfixed64_list:
    return Layout::eight;
  default:
    return Layout::varint;
  }
}

} // namespace lists_detail

/// The encoded form of a list of numbers (any list type but strings and bytes), from the bits of `Attribute::bits`.
inline std::string encode_numbers(ValueType type, std::span<const std::uint64_t> numbers) {
  using lists_detail::Layout;
  const Layout layout = lists_detail::layout(type);
  std::string packed;
  for (const std::uint64_t bits : numbers) {
    if (layout == Layout::varint || layout == Layout::zigzag) {
      protozero::add_varint_to_buffer(
          &packed, layout == Layout::zigzag ? protozero::encode_zigzag64(static_cast<std::int64_t>(bits)) : bits);
    } else {
      for (int byte = 0; byte < (layout == Layout::four ? 4 : 8); ++byte)
        packed.push_back(static_cast<char>(bits >> (8 * byte)));
    }
  }
  if (packed.empty()) return packed;
  std::string encoded{'\x0a'};
  protozero::add_varint_to_buffer(&encoded, packed.size());
  return encoded.append(packed);
}

/// The numbers of an encoded list, packed or not; none where the bytes are not such a list.
inline std::optional<std::vector<std::uint64_t>> decode_numbers(ValueType type, std::string_view encoded) {
  using lists_detail::Layout;
  const Layout layout = lists_detail::layout(type);
  const bool narrow_signed = type == ValueType::sfixed32_list;
  std::vector<std::uint64_t> numbers;
  const auto one = [&](const char*& at, const char* end) {
    if (layout == Layout::varint || layout == Layout::zigzag) {
      const std::uint64_t raw = protozero::decode_varint(&at, end);
      return layout == Layout::zigzag ? static_cast<std::uint64_t>(protozero::decode_zigzag64(raw)) : raw;
    }
    const int width = layout == Layout::four ? 4 : 8;
    if (end - at < width) throw protozero::end_of_buffer_exception{};
    std::uint64_t bits = 0;
    for (int byte = 0; byte < width; ++byte)
      bits |= std::uint64_t{static_cast<unsigned char>(*at++)} << (8 * byte);
    if (narrow_signed) bits = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)});
    return bits;
  };
  try {
    protozero::pbf_reader list{encoded.data(), encoded.size()};
    while (list.next(1)) {
      const protozero::pbf_wire_type wire = list.wire_type();
      protozero::data_view bytes{};
      if (wire == protozero::pbf_wire_type::length_delimited) {
        bytes = list.get_view();
      } else {
        // A number on its own: the bytes between here and the next field.
        const char* const start = list.data().data();
        list.skip();
        bytes = {start, static_cast<std::size_t>(list.data().data() - start)};
      }
      const char* at = bytes.data();
      const char* const end = at + bytes.size();
      while (at < end)
        numbers.push_back(one(at, end));
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return numbers;
}

/// A count as the published generator prints a floating-point one: the shortest digits that read back as the same
/// double, always with a fraction or an exponent ("65536.0", "0.5", "1e+16"), which is how Python shows a float.
inline std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const double magnitude = std::fabs(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    return {buffer, end};
  }
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string text{buffer, end};
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

} // namespace triosim::chakra
