#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace triosim::io {

namespace json_text_detail {

/// Length of the UTF-8 sequence at the start of `text`; 0 where it is not one (overlong, surrogate, cut off, too
/// large).
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  if (length < 3) return length;
  const unsigned second = at(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
      (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

} // namespace json_text_detail

/// Whether `text` is UTF-8 throughout.
inline bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = json_text_detail::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Appends `text` as a JSON string with its quotes. UTF-8 passes through; bytes that are no UTF-8 become U+FFFD, so
/// that the result can always be read.
inline void append_json_string(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out.push_back('"');
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && text[plain] >= ' ' && text[plain] != '"' && text[plain] != '\\' &&
           text[plain] != '\x7f')
      ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    std::size_t used = 1;
    switch (c) {
    case '"':
      out.append("\\\"");
      break;
    case '\\':
      out.append("\\\\");
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\t':
      out.append("\\t");
      break;
    case '\b':
      out.append("\\b");
      break;
    case '\f':
      out.append("\\f");
      break;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        out.append("\\u00").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
      } else if (const std::size_t length = json_text_detail::utf8_length(text); length != 0) {
        out.append(text.substr(0, length));
        used = length;
      } else {
        out.append("\\ufffd");
      }
    }
    }
    text.remove_prefix(used);
  }
  out.push_back('"');
}

/// Appends the decimal digits of an integer.
template <class Integer>
void append_decimal(std::string& out, Integer value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Appends `value` divided by ten to the power of `places`, exactly and without zeros at the end: picoseconds become
/// seconds with 12 places, microseconds with 6.
inline void append_scaled(std::string& out, std::int64_t value, std::size_t places) {
  char digits[24];
  std::uint64_t magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    out.push_back('-');
    magnitude = 0 - magnitude;
  }
  const std::string_view text{
      digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, magnitude).ptr - digits)};
  const std::size_t whole = text.size() > places ? text.size() - places : 0;
  out.append(whole == 0 ? std::string_view{"0"} : text.substr(0, whole));
  const std::string_view rest = text.substr(whole);
  const std::size_t kept = rest.find_last_not_of('0');
  if (kept == std::string_view::npos) return;
  out.append(1, '.').append(places - rest.size(), '0').append(rest.substr(0, kept + 1));
}

} // namespace triosim::io
