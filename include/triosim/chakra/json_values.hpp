#pragma once

#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/wire.hpp"
#include "triosim/io/json_file.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Values of JSON nodes with what is expected of them; a value that does not fit throws `WireProblem`.
namespace json_values {

using io::JsonValue;

[[noreturn]] inline void refuse(std::string_view key, const JsonValue& value, std::string_view expected) {
  std::string found = value.IsNull()     ? "null"
                      : value.IsBool()   ? (value.GetBool() ? "true" : "false")
                      : value.IsArray()  ? "a list"
                      : value.IsObject() ? "an object"
                                         : "\"" + std::string{io::JsonFile::text(value).substr(0, 40)} + "\"";
  throw WireProblem{std::string{key}, "found " + found + ", expected " + std::string{expected}};
}

/// An integer of up to 64 bits, signed or not, as the bits of `Attribute::bits`. Digits with a fraction of zero will
/// do, as will true and false.
inline std::uint64_t integer(const JsonValue& value, std::string_view key) {
  if (value.IsBool()) return value.GetBool() ? 1 : 0;
  const std::string_view text = io::JsonFile::text(value);
  const char* const end = text.data() + text.size();
  if (!text.empty() && text[0] == '-') {
    std::int64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), end, number);
    if (code == std::errc{} && stop == end) return static_cast<std::uint64_t>(number);
  } else {
    std::uint64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), end, number);
    if (code == std::errc{} && stop == end) return number;
  }
  double number = 0;
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || stop != end || text.empty() || !(number > -0x1p63 && number < 0x1p64) ||
      number != static_cast<double>(number < 0 ? static_cast<double>(static_cast<std::int64_t>(number))
                                               : static_cast<double>(static_cast<std::uint64_t>(number))))
    refuse(key, value, "an integer");
  return number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                    : static_cast<std::uint64_t>(number);
}

/// An integer from 0.
inline std::uint64_t natural(const JsonValue& value, std::string_view key) {
  const std::string_view text = io::JsonFile::text(value);
  if (!text.empty() && text[0] == '-') refuse(key, value, "an integer from 0");
  return integer(value, key);
}

inline std::string_view text(const JsonValue& value, std::string_view key) {
  if (!value.IsString()) refuse(key, value, "a text");
  return io::JsonFile::text(value);
}

inline void naturals(const JsonValue& value, std::string_view key, std::vector<std::uint64_t>& out) {
  if (!value.IsArray()) refuse(key, value, "a list of integers");
  for (const JsonValue& element : value.GetArray())
    out.push_back(natural(element, key));
}

/// Calls `use(std::string_view key, const JsonValue&)` for each member. (RapidJSON's iterators have no `!=` that C++20
/// finds unambiguous.)
template <class Use>
void members(const JsonValue& object, std::string_view key, Use&& use) {
  if (!object.IsObject()) refuse(key, object, "an object");
  const auto begin = object.MemberBegin();
  for (rapidjson::SizeType i = 0; i < object.MemberCount(); ++i) {
    const auto& member = *(begin + static_cast<std::ptrdiff_t>(i));
    use(io::JsonFile::text(member.name), member.value);
  }
}

/// Bytes as `append_value` writes those that are no text: {"hex": "0a41"}.
inline std::optional<std::string> hex(const JsonValue& value) {
  if (!value.IsObject() || value.MemberCount() != 1) return std::nullopt;
  const auto& member = *value.MemberBegin();
  const std::string_view digits = io::JsonFile::text(member.value);
  if (io::JsonFile::text(member.name) != "hex" || digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    const auto [stop, code] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (code != std::errc{} || stop != digits.data() + i + 2) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

/// A number of the given type (or of the list of it), as the bits of `Attribute::bits`.
inline std::uint64_t number(const JsonValue& value, ValueType type, std::string_view key) {
  const auto floating = [&](auto result) {
    const std::string_view text = io::JsonFile::text(value);
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (code != std::errc{} || stop != text.data() + text.size()) refuse(key, value, "a number");
    return result;
  };
  const auto within = [&](std::int64_t low, std::int64_t high, const char* expected) {
    const auto bits = static_cast<std::int64_t>(integer(value, key));
    if (bits < low || bits > high) refuse(key, value, expected);
    return static_cast<std::uint64_t>(bits);
  };
  switch (type) {
  case ValueType::double_val:
  case ValueType::double_list:
    return std::bit_cast<std::uint64_t>(floating(0.0));
  case ValueType::float_val:
  case ValueType::float_list:
    return std::bit_cast<std::uint32_t>(floating(0.0f));
  case ValueType::int32_val:
  case ValueType::int32_list:
  case ValueType::sint32_val:
  case ValueType::sint32_list:
  case ValueType::sfixed32_val:
  case ValueType::sfixed32_list:
    return within(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(),
                  "an integer of 32 bits");
  case ValueType::uint32_val:
  case ValueType::uint32_list:
  case ValueType::fixed32_val:
  case ValueType::fixed32_list:
    return within(0, std::numeric_limits<std::uint32_t>::max(), "an integer from 0 of 32 bits");
  case ValueType::bool_val:
  case ValueType::bool_list:
    return within(0, 1, "true or false");
  case ValueType::uint64_val:
  case ValueType::uint64_list:
  case ValueType::fixed64_val:
  case ValueType::fixed64_list:
    return natural(value, key);
  default:
    return integer(value, key);
  }
}

/// Sets the value of an attribute of a given type from JSON; what it refers to goes into `keep`.
inline void set_value(Attribute& attribute, const JsonValue& value, std::string& keep) {
  const std::string_view key = "value of an attribute";
  if (attribute.type == ValueType::none) return;
  if (!is_text(attribute.type) && !is_list(attribute.type)) {
    attribute.bits = number(value, attribute.type, key);
    return;
  }
  keep.clear();
  if (std::optional<std::string> bytes = hex(value)) {
    keep = std::move(*bytes);
  } else if (is_text(attribute.type)) {
    keep = text(value, key);
  } else if (!value.IsArray()) {
    refuse(key, value, "a list");
  } else if (attribute.type == ValueType::string_list || attribute.type == ValueType::bytes_list) {
    for (const JsonValue& element : value.GetArray())
      append_string_list(keep, text(element, key));
  } else {
    std::vector<std::uint64_t> numbers;
    for (const JsonValue& element : value.GetArray())
      numbers.push_back(number(element, attribute.type, key));
    keep = encode_numbers(attribute.type, numbers);
  }
  attribute.text = keep;
}

} // namespace json_values

} // namespace triosim::chakra
