#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triosim {

/// The one of `known` that `found` was most likely meant to be: by the least number of letters to insert, drop, change
/// or swap with their neighbour (Damerau, "A technique for computer detection and correction of spelling errors", CACM
/// 1964; case does not count, "-" and "_" are one), the first of equals. Nothing where more than a third of the letters
/// are wrong.
inline std::optional<std::string_view> nearest(std::string_view found, std::span<const std::string_view> known) {
  const auto letter = [](char c) {
    return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::optional<std::string_view> best;
  std::size_t least = std::min<std::size_t>(found.size(), 64) / 3 + 1;
  if (found.empty() || found.size() > 64) return best;
  std::vector<std::size_t> before, last, row;
  for (const std::string_view name : known) {
    if (name.size() > 128) continue;
    last.resize(name.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= found.size(); ++i) {
      row.assign(name.size() + 1, i);
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const char a = letter(found[i - 1]), b = letter(name[j - 1]);
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a == b ? 0u : 1u)});
        if (i > 1 && j > 1 && a == letter(name[j - 2]) && letter(found[i - 2]) == b)
          row[j] = std::min(row[j], before[j - 2] + 1);
      }
      before = last;
      last = row;
    }
    if (last.back() < least) {
      least = last.back();
      best = name;
    }
  }
  return best;
}

/// `, did you mean "x"?`, or nothing where no name is near: the end of a sentence about a name that is not known.
inline std::string did_you_mean(std::string_view found, std::span<const std::string_view> known) {
  const std::optional<std::string_view> name = nearest(found, known);
  if (!name) return {};
  return std::string{", did you mean \""}.append(*name).append("\"?");
}

} // namespace triosim
