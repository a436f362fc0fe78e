#pragma once

#include "triosim/error.hpp"
#include "triosim/topology/graph.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace triosim::topology {

/// Which links a message takes.
///
/// Minimum:  `route(graph, source, destination, links)` appends the links of the way, in order; the two nodes differ.
///           Asked about one graph only. Throws `TopologyError` where there is no way.
/// Laws:     consecutive links meet; no node is passed twice; the same question has the same answer.
/// Cost:     asked once for each pair of nodes (`Routes` remembers).
/// Ships:    ShortestHops, SpreadHops, LeastBandwidth.
template <class R>
concept RoutingPolicy = std::copyable<R> && std::default_initializable<R> &&
    requires(R routing, const Graph& graph, NodeId node, std::vector<LinkId>& links) {
  routing.route(graph, node, node, links);
};

namespace routing_detail {

[[noreturn]] inline void no_way(NodeId source, NodeId destination) {
  throw TopologyError{"no route from node " + std::to_string(source) + " to node " + std::to_string(destination)};
}

/// One of the equally good ways: the first.
struct First {
  static std::size_t choose(std::size_t, NodeId, NodeId, NodeId) noexcept { return 0; }
};

/// One of the equally good ways, by a hash of the pair and of the node where the ways part (ECMP).
struct Hashed {
  static std::size_t choose(std::size_t ways, NodeId source, NodeId destination, NodeId here) noexcept {
    std::uint64_t x = (std::uint64_t{source} << 32 | destination) + 0x9E3779B97F4A7C15u * (std::uint64_t{here} + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return static_cast<std::size_t>(x % ways);
  }
};

} // namespace routing_detail

/// The fewest hops; among those the widest links (least sum of 1/bandwidth); among those `Choice`.
///
/// A link without bandwidth is no way. Only switches pass on what is not for them, unless there is no other way: then
/// devices do (ring, mesh, torus), and if that is not enough the memory does too. A direct link is always taken.
///
/// Cost: a breadth-first search for each destination, not for each pair, and all leaves of a switch count as one
/// destination: O(links between switches) there, O(hops) for each pair. The searches kept are bounded to about 64 MB.
template <class Choice>
class HopRouting {
 public:
  void route(const Graph& graph, NodeId source, NodeId destination, std::vector<LinkId>& links) {
    if (only_neighbour_.size() != graph.nodes()) prepare(graph);
    NodeId here = source;
    if (is_leaf(here)) {
      take(pick(graph, source, destination, here, only_neighbour_[here], graph.out(here)), source, destination, links);
      here = only_neighbour_[here];
      if (here == destination) return;
    }
    const NodeId root = is_leaf(destination) ? only_neighbour_[destination] : destination;
    if (here != root) walk(graph, source, destination, here, root, links);
    if (root != destination)
      take(pick(graph, source, destination, root, destination, in(destination)), source, destination, links);
  }

 private:
  static constexpr NodeId none = 0xFFFFFFFF;
  static constexpr std::uint32_t far = 0xFFFFFFFF;
  enum Through : std::uint32_t { switches, devices, anything };

  // How far each node is from `root`, over nodes that pass on.
  struct Field {
    std::uint32_t key = none;
    std::vector<std::uint32_t> hops;
    std::vector<float> slowness; // least sum of 1/bandwidth over ways of that many hops
  };

  bool is_leaf(NodeId node) const { return only_neighbour_[node] != none; }
  std::span<const LinkId> in(NodeId node) const { return rows(in_, in_first_, node); }
  std::span<const LinkId> core_in(NodeId node) const { return rows(core_in_, core_in_first_, node); }
  std::span<const LinkId> core_out(NodeId node) const { return rows(core_out_, core_out_first_, node); }
  static std::span<const LinkId> rows(const std::vector<LinkId>& items, const std::vector<std::uint32_t>& first,
                                      NodeId row) {
    return {items.data() + first[row], first[row + 1] - first[row]};
  }
  static bool carries(const Link& link) noexcept { return link.bandwidth.bytes_per_second() > 0; }
  static float slowness_of(const Link& link) noexcept {
    return static_cast<float>(1e9 / link.bandwidth.bytes_per_second());
  }

  void prepare(const Graph& graph) {
    const NodeId n = graph.nodes();
    only_neighbour_.assign(n, none);
    std::vector<bool> many(n, false);
    const auto meet = [&](NodeId a, NodeId b) {
      if (only_neighbour_[a] == none) only_neighbour_[a] = b;
      if (only_neighbour_[a] != b || a == b) many[a] = true;
    };
    for (const Link& link : graph.links()) {
      if (!carries(link)) continue;
      meet(link.from, link.to);
      meet(link.to, link.from);
    }
    for (NodeId node = 0; node < n; ++node)
      if (many[node]) only_neighbour_[node] = none;
    const auto all = [](const Link&) { return true; };
    const auto core = [&](const Link& link) { return !is_leaf(link.from) && !is_leaf(link.to); };
    const auto from = [](const Link& link) { return link.from; };
    const auto to = [](const Link& link) { return link.to; };
    compress(graph, all, to, in_first_, in_);
    compress(graph, core, to, core_in_first_, core_in_);
    compress(graph, core, from, core_out_first_, core_out_);
    fields_.clear();
    slot_of_.assign(std::size_t{3} * n, none);
    next_slot_ = 0;
    most_fields_ = std::max<std::size_t>(16, (std::size_t{64} << 20) / (8 * (std::size_t{n} + 1)));
  }

