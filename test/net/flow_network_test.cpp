#include "support/postman.hpp"

#include <triosim/net/flow_network.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/topology/builders/direct.hpp>
#include <triosim/topology/builders/published.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using test::Letter;

namespace {

// The judge: fluids in double seconds, all rates computed anew by `share` at each start and each finish.
struct Fluid {
  double start, bytes;
  std::vector<std::uint32_t> route;
};
using Share = std::function<std::vector<double>(const std::vector<double>&, const std::vector<const Fluid*>&)>;

std::vector<double> play(const std::vector<double>& capacity, const std::vector<Fluid>& fluids, const Share& share) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> left, finish(fluids.size(), never);
  std::vector<int> state(fluids.size(), 0); // to come, under way, done
  for (const Fluid& fluid : fluids)
    left.push_back(fluid.bytes);
  double now = 0;
  for (;;) {
    std::vector<std::size_t> active;
    std::vector<const Fluid*> pointers;
    double next = never;
    for (std::size_t i = 0; i < fluids.size(); ++i) {
      if (state[i] == 0) next = std::min(next, fluids[i].start);
      if (state[i] != 1) continue;
      active.push_back(i);
      pointers.push_back(&fluids[i]);
    }
    const std::vector<double> rates = share(capacity, pointers);
    std::size_t first = fluids.size();
    for (std::size_t k = 0; k < active.size(); ++k)
      if (const double at = now + left[active[k]] / rates[k]; at < next) {
        next = at;
        first = active[k];
      }
    if (next == never) return finish;
    for (std::size_t k = 0; k < active.size(); ++k)
      left[active[k]] = std::max(0.0, left[active[k]] - rates[k] * (next - now));
    now = next;
    if (first < fluids.size()) {
      state[first] = 2;
      finish[first] = now;
    } else {
      for (std::size_t i = 0; i < fluids.size(); ++i)
        if (state[i] == 0 && fluids[i].start <= now) state[i] = 1;
    }
  }
}

std::vector<double> equal_split(const std::vector<double>& capacity, const std::vector<const Fluid*>& fluids) {
  std::vector<double> users(capacity.size(), 0), rates;
  for (const Fluid* fluid : fluids)
    for (const auto link : fluid->route)
      users[link] += 1;
  for (const Fluid* fluid : fluids) {
    double rate = std::numeric_limits<double>::infinity();
    for (const auto link : fluid->route)
      rate = std::min(rate, capacity[link] / users[link]);
    rates.push_back(rate);
  }
  return rates;
}

std::vector<double> max_min(const std::vector<double>& capacity, const std::vector<const Fluid*>& fluids) {
  std::vector<double> rates(fluids.size(), -1), left = capacity;
  for (std::size_t settled = 0; settled < fluids.size();) {
    std::vector<double> rising(capacity.size(), 0);
    for (std::size_t i = 0; i < fluids.size(); ++i)
      if (rates[i] < 0)
        for (const auto link : fluids[i]->route)
          rising[link] += 1;
    std::size_t full = capacity.size();
    for (std::size_t link = 0; link < capacity.size(); ++link)
      if (rising[link] > 0 && (full == capacity.size() || left[link] / rising[link] < left[full] / rising[full]))
        full = link;
    const double level = left[full] / rising[full];
    for (std::size_t i = 0; i < fluids.size(); ++i)
      if (rates[i] < 0 && std::count(fluids[i]->route.begin(), fluids[i]->route.end(), full) > 0) {
        rates[i] = level;
        ++settled;
        for (const auto link : fluids[i]->route)
          left[link] -= level;
      }
  }
  return rates;
}

