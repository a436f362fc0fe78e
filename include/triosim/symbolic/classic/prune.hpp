#pragma once

#include "triosim/symbolic/classic/nodes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::symbolic::classic {

/// Removes compute nodes that compute nothing (inputs, views, weights); who waited for one waits for what it waited
/// for. The order in which lists are rewritten shows in the trace, so the rounds are the published ones: in a round
/// every empty node goes whose list names, at that moment, none of the nodes that were empty when the round began.
inline void prune_empty(NodeList& nodes) {
  const std::size_t count = nodes.size();
  std::vector<bool> keep(count, true);
  std::vector<std::uint32_t> empty;
  for (std::uint32_t i = 0; i < count; ++i)
    if (nodes[i].kind == TaskKind::Compute && nodes[i].work == 0) empty.push_back(i);

  constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> place(count, none); // among the empty nodes of this round
  std::vector<std::uint32_t> begins, fill, children, left;
  while (!empty.empty()) {
    for (std::uint32_t i = 0; i < empty.size(); ++i)
      place[empty[i]] = i;

    begins.assign(empty.size() + 1, 0);
    const auto each_mention = [&](auto visit) {
      for (std::uint32_t child = 0; child < count; ++child) {
        if (!keep[child]) continue;
        for (std::uint32_t parent : nodes.dependencies(child))
          if (place[parent] != none) visit(place[parent], child);
      }
    };
    each_mention([&](std::uint32_t parent, std::uint32_t) { ++begins[parent + 1]; });
    for (std::size_t i = 0; i < empty.size(); ++i)
      begins[i + 1] += begins[i];
    fill.assign(begins.begin(), begins.end() - 1);
    children.resize(begins.back());
    each_mention([&](std::uint32_t parent, std::uint32_t child) { children[fill[parent]++] = child; });

    left.clear();
    for (std::uint32_t i = 0; i < empty.size(); ++i) {
      const std::uint32_t node = empty[i];
      bool waits = false;
      for (std::uint32_t before : nodes.dependencies(node))
        waits = waits || place[before] != none;
      if (waits) {
        left.push_back(node);
        continue;
      }
      for (std::uint32_t c = begins[i]; c < begins[i + 1]; ++c) {
        nodes.forget(children[c], node);
        for (std::size_t k = 0; k < nodes.dependencies(node).size(); ++k)
          nodes.depend(children[c], nodes.dependencies(node)[k]);
      }
      keep[node] = false;
    }
    for (std::uint32_t node : empty)
      place[node] = none;
    if (left.size() == empty.size())
      throw Error{"symbolic graph: tensors that compute nothing wait for each other in a circle"};
    empty.swap(left);
  }
  nodes.keep_only(keep);
}

} // namespace triosim::symbolic::classic
