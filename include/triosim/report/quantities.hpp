#pragma once

#include "triosim/units.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Quantities as people read them. The same text on every machine, whatever its locale.
namespace triosim::report {

namespace quantities_detail {

inline std::string fixed(double value, int places) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, places).ptr};
}

/// Four significant digits in the largest unit that leaves at least one before the point.
template <std::size_t N>
std::string scaled(double value, const std::string_view (&units)[N]) {
  std::size_t unit = 0;
  // Rounding must not carry the number to 1000 of a unit.
  while (unit + 1 < N && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  const int places = unit == 0 || value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return fixed(value, places).append(" ").append(units[unit]);
}

} // namespace quantities_detail

/// "94.04 ms". Zero is "0 s".
inline std::string readable(Time time) {
  static constexpr std::string_view units[] = {"ps", "ns", "us", "ms", "s"};
  if (time == Time{}) return "0 s";
  if (time == Time::infinity()) return "for ever";
  if (time < Time{}) return "-" + readable(Time{} - time);
  return quantities_detail::scaled(static_cast<double>(time.picoseconds()), units);
}

/// "17.03 GB", with GB = 1e9 bytes.
inline std::string readable(Bytes bytes) {
  static constexpr std::string_view units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  return quantities_detail::scaled(static_cast<double>(bytes.count()), units);
}

/// "1,234,567".
inline std::string readable(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

/// "12.3%" of `whole`; "-" of nothing.
inline std::string percent(Time part, Time whole) {
  if (whole == Time{}) return "-";
  const double share = static_cast<double>(part.picoseconds()) / static_cast<double>(whole.picoseconds());
  return quantities_detail::fixed(share * 100, 1).append("%");
}

} // namespace triosim::report