  template <class Keep, class Row>
  static void compress(const Graph& graph, Keep keep, Row row, std::vector<std::uint32_t>& first,
                       std::vector<LinkId>& items) {
    first.assign(graph.nodes() + std::size_t{2}, 0);
    for (const Link& link : graph.links())
      if (carries(link) && keep(link)) ++first[row(link) + 2];
    for (std::size_t i = 2; i < first.size(); ++i)
      first[i] += first[i - 1];
    items.resize(first.back());
    for (LinkId id = 0; id < graph.links().size(); ++id)
      if (const Link& link = graph.link(id); carries(link) && keep(link)) items[first[row(link) + 1]++] = id;
  }

  static void take(LinkId link, NodeId source, NodeId destination, std::vector<LinkId>& links) {
    if (link == none) routing_detail::no_way(source, destination);
    links.push_back(link);
  }

  // One of the widest links from `a` to `b` among `candidates`; none if there is none.
  LinkId pick(const Graph& graph, NodeId source, NodeId destination, NodeId a, NodeId b,
              std::span<const LinkId> candidates) {
    ways_.clear();
    Bandwidth widest;
    for (const LinkId id : candidates) {
      const Link& link = graph.link(id);
      if (link.from != a || link.to != b || !carries(link) || link.bandwidth < widest) continue;
      if (link.bandwidth > widest) ways_.clear();
      widest = link.bandwidth;
      ways_.push_back(id);
    }
    return ways_.empty() ? none : ways_[Choice::choose(ways_.size(), source, destination, a)];
  }

  void walk(const Graph& graph, NodeId source, NodeId destination, NodeId here, NodeId root,
            std::vector<LinkId>& links) {
    const auto out = core_out(here), in = core_in(root);
    if (const LinkId direct = pick(graph, source, destination, here, root, out.size() < in.size() ? out : in);
        direct != none) {
      links.push_back(direct);
      return;
    }
    for (const Through through : {switches, devices, anything}) {
      const Field& field = field_of(graph, root, through);
      if (field.hops[here] == far) continue;
      while (here != root) {
        ways_.clear();
        float least = std::numeric_limits<float>::infinity();
        for (const LinkId id : core_out(here)) {
          const Link& link = graph.link(id);
          if (field.hops[link.to] + 1 != field.hops[here] || !(link.to == root || passes(graph, link.to, through)))
            continue;
          const float slowness = field.slowness[link.to] + slowness_of(link);
          if (slowness > least * (1 + 1e-5f)) continue;
          if (slowness < least * (1 - 1e-5f)) ways_.clear();
          least = std::min(least, slowness);
          ways_.push_back(id);
        }
        const LinkId chosen = ways_[Choice::choose(ways_.size(), source, destination, here)];
        links.push_back(chosen);
        here = graph.link(chosen).to;
      }
      return;
    }
    routing_detail::no_way(source, destination);
  }

  static bool passes(const Graph& graph, NodeId node, Through through) {
    if (node == graph.memory()) return through == anything;
    return node >= graph.devices() || through != switches;
  }

  const Field& field_of(const Graph& graph, NodeId root, Through through) {
    const std::uint32_t key = root * 3 + through;
    if (slot_of_[key] != none) return fields_[slot_of_[key]];
    if (fields_.size() < most_fields_) {
      next_slot_ = fields_.size();
      fields_.emplace_back();
    } else {
      next_slot_ = (next_slot_ + 1) % fields_.size();
      slot_of_[fields_[next_slot_].key] = none;
    }
    slot_of_[key] = static_cast<std::uint32_t>(next_slot_);
    Field& field = fields_[next_slot_];
    field.key = key;
    field.hops.assign(graph.nodes(), far);
    field.slowness.assign(graph.nodes(), 0);
    field.hops[root] = 0;
    queue_.assign(1, root);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const NodeId node = queue_[i];
      if (node != root && !passes(graph, node, through)) continue;
      for (const LinkId id : core_in(node)) {
        const Link& link = graph.link(id);
        const std::uint32_t hops = field.hops[node] + 1;
        const float slowness = field.slowness[node] + slowness_of(link);
        if (field.hops[link.from] == far) {
          field.hops[link.from] = hops;
          field.slowness[link.from] = slowness;
          queue_.push_back(link.from);
        } else if (field.hops[link.from] == hops) {
          field.slowness[link.from] = std::min(field.slowness[link.from], slowness);
        }
      }
    }
    return field;
  }

  std::vector<NodeId> only_neighbour_; // of a leaf; none for the others
  std::vector<std::uint32_t> in_first_, core_in_first_, core_out_first_;
  std::vector<LinkId> in_, core_in_, core_out_; // core: between nodes that are not leaves
  std::vector<Field> fields_;
  std::vector<std::uint32_t> slot_of_; // of each key in fields_
  std::size_t next_slot_ = 0;
  std::size_t most_fields_ = 16;
  std::vector<LinkId> ways_;
  std::vector<NodeId> queue_;
};

/// Fewest hops, first link first: everybody takes the same one of equally good ways.
using ShortestHops = HopRouting<routing_detail::First>;
/// Fewest hops, spread over equally good ways by a hash of the pair, as ECMP does.
using SpreadHops = HopRouting<routing_detail::Hashed>;

} // namespace triosim::topology
