// The laws of the Network slot (concepts.hpp), for every network that ships.
#include "support/postman.hpp"

#include <triosim/collective/halving_doubling.hpp>
#include <triosim/concepts.hpp>
#include <triosim/net/classic_exact.hpp>
#include <triosim/net/classic_optical.hpp>
#include <triosim/net/congestion_aware.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/net/optical.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/net/with_collectives.hpp>
#include <triosim/topology/builders/direct.hpp>
#include <triosim/topology/builders/published.hpp>
#include <triosim/topology/builders/switched.hpp>
#include <triosim/topology/builders/two_tier.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <random>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using test::Letter;

using FlowsInHalves = net::WithCollectives<net::FlowNetwork, collective::HalvingDoubling>;

#define TRIOSIM_ALL_NETS                                                                                               \
  net::Ideal, net::FlowNetwork, net::SpreadFlowNetwork, net::PacketSharing, net::CongestionAware, FlowsInHalves,       \
      net::Optical, net::classic::PacketSharing, net::classic::Optical, net::classic::ExactPacketSharing

namespace {

template <class... Nets>
constexpr bool all_are_networks = (... && (NetworkPolicy<Nets> && std::constructible_from<Nets, const Cluster&>));
static_assert(all_are_networks<TRIOSIM_ALL_NETS>);

const topology::Cable cable{50_GBps, 3_us};

std::vector<Letter> random_letters(std::uint64_t seed, std::uint32_t nodes, std::size_t count) {
  std::mt19937_64 random{seed};
  std::vector<Letter> letters(count);
  for (Letter& letter : letters) {
    letter.at = Time{static_cast<std::int64_t>(random() % 8) * 10'000'000};
    letter.from = static_cast<topology::NodeId>(random() % nodes);
    letter.to = static_cast<topology::NodeId>(random() % nodes);
    letter.bytes = random() % 10 == 0 ? 0_B : Bytes{random() % 3'000'000};
  }
  return letters;
}

std::vector<Cluster> machines() {
  std::vector<Cluster> clusters;
  clusters.emplace_back(topology::ring(8, cable));
  clusters.emplace_back(topology::torus(std::array{3u, 4u}, cable));
  clusters.emplace_back(topology::fully_connected(5, cable));
  clusters.emplace_back(topology::fat_tree(4, 16, cable));
  clusters.emplace_back(topology::two_tier({.islands = 2, .island = {450_GBps, 1_us}, .nic = cable}));
  clusters.emplace_back(topology::published(6, 30_GBps, 65_GBps));
  return clusters;
}

} // namespace

TEST_CASE_TEMPLATE("every message arrives once, not before it was sent, and again at the same time", Net,
                   TRIOSIM_ALL_NETS) {
  for (const Cluster& cluster : machines()) {
    const Net net{cluster};
    const auto letters = random_letters(1, cluster.ranks(), 500);
    const auto arrivals = test::post(net, letters);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      CHECK(arrivals[i] >= letters[i].at);
      CHECK(arrivals[i] < Time::infinity());
    }
    CHECK(test::post(net, letters) == arrivals);
    CHECK(test::post(Net{cluster}, letters) == arrivals);
  }
}

TEST_CASE_TEMPLATE("a message from a node to itself takes no time", Net, TRIOSIM_ALL_NETS) {
  CHECK(test::post_one(Net{machines()[0]}, 3, 3, 5_GB) == Time{});
}

TEST_CASE_TEMPLATE("zero load: latencies plus bytes over the narrowest link, and load never makes it earlier", Net,
                   net::Ideal, net::FlowNetwork, net::PacketSharing) {
  for (const Cluster& cluster : machines()) {
    const Net net{cluster};
    topology::Routes<topology::ShortestHops> routes{cluster.topology};
    const auto closed_form = [&](topology::NodeId from, topology::NodeId to, Bytes bytes) {
      const auto route = routes.find(from, to);
      return routes.latency(route) + bytes / routes.bandwidth(route);
    };
    for (topology::NodeId to = 1; to < cluster.ranks(); ++to) {
      CHECK(test::post_one(net, 0, to, 7_MB) == closed_form(0, to, 7_MB));
      CHECK(test::post_one(net, 0, to, 0_B) == closed_form(0, to, 0_B));
    }
    const auto letters = random_letters(2, cluster.ranks(), 300);
    const auto arrivals = test::post(net, letters);
    for (std::size_t i = 0; i < letters.size(); ++i)
      CHECK(arrivals[i] + Time{2} >= letters[i].at + closed_form(letters[i].from, letters[i].to, letters[i].bytes));
  }
}

