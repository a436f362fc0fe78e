#include <triosim/topology/builders/direct.hpp>
#include <triosim/topology/builders/published.hpp>
#include <triosim/topology/builders/switched.hpp>
#include <triosim/topology/builders/two_tier.hpp>
#include <triosim/topology/least_bandwidth.hpp>
#include <triosim/topology/routes.hpp>
#include <triosim/topology/routing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using namespace triosim::topology;

namespace {

constexpr Cable fast{100_GBps, 1_us};
constexpr Cable slow{10_GBps, 2_us};

// The nodes along a route, checked: links that meet, from the source to the destination, no node twice.
template <class Routing>
std::vector<NodeId> way(Routing& routing, const Graph& graph, NodeId from, NodeId to) {
  std::vector<LinkId> links;
  routing.route(graph, from, to, links);
  std::vector<NodeId> nodes{from};
  for (const LinkId link : links) {
    REQUIRE(graph.link(link).from == nodes.back());
    nodes.push_back(graph.link(link).to);
  }
  REQUIRE(nodes.back() == to);
  REQUIRE(std::set<NodeId>(nodes.begin(), nodes.end()).size() == nodes.size());
  return nodes;
}

// Hops between all pairs, by relaxation until nothing changes.
std::vector<std::vector<std::uint32_t>> all_hops(const Graph& graph) {
  constexpr std::uint32_t far = 1'000'000;
  const NodeId n = graph.nodes();
  std::vector<std::vector<std::uint32_t>> hops(n, std::vector<std::uint32_t>(n, far));
  for (NodeId i = 0; i < n; ++i)
    hops[i][i] = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Link& link : graph.links())
      if (link.bandwidth.bytes_per_second() > 0)
        for (NodeId d = 0; d < n; ++d)
          if (hops[link.to][d] + 1 < hops[link.from][d]) {
            hops[link.from][d] = hops[link.to][d] + 1;
            moved = true;
          }
  }
  return hops;
}

template <class Routing>
void check_shortest(const Graph& graph) {
  Routing routing;
  const auto hops = all_hops(graph);
  for (NodeId a = 0; a < graph.nodes(); ++a)
    for (NodeId b = 0; b < graph.nodes(); ++b)
      if (a != b) {
        const auto nodes = way(routing, graph, a, b);
        CHECK(nodes.size() == hops[a][b] + 1);
        CHECK(nodes == way(routing, graph, a, b));
      }
}

} // namespace

TEST_CASE_TEMPLATE("the shortest way on every shape", Routing, ShortestHops, SpreadHops) {
  check_shortest<Routing>(ring(2, fast));
  check_shortest<Routing>(ring(9, fast));
  check_shortest<Routing>(mesh(std::array{3u, 4u}, fast));
  check_shortest<Routing>(torus(std::array{4u, 5u}, fast));
  check_shortest<Routing>(torus(std::array{3u, 2u, 4u}, fast));
  check_shortest<Routing>(fully_connected(6, fast));
  check_shortest<Routing>(single_switch(7, fast));
  check_shortest<Routing>(fat_tree(4, 16, fast));
  check_shortest<Routing>(fat_tree(6, 31, fast));
  check_shortest<Routing>(leaf_spine(3, 4, 2, fast, slow));
}

