#pragma once

#include "triosim/topology/graph.hpp"
#include "triosim/topology/routing.hpp"
#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::topology {

/// A graph with a routing policy that remembers its answers: O(1) for a pair that has been asked for before. Copies
/// share the graph, not what they remember.
template <RoutingPolicy Routing>
class Routes {
 public:
  /// The place of a route here; stays valid.
  using Index = std::uint32_t;

  Routes() : Routes{Graph{}} {}
  explicit Routes(Graph graph, Routing routing = {})
      : graph_{std::make_shared<const Graph>(std::move(graph))}, routing_{std::move(routing)} {
    slots_.resize(16);
  }

  const Graph& graph() const noexcept { return *graph_; }

  /// The route between two nodes. Throws `TopologyError` for nodes that do not exist or no way between them.
  Index find(NodeId source, NodeId destination) {
    const std::uint64_t key = std::uint64_t{source} << 32 | destination;
    std::size_t at = hash(key) & (slots_.size() - 1);
    while (slots_[at].route != none) {
      if (slots_[at].key == key) return slots_[at].route;
      at = (at + 1) & (slots_.size() - 1);
    }
    return remember(key, source, destination);
  }

  /// A route of the caller's choice: links in order, none twice.
  Index add(std::span<const LinkId> links) {
    const std::size_t first = links_.size();
    links_.insert(links_.end(), links.begin(), links.end());
    return close(first);
  }

  /// In order; empty from a node to itself.
  std::span<const LinkId> links(Index route) const {
    return {links_.data() + routes_[route].first, routes_[route].length};
  }
  /// The sum of the latencies of the links.
  Time latency(Index route) const { return routes_[route].latency; }
  /// Of the narrowest link; of a node to itself without limit.
  Bandwidth bandwidth(Index route) const { return routes_[route].bandwidth; }

 private:
  static constexpr Index none = 0xFFFFFFFF;
  struct Slot {
    std::uint64_t key = 0;
    Index route = none;
  };
  struct Route {
    std::size_t first;
    std::uint32_t length;
    Time latency;
    Bandwidth bandwidth;
  };

  static std::size_t hash(std::uint64_t key) noexcept {
    key = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(key ^ (key >> 29));
  }

  Index remember(std::uint64_t key, NodeId source, NodeId destination) {
    if (source >= graph_->nodes() || destination >= graph_->nodes())
      throw TopologyError{"a message from node " + std::to_string(source) + " to node " + std::to_string(destination) +
                          " needs both to be below " + std::to_string(graph_->nodes())};
    const std::size_t first = links_.size();
    if (source != destination) routing_.route(*graph_, source, destination, links_);
    const Index route = close(first);
    if (2 * routes_.size() > slots_.size()) {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.route != none) insert(slot);
    }
    insert({key, route});
    return route;
  }

  // The links from `first` on are a route.
  Index close(std::size_t first) {
    Time latency;
    Bandwidth bandwidth{std::numeric_limits<double>::infinity()};
    for (std::size_t i = first; i < links_.size(); ++i) {
      const Link& link = graph_->link(links_[i]);
      latency += link.latency;
      if (link.bandwidth < bandwidth) bandwidth = link.bandwidth;
    }
    routes_.push_back({first, static_cast<std::uint32_t>(links_.size() - first), latency, bandwidth});
    return static_cast<Index>(routes_.size() - 1);
  }

  void insert(const Slot& slot) {
    std::size_t at = hash(slot.key) & (slots_.size() - 1);
    while (slots_[at].route != none)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  std::shared_ptr<const Graph> graph_;
  Routing routing_;
  std::vector<Slot> slots_; // open addressing, a power of two
  std::vector<Route> routes_;
  std::vector<LinkId> links_;
};

} // namespace triosim::topology
