#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::chakra {

/// Nodes that wait for each other: each entry depends on the next one, the last one on the first. Empty where there is
/// no circle. `dependencies(node, k)` is list k of a node, k = 0 or 1; entries of `size` and more are passed over.
/// O(nodes + edges), without recursion.
template <class Dependencies>
std::vector<std::uint32_t> find_circle(std::uint32_t size, const Dependencies& dependencies) {
  // Files are mostly in an order in which they can be run.
  const auto points_back = [&] {
    for (std::uint32_t node = 0; node < size; ++node)
      for (int list = 0; list < 2; ++list)
        for (const std::uint32_t before : dependencies(node, list))
          if (before >= node && before < size) return false;
    return true;
  };
  if (points_back()) return {};

  enum class Mark : std::uint8_t { fresh, open, closed };
  struct Step {
    std::uint32_t node;
    std::uint32_t edge;
  };
  std::vector<Mark> marks(size, Mark::fresh);
  std::vector<Step> path;
  for (std::uint32_t root = 0; root < size; ++root) {
    if (marks[root] != Mark::fresh) continue;
    path.push_back({root, 0});
    marks[root] = Mark::open;
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      const std::span<const std::uint32_t> first = dependencies(node, 0);
      const std::span<const std::uint32_t> second = dependencies(node, 1);
      const std::size_t edge = path.back().edge++;
      if (edge >= first.size() + second.size()) {
        marks[node] = Mark::closed;
        path.pop_back();
        continue;
      }
      const std::uint32_t before = edge < first.size() ? first[edge] : second[edge - first.size()];
      if (before >= size || marks[before] == Mark::closed) continue;
      if (marks[before] == Mark::fresh) {
        marks[before] = Mark::open;
        path.push_back({before, 0});
        continue;
      }
      std::vector<std::uint32_t> circle;
      std::size_t start = path.size() - 1;
      while (path[start].node != before)
        --start;
      for (; start < path.size(); ++start)
        circle.push_back(path[start].node);
      return circle;
    }
  }
  return {};
}

} // namespace triosim::chakra
