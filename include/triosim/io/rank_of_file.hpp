#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triosim::io {

/// The rank that the name of a trace file says: the last run of digits that stands alone between dots, underscores,
/// dashes or the ends of the name ("gpt.12.et", "et_3.json.gz", "rank-0.json"). Nothing where there is none.
inline std::optional<std::uint32_t> rank_of_file(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of('/') + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_border = [](char c) { return c == '.' || c == '_' || c == '-'; };
  for (std::size_t end = name.size(); end > 0; --end) {
    if (!is_digit(name[end - 1]) || (end < name.size() && !is_border(name[end]))) continue;
    std::size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1]))
      --begin;
    if (begin > 0 && !is_border(name[begin - 1])) {
      // "rank12": letters before the digits are a border too, a version such as "v0" is not taken.
      if (begin < 4 || name.substr(begin - 4, 4) != "rank") continue;
    }
    std::uint32_t rank = 0;
    const auto [stop, code] = std::from_chars(name.data() + begin, name.data() + end, rank);
    if (code == std::errc{}) return rank;
    end = begin + 1;
  }
  return std::nullopt;
}

} // namespace triosim::io