TEST_CASE_TEMPLATE("a wider link is never later where all meet on one link", Net, net::Ideal, net::FlowNetwork,
                   net::PacketSharing, net::CongestionAware, net::classic::PacketSharing,
                   net::classic::ExactPacketSharing) {
  std::vector<Letter> letters = random_letters(3, 2, 200);
  for (Letter& letter : letters) {
    letter.from = 0;
    letter.to = 1;
  }
  std::vector<Time> before(letters.size(), Time::infinity());
  for (const double width : {1e9, 1.1e9, 2e9, 7e9, 1e11}) {
    const auto arrivals = test::post(Net{Cluster{topology::ring(2, {Bandwidth{width}, 1_us})}}, letters);
    for (std::size_t i = 0; i < letters.size(); ++i)
      CHECK(arrivals[i] - Time{1} <= before[i]);
    before = arrivals;
  }
}

TEST_CASE_TEMPLATE("twice the bandwidth everywhere takes half the time where all start together and latency is none",
                   Net, net::Ideal, net::FlowNetwork, net::PacketSharing, net::classic::PacketSharing,
                   net::classic::ExactPacketSharing) {
  const auto make = [](double width) {
    return Net{Cluster{topology::torus(std::array{4u, 4u}, {Bandwidth{width}, Time{}})}};
  };
  auto letters = random_letters(4, 16, 300);
  for (Letter& letter : letters)
    letter.at = Time{};
  const auto once = test::post(make(1e9), letters), twice = test::post(make(2e9), letters);
  for (std::size_t i = 0; i < letters.size(); ++i)
    CHECK(std::abs(once[i].picoseconds() - 2 * twice[i].picoseconds()) <= 1000);
}

TEST_CASE_TEMPLATE("the numbers of the ranks do not matter, only who is joined to whom", Net, net::Ideal,
                   net::FlowNetwork, net::PacketSharing) {
  // A switch with a different link to each device, and the same with the devices renumbered.
  constexpr std::uint32_t n = 10;
  std::mt19937_64 random{9};
  std::array<std::uint32_t, n> number{};
  for (std::uint32_t i = 0; i < n; ++i)
    number[i] = i;
  std::shuffle(number.begin(), number.end(), random);
  const auto make = [&](bool renumbered) {
    topology::Graph graph{n};
    const auto hub = graph.add_switch();
    for (std::uint32_t i = 0; i < n; ++i)
      graph.add_cable(renumbered ? number[i] : i, hub, Bandwidth{1e9 * (1 + i)}, Time{1000 * i});
    return Net{Cluster{graph}};
  };
  const auto letters = random_letters(5, n, 300);
  auto renumbered = letters;
  for (Letter& letter : renumbered) {
    letter.from = number[letter.from];
    letter.to = number[letter.to];
  }
  CHECK(test::post(make(false), letters) == test::post(make(true), renumbered));
}

TEST_CASE_TEMPLATE("two jobs on disjoint links do not notice each other", Net, net::FlowNetwork, net::PacketSharing,
                   net::CongestionAware) {
  topology::Graph graph{8};
  const auto left = graph.add_switch(), right = graph.add_switch();
  for (std::uint32_t i = 0; i < 8; ++i)
    topology::join(graph, i, i < 4 ? left : right, cable);
  const Net net{Cluster{graph}};
  auto job = random_letters(6, 4, 200), other = random_letters(7, 4, 200);
  for (Letter& letter : other) {
    letter.from += 4;
    letter.to += 4;
  }
  const auto alone = test::post(net, job);
  const std::size_t size = job.size();
  job.insert(job.end(), other.begin(), other.end());
  const auto together = test::post(net, job);
  CHECK(std::equal(alone.begin(), alone.end(), together.begin()));
  CHECK(together.size() == size + other.size());
}

TEST_CASE("max-min is never slower in total than what each link grants equally") {
  for (const Cluster& cluster : machines()) {
    auto letters = random_letters(8, cluster.ranks(), 200);
    for (Letter& letter : letters)
      letter.at = Time{};
    const auto filled = test::post(net::FlowNetwork{cluster}, letters);
    const auto equal = test::post(net::PacketSharing{cluster}, letters);
    CHECK(*std::max_element(filled.begin(), filled.end()) <=
          *std::max_element(equal.begin(), equal.end()) + Time{1000});
  }
}
