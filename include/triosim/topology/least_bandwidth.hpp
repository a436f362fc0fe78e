#pragma once

#include "triosim/topology/graph.hpp"
#include "triosim/topology/routing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace triosim::topology {

/// The published TrioSim's way: the least sum of bandwidths. It prefers slow links, so neighbours on a fast
/// ring talk through the memory when that is less than half as wide. Among equal sums, the direct link.
///
/// Cost: Dijkstra's search, cut off at the cost of the direct link: O(links of the source) where that is the answer.
class LeastBandwidth {
 public:
  void route(const Graph& graph, NodeId source, NodeId destination, std::vector<LinkId>& links) {
    if (nodes_.size() != graph.nodes()) nodes_.assign(graph.nodes(), {});
    ++search_;
    heap_.clear();
    reach(source, 0, none);
    for (const LinkId id : graph.out(source)) {
      const Link& link = graph.link(id);
      if (link.to == destination) offer(link.to, link.bandwidth.bytes_per_second(), id);
    }
    heap_.assign(1, {0, source});
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
      const auto [cost, node] = heap_.back();
      heap_.pop_back();
      if (cost > nodes_[node].cost) continue;
      if (node == destination) break;
      for (const LinkId id : graph.out(node)) {
        const Link& link = graph.link(id);
        const double next = cost + link.bandwidth.bytes_per_second();
        // What is no cheaper than the way that is known already is no part of a cheaper one.
        if (next >= cost_of(destination)) continue;
        offer(link.to, next, id);
      }
    }
    if (nodes_[destination].search != search_) routing_detail::no_way(source, destination);
    const std::size_t begin = links.size();
    for (NodeId node = destination; node != source; node = graph.link(links.back()).from)
      links.push_back(nodes_[node].by);
    std::reverse(links.begin() + static_cast<std::ptrdiff_t>(begin), links.end());
  }

 private:
  struct Node {
    double cost = 0;
    std::uint64_t search = 0; // the search that reached it last
    LinkId by = none;
  };

  static constexpr LinkId none = 0xFFFFFFFF;

  double cost_of(NodeId node) const {
    return nodes_[node].search == search_ ? nodes_[node].cost : std::numeric_limits<double>::infinity();
  }
  void reach(NodeId node, double cost, LinkId by) { nodes_[node] = {cost, search_, by}; }
  void offer(NodeId node, double cost, LinkId by) {
    if (!(cost < cost_of(node))) return;
    reach(node, cost, by);
    heap_.emplace_back(cost, node);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  }

  std::vector<Node> nodes_;
  std::vector<std::pair<double, NodeId>> heap_;
  std::uint64_t search_ = 0;
};

static_assert(RoutingPolicy<LeastBandwidth>);

} // namespace triosim::topology
