#pragma once

#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/io/json_text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// Appends one number of a value type: digits that read back as the same number. What JSON has no number for (infinite,
/// not a number) becomes a text.
inline void append_number(std::string& out, ValueType type, std::uint64_t bits) {
  const auto floating = [&](auto value) {
    if (!std::isfinite(value)) {
      out.append(std::isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"");
      return;
    }
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  };
  switch (type) {
  case ValueType::double_val:
  case ValueType::double_list:
    floating(std::bit_cast<double>(bits));
    break;
  case ValueType::float_val:
  case ValueType::float_list:
    floating(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    break;
  case ValueType::bool_val:
  case ValueType::bool_list:
    out.append(bits != 0 ? "true" : "false");
    break;
  case ValueType::uint32_val:
  case ValueType::uint32_list:
  case ValueType::uint64_val:
  case ValueType::uint64_list:
  case ValueType::fixed32_val:
  case ValueType::fixed32_list:
  case ValueType::fixed64_val:
  case ValueType::fixed64_list:
    io::append_decimal(out, bits);
    break;
  default:
    io::append_decimal(out, static_cast<std::int64_t>(bits));
    break;
  }
}

/// Appends the value of an attribute: a number, a text, or a list of them. Bytes that are no UTF-8, and lists that are
/// encoded in an unusual way, become `{"hex": "..."}`, which keeps them exactly.
inline void append_value(std::string& out, const Attribute& attribute) {
  const auto hex = [&] {
    static constexpr char digits[] = "0123456789abcdef";
    out.append("{\"hex\": \"");
    for (const char c : attribute.text) {
      const auto byte = static_cast<unsigned char>(c);
      out.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    out.append("\"}");
  };
  if (attribute.type == ValueType::none) {
    out.append("null");
  } else if (is_text(attribute.type)) {
    if (io::is_utf8(attribute.text))
      io::append_json_string(out, attribute.text);
    else
      hex();
  } else if (!is_list(attribute.type)) {
    append_number(out, attribute.type, attribute.bits);
  } else if (attribute.type == ValueType::string_list || attribute.type == ValueType::bytes_list) {
    std::string again;
    bool good = true;
    good = for_each_string(attribute.text,
                           [&](std::string_view text) {
                             append_string_list(again, text);
                             good = good && io::is_utf8(text);
                           }) &&
           good && again == attribute.text;
    if (!good) return hex();
    out.push_back('[');
    bool first = true;
    for_each_string(attribute.text, [&](std::string_view text) {
      if (!std::exchange(first, false)) out.append(", ");
      io::append_json_string(out, text);
    });
    out.push_back(']');
  } else {
    const std::optional<std::vector<std::uint64_t>> numbers = decode_numbers(attribute.type, attribute.text);
    if (!numbers || encode_numbers(attribute.type, *numbers) != attribute.text) return hex();
    out.push_back('[');
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      if (i != 0) out.append(", ");
      append_number(out, attribute.type, (*numbers)[i]);
    }
    out.push_back(']');
  }
}

/// Appends `"attr": [{"name": ..., "type": ..., "value": ...}, ...]`.
inline void append_attributes(std::string& out, std::span<const Attribute> attributes) {
  out.append("\"attr\": [");
  bool first = true;
  for (const Attribute& attribute : attributes) {
    if (attribute.name == y_tensor_size_name) continue;
    if (!std::exchange(first, false)) out.append(", ");
    out.append("{\"name\": ");
    io::append_json_string(out, attribute.name);
    out.append(", \"type\": \"").append(to_text(attribute.type)).append("\"");
    if (attribute.type != ValueType::none) {
      out.append(", \"value\": ");
      append_value(out, attribute);
    }
    if (!attribute.doc.empty()) {
      out.append(", \"doc\": ");
      io::append_json_string(out, attribute.doc);
    }
    out.push_back('}');
  }
  out.push_back(']');
}

} // namespace triosim::chakra