TEST_CASE("builders: as many devices and links as the shape has") {
  const auto count = [](const Graph& graph) {
    return std::array<std::size_t, 3>{graph.devices(), graph.nodes(), graph.links().size()};
  };
  using Counts = std::array<std::size_t, 3>;
  CHECK(count(ring(1, fast)) == Counts{1, 1, 0});
  CHECK(count(ring(2, fast)) == Counts{2, 2, 2});
  CHECK(count(ring(5, fast)) == Counts{5, 5, 10});
  CHECK(count(mesh(std::array{3u, 4u}, fast)) == Counts{12, 12, 2 * (3 * 3 + 2 * 4)});
  CHECK(count(torus(std::array{3u, 4u}, fast)) == Counts{12, 12, 2 * 24});
  CHECK(count(torus(std::array{2u, 2u, 2u}, fast)) == Counts{8, 8, 2 * 12});
  CHECK(count(fully_connected(5, fast)) == Counts{5, 5, 20});
  CHECK(count(single_switch(5, fast)) == Counts{5, 6, 10});
  CHECK(count(fat_tree(4, 16, fast)) == Counts{16, 36, 96});
  CHECK(count(fat_tree(16, 1024, fast)) == Counts{1024, 1024 + 320, 6144});
  CHECK(count(leaf_spine(4, 8, 2, fast, fast)) == Counts{32, 38, 2 * (32 + 8)});
  CHECK(count(two_tier({.islands = 4, .island = fast, .nic = slow})) == Counts{32, 32 + 4 + 8 + 1, 2 * (64 + 8)});
  CHECK(count(two_tier({.islands = 1, .island = fast, .nic = slow})) == Counts{8, 9, 16});
  CHECK(count(published(4, 696_GBps, 65_GBps)) == Counts{4, 5, 16});
  CHECK_THROWS_AS(ring(0, fast), TopologyError);
  CHECK_THROWS_AS(mesh(std::array{3u, 0u}, fast), TopologyError);
  CHECK_THROWS_AS(torus(std::array{70'000u, 70'000u}, fast), TopologyError);
  CHECK_THROWS_AS(fat_tree(5, 4, fast), TopologyError);
  CHECK_THROWS_AS(fat_tree(4, 17, fast), TopologyError);
  CHECK_THROWS_AS(leaf_spine(2, 2, 0, fast, fast), TopologyError);
}

TEST_CASE("a rank next to another in the last extent is its neighbour") {
  const Graph graph = mesh(std::array{2u, 3u}, fast);
  ShortestHops routing;
  CHECK(way(routing, graph, 0, 1).size() == 2);
  CHECK(way(routing, graph, 2, 3).size() == 4);
}

TEST_CASE("among ways of equal hops the widest; a dead link is no way") {
  Graph graph{2};
  const NodeId a = graph.add_switch(), b = graph.add_switch();
  join(graph, 0, a, slow);
  join(graph, a, 1, slow);
  join(graph, 0, b, fast);
  join(graph, b, 1, fast);
  ShortestHops routing;
  CHECK(way(routing, graph, 0, 1)[1] == b);

  Graph dead{2};
  const NodeId c = dead.add_switch();
  dead.add_link(0, 1, Bandwidth{});
  dead.add_link(0, c, 1_GBps);
  dead.add_link(c, 1, 1_GBps);
  ShortestHops other;
  CHECK(way(other, dead, 0, 1).size() == 3);
  std::vector<LinkId> links;
  CHECK_THROWS_WITH_AS(other.route(dead, 1, 0, links), "no route from node 1 to node 0", TopologyError);
}

TEST_CASE("devices and memory pass on only where nothing else does") {
  Graph graph = ring(8, fast);
  join_memory(graph, fast);
  ShortestHops routing;
  // Two hops through the memory would be shorter.
  CHECK(way(routing, graph, 0, 4) == std::vector<NodeId>{0, 1, 2, 3, 4});
  CHECK(way(routing, graph, 8, 4).size() == 2);

  Graph only{2};
  join_memory(only, fast);
  ShortestHops last_resort;
  CHECK(way(last_resort, only, 0, 1) == std::vector<NodeId>{0, 2, 1});
}

TEST_CASE("two tiers: the island's switch within an island, NIC, rail and spine between") {
  const Graph graph = two_tier({.islands = 3, .devices_per_island = 4, .island = fast, .nic = slow});
  ShortestHops routing;
  CHECK(way(routing, graph, 0, 3) == std::vector<NodeId>{0, 12, 3});
  CHECK(way(routing, graph, 1, 5).size() == 3); // same rail
  CHECK(way(routing, graph, 1, 6).size() == 5); // over the spine, not through another device
  const Graph flat =
      two_tier({.islands = 2, .devices_per_island = 4, .island = fast, .nic = slow, .fabric = Fabric::OneSwitch});
  ShortestHops other;
  CHECK(way(other, flat, 0, 3) == std::vector<NodeId>{0, 8, 3}); // as short over the NICs, but slower
  CHECK(way(other, flat, 0, 7).size() == 3);
}

