#pragma once

#include "triosim/error.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::strategy {

/// Cuts a row of costs into `parts` contiguous parts, none empty, so that the dearest is as cheap as it can be; earlier
/// parts are filled first. Gives where each part begins, and the number of costs at the end. Throws `ConfigError` where
/// there are fewer costs than parts.
inline std::vector<std::size_t> balance(std::span<const Time> costs, std::uint32_t parts) {
  if (parts == 0 || costs.size() < parts)
    throw ConfigError{"stages", std::to_string(parts),
                      "1 to " + std::to_string(costs.size()) + ", the layers to share out"};
  // Where parts begin when none may cost more than `limit`; parts that are needed later get at least one cost each.
  const auto cut = [&](Time limit) {
    std::vector<std::size_t> begins{0};
    Time sum;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const bool rest_needs_one_each = costs.size() - i <= parts - begins.size();
      if (i > begins.back() && (sum + costs[i] > limit || rest_needs_one_each)) {
        begins.push_back(i);
        sum = Time{};
      }
      sum += costs[i];
    }
    return begins;
  };
  Time low, high;
  for (const Time cost : costs) {
    low = std::max(low, cost);
    high += cost;
  }
  while (low < high) {
    const Time middle{low.picoseconds() + (high - low).picoseconds() / 2};
    if (cut(middle).size() <= parts)
      high = middle;
    else
      low = middle + Time{1};
  }
  std::vector<std::size_t> begins = cut(low);
  begins.push_back(costs.size());
  return begins;
}

} // namespace triosim::strategy