template <class Net, class Routing>
double worst_difference(const topology::Graph& graph, bool latency, const Share& share, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<Letter> letters(80);
  std::vector<Fluid> fluids;
  std::vector<double> capacity;
  for (const auto& link : graph.links())
    capacity.push_back(link.bandwidth.bytes_per_second());
  topology::Routes<Routing> routes{graph};
  for (Letter& letter : letters) {
    letter = {Time{static_cast<std::int64_t>(random() % 2'000) * 1'000'000},
              static_cast<topology::NodeId>(random() % graph.nodes()),
              static_cast<topology::NodeId>(random() % graph.devices()), Bytes{1'000'000 + random() % 9'000'000}};
    if (letter.from == letter.to) letter.from = (letter.to + 1) % graph.nodes();
    const auto route = routes.find(letter.from, letter.to);
    const auto links = routes.links(route);
    fluids.push_back({letter.at.seconds() + (latency ? routes.latency(route).seconds() : 0.0),
                      static_cast<double>(letter.bytes.count()),
                      {links.begin(), links.end()}});
  }
  const auto expected = play(capacity, fluids, share);
  const auto arrivals = test::post(Net{graph}, letters);
  double worst = 0;
  for (std::size_t i = 0; i < letters.size(); ++i)
    worst = std::max(worst, std::abs(arrivals[i].seconds() - expected[i]) / expected[i]);
  return worst;
}

} // namespace

TEST_CASE("flow network and packet sharing agree with a plain fluid simulation") {
  const topology::Cable cable{10_GBps, 5_us}, thin{3_GBps, 1_us};
  const std::vector<topology::Graph> graphs{
      topology::ring(6, cable), topology::single_switch(5, cable), topology::leaf_spine(3, 3, 2, cable, thin),
      topology::published(5, 20_GBps, 30_GBps), topology::published(5, 20_GBps, 50_GBps)};
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const topology::Graph& graph : graphs) {
      CHECK(worst_difference<net::FlowNetwork, topology::ShortestHops>(graph, true, max_min, seed) < 1e-8);
      CHECK(worst_difference<net::SpreadFlowNetwork, topology::SpreadHops>(graph, true, max_min, seed) < 1e-8);
      CHECK(worst_difference<net::PacketSharing, topology::ShortestHops>(graph, true, equal_split, seed) < 1e-8);
      CHECK(worst_difference<net::classic::PacketSharing, topology::LeastBandwidth>(graph, false, equal_split, seed) <
            1e-8);
    }
}

TEST_CASE("two messages share a link; the second has it alone once the first is gone") {
  // 10 MB each at 10 GB/s, the second half a millisecond later: 1.5 and 2 ms, on either network.
  const std::vector<Letter> letters{{Time{}, 0, 1, 10_MB}, {500_us, 0, 1, 10_MB}};
  const topology::Graph graph = topology::ring(2, {10_GBps, Time{}});
  const std::vector<Time> expected{1500_us, 2_ms};
  CHECK(test::post(net::FlowNetwork{graph}, letters) == expected);
  CHECK(test::post(net::PacketSharing{graph}, letters) == expected);
}

TEST_CASE("what one message cannot use goes to the other with max-min, and is wasted with equal division") {
  // 0 -> 2 and 1 -> 2 over a switch; 0's own link is narrow.
  topology::Graph graph{3};
  const auto hub = graph.add_switch();
  graph.add_link(0, hub, 1_GBps);
  graph.add_link(1, hub, 10_GBps);
  graph.add_link(hub, 2, 10_GBps);
  const std::vector<Letter> letters{{Time{}, 0, 2, 10_MB}, {Time{}, 1, 2, 9_MB}};
  CHECK(test::post(net::FlowNetwork{graph}, letters) == std::vector<Time>{10_ms, 1_ms});
  CHECK(test::post(net::PacketSharing{graph}, letters) == std::vector<Time>{10_ms, 1800_us});
}

TEST_CASE("a message over a dead link never arrives, and does not keep others from arriving") {
  const topology::Graph graph = topology::published(1, 1_GBps, 1_GBps);
  topology::Graph dead{2};
  const auto link = dead.add_link(0, 1, 1_GBps);
  struct Net : net::FlowNetwork {
    using net::FlowNetwork::FlowNetwork;
  };
  Net net{dead};
  net.set_bandwidth(link, Bandwidth{});
  CHECK(test::post_one(net, 0, 1, 1_MB) == Time::infinity());
  CHECK(test::post_one(net, 0, 1, 0_B) == Time{});
  CHECK(test::post_one(net::FlowNetwork{graph}, 1, 0, 1_MB) == 1_ms + 100_ns);
}

TEST_CASE("ring steps in lock-step take steps x (latency + bytes / bandwidth)") {
  constexpr std::uint32_t ranks = 64, steps = 2 * (ranks - 1);
  net::FlowNetwork net{topology::ring(ranks, {100_GBps, 2_us})};
  net::Timetable table;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto message = table.add(Time{});
      if (step == 0) continue;
      table.after(message, message - ranks);
      table.after(message, (step - 1) * ranks + (rank + ranks - 1) % ranks);
    }
  const auto arrivals = net::play_messages(net, table, [&](std::uint32_t i, auto& port) {
    net.send({i % ranks, (i % ranks + 1) % ranks, 1_MB, i}, port);
  });
  CHECK(*std::max_element(arrivals.begin(), arrivals.end()) == steps * (2_us + 10_us));
  CHECK(*std::min_element(arrivals.end() - ranks, arrivals.end()) == steps * (2_us + 10_us));
}