TEST_CASE("spreading uses every core switch of a fat tree about equally, the first way only one") {
  const Graph graph = fat_tree(8, 128, fast);
  SpreadHops spread;
  ShortestHops first;
  std::vector<int> crossing(graph.nodes(), 0), crossing_first(graph.nodes(), 0);
  for (NodeId a = 0; a < 16; ++a)
    for (NodeId b = 64; b < 128; ++b) {
      ++crossing[way(spread, graph, a, b)[3]];
      ++crossing_first[way(first, graph, a, b)[3]];
    }
  int used = 0, used_first = 0;
  for (NodeId node = 128; node < graph.nodes(); ++node) {
    used += crossing[node] > 0;
    used_first += crossing_first[node] > 0;
    CHECK(crossing[node] < 3 * 1024 / 16);
  }
  CHECK(used == 16);
  CHECK(used_first == 1);
}

TEST_CASE("published routing takes the least sum of bandwidths") {
  LeastBandwidth a, b, c;
  // A ring slower than twice the memory's links is used; a faster one is not; on a tie the direct link.
  const Graph slower = published(8, 100_GBps, 199_GBps), faster = published(8, 100_GBps, 201_GBps),
              tie = published(8, 100_GBps, 200_GBps);
  CHECK(way(a, slower, 2, 3) == std::vector<NodeId>{2, 3});
  CHECK(way(a, slower, 0, 7) == std::vector<NodeId>{0, 7});
  CHECK(way(b, faster, 2, 3) == std::vector<NodeId>{2, 8, 3});
  CHECK(way(c, tie, 2, 3) == std::vector<NodeId>{2, 3});
  CHECK(way(b, faster, 8, 5) == std::vector<NodeId>{8, 5});
  const Graph two = published(2, 100_GBps, 65_GBps);
  LeastBandwidth d;
  CHECK(way(d, two, 0, 1) == std::vector<NodeId>{0, 1});
}

TEST_CASE("published routing agrees with relaxation on random graphs") {
  std::mt19937_64 random{3};
  for (int round = 0; round < 30; ++round) {
    Graph graph{6};
    for (int i = 0; i < 20; ++i) {
      const auto from = static_cast<NodeId>(random() % 6), to = static_cast<NodeId>(random() % 6);
      graph.add_link(from, to, Bandwidth{static_cast<double>(1 + random() % 9)});
    }
    std::vector<std::vector<double>> cost(6, std::vector<double>(6, 1e9));
    for (NodeId i = 0; i < 6; ++i)
      cost[i][i] = 0;
    for (int pass = 0; pass < 6; ++pass)
      for (const Link& link : graph.links())
        for (NodeId d = 0; d < 6; ++d)
          cost[link.from][d] = std::min(cost[link.from][d], link.bandwidth.bytes_per_second() + cost[link.to][d]);
    LeastBandwidth routing;
    for (NodeId a = 0; a < 6; ++a)
      for (NodeId b = 0; b < 6; ++b) {
        if (a == b) continue;
        std::vector<LinkId> links;
        if (cost[a][b] == 1e9) {
          CHECK_THROWS_AS(routing.route(graph, a, b, links), TopologyError);
          continue;
        }
        routing.route(graph, a, b, links);
        double sum = 0;
        for (const LinkId link : links)
          sum += graph.link(link).bandwidth.bytes_per_second();
        CHECK(sum == cost[a][b]);
      }
  }
}

TEST_CASE("routes are remembered, and tell latency and narrowest link") {
  Routes<ShortestHops> routes{leaf_spine(2, 2, 1, fast, slow)};
  const auto route = routes.find(0, 3);
  CHECK(routes.links(route).size() == 4);
  CHECK(routes.latency(route) == 6_us);
  CHECK(routes.bandwidth(route) == 10_GBps);
  CHECK(routes.find(0, 3) == route);
  CHECK(routes.links(routes.find(2, 2)).empty());
  CHECK_THROWS_AS(routes.find(0, 99), TopologyError);
  for (NodeId a = 0; a < 4; ++a)
    for (NodeId b = 0; b < 4; ++b)
      routes.find(a, b);
  CHECK(routes.find(0, 3) == route);
}
