#include <triosim/net/max_min.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace triosim;
using net::FlowId;
using net::MaxMin;

namespace {

using Route = std::vector<std::uint32_t>;

// The judge: progressive filling as the textbook has it, from nothing, with no cleverness and no shared code. All flows
// that are not held back yet rise together; the link that is full first holds its flows back.
std::vector<double> textbook(const std::vector<double>& capacity, const std::vector<Route>& routes) {
  std::vector<double> rate(routes.size(), 0);
  std::vector<bool> done(routes.size(), false);
  for (;;) {
    double lowest = std::numeric_limits<double>::infinity();
    std::size_t full = capacity.size();
    for (std::size_t link = 0; link < capacity.size(); ++link) {
      double left = capacity[link];
      std::size_t rising = 0;
      for (std::size_t flow = 0; flow < routes.size(); ++flow)
        if (std::find(routes[flow].begin(), routes[flow].end(), link) != routes[flow].end()) {
          if (done[flow])
            left -= rate[flow];
          else
            ++rising;
        }
      if (rising > 0 && left / static_cast<double>(rising) < lowest) {
        lowest = left / static_cast<double>(rising);
        full = link;
      }
    }
    if (full == capacity.size()) return rate;
    for (std::size_t flow = 0; flow < routes.size(); ++flow)
      if (!done[flow] && std::find(routes[flow].begin(), routes[flow].end(), full) != routes[flow].end()) {
        rate[flow] = std::max(lowest, 0.0);
        done[flow] = true;
      }
  }
}

struct World {
  std::vector<double> capacity;
  MaxMin solver;
  std::vector<FlowId> flows{};
  std::vector<Route> routes{};

  explicit World(std::vector<double> capacities) : capacity{capacities}, solver{capacities} {}

  void add(Route route) {
    flows.push_back(solver.add(route));
    routes.push_back(std::move(route));
  }
  void remove(std::size_t i) {
    solver.remove(flows[i]);
    flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(i));
    routes.erase(routes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // The largest relative difference from the judge.
  double commit_and_judge() {
    solver.commit();
    const std::vector<double> expected = textbook(capacity, routes);
    double worst = 0;
    for (std::size_t i = 0; i < flows.size(); ++i)
      worst = std::max(worst, std::abs(solver.rate(flows[i]) - expected[i]) / std::max(expected[i], 1e-300));
    return worst;
  }
};

Route random_route(std::mt19937_64& random, std::size_t links, std::size_t longest) {
  Route route;
  const std::size_t length = 1 + random() % longest;
  while (route.size() < std::min(length, links)) {
    const auto link = static_cast<std::uint32_t>(random() % links);
    if (std::find(route.begin(), route.end(), link) == route.end()) route.push_back(link);
  }
  return route;
}

} // namespace

TEST_CASE("one link is divided equally, and what one leaves the others take") {
  World world{{12.0}};
  for (int i = 0; i < 4; ++i)
    world.add({0});
  world.solver.commit();
  CHECK(world.solver.rate(world.flows[3]) == 3.0);
  CHECK(world.solver.changed().size() == 4);
  world.remove(0);
  world.solver.commit();
  CHECK(world.solver.rate(world.flows[0]) == 4.0);
  CHECK(world.solver.changed().size() == 3);
}

TEST_CASE("parking lot: the long flow gets the least share, the short ones what it leaves") {
  // Links 10, 4, 6; one flow over all, one over each.
  World world{{10.0, 4.0, 6.0}};
  world.add({0, 1, 2});
  world.add({0});
  world.add({1});
  world.add({2});
  CHECK(world.commit_and_judge() == 0);
  CHECK(world.solver.rate(world.flows[0]) == 2.0);
  CHECK(world.solver.rate(world.flows[1]) == 8.0);
  CHECK(world.solver.rate(world.flows[2]) == 2.0);
  CHECK(world.solver.rate(world.flows[3]) == 4.0);
  CHECK(world.solver.bottleneck(world.flows[0]) == 1);
}

TEST_CASE("a flow replaced by its like changes nobody else") {
  World world{std::vector<double>(8, 1e9)};
  for (std::uint32_t i = 0; i < 8; ++i)
    world.add({i, (i + 1) % 8});
  world.solver.commit();
  world.remove(3);
  world.add({3, 4});
  world.solver.commit();
  CHECK(world.solver.changed().size() == 1);
  CHECK(world.solver.changed()[0] == world.flows.back());
}

TEST_CASE("a dead link stops its flows and nobody else; one that comes back serves them") {
  World world{{5.0, 0.0, 5.0}};
  world.add({0, 1});
  world.add({0});
  world.add({1, 2});
  world.add({2});
  CHECK(world.commit_and_judge() == 0);
  CHECK(world.solver.rate(world.flows[0]) == 0);
  CHECK(world.solver.rate(world.flows[1]) == 5);
  world.capacity[1] = 2;
  world.solver.set_capacity(1, 2);
  CHECK(world.commit_and_judge() < 1e-12);
  CHECK(world.solver.rate(world.flows[0]) == 1);
  world.capacity[0] = 0.5;
  world.solver.set_capacity(0, 0.5);
  CHECK(world.commit_and_judge() < 1e-12);
  CHECK(world.solver.rate(world.flows[2]) == 1.75);
}

TEST_CASE("added and removed before a commit is as if it had never been") {
  World world{{8.0, 8.0}};
  world.add({0, 1});
  world.solver.commit();
  world.add({0});
  world.remove(1);
  world.solver.commit();
  CHECK(world.solver.changed().empty());
  CHECK(world.solver.rate(world.flows[0]) == 8.0);
  world.remove(0);
  world.solver.commit();
  CHECK(world.solver.changed().empty());
}

TEST_CASE("thousands of commits on random topologies agree with the textbook") {
  std::size_t commits = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random{seed};
    const std::size_t links = 1 + random() % 40;
    // Few distinct capacities make ties, many make none; a wide range makes slow flows beside fast ones.
    std::vector<double> capacity(links);
    for (double& c : capacity) {
      switch (seed % 4) {
      case 0:
        c = 1e9;
        break;
      case 1:
        c = 1e9 * static_cast<double>(1 + random() % 3);
        break;
      case 2:
        c = std::uniform_real_distribution<>{1e8, 1e10}(random);
        break;
      default:
        c = std::pow(10.0, std::uniform_real_distribution<>{3, 12}(random));
        break;
      }
    }
    World world{capacity};
    const std::size_t target = 1 + random() % 120;
    const std::size_t longest = 1 + random() % 6;
    double worst = 0;
    for (int step = 0; step < 100; ++step) {
      const std::size_t changes = 1 + (step % 10 == 0 ? random() % 20 : random() % 2);
      for (std::size_t i = 0; i < changes; ++i) {
        if (world.flows.size() > 0 && (world.flows.size() >= target || random() % 4 == 0))
          world.remove(random() % world.flows.size());
        if (world.flows.size() < target) world.add(random_route(random, links, longest));
      }
      if (random() % 16 == 0) {
        const auto link = static_cast<std::uint32_t>(random() % links);
        world.capacity[link] *= random() % 2 == 0 ? 0.5 : 2.0;
        world.solver.set_capacity(link, world.capacity[link]);
      }
      worst = std::max(worst, world.commit_and_judge());
      ++commits;
    }
    INFO("seed ", seed);
    CHECK(worst < 1e-9);
  }
  CHECK(commits == 6000);
}

TEST_CASE("a long life on one network does not let rounding pile up") {
  std::mt19937_64 random{5};
  std::vector<double> capacity(64);
  for (double& c : capacity)
    c = std::uniform_real_distribution<>{1e9, 2e9}(random);
  World world{capacity};
  double worst = 0;
  for (int step = 0; step < 200'000; ++step) {
    if (world.flows.size() >= 48) world.remove(random() % world.flows.size());
    world.add(random_route(random, 64, 4));
    if (step % 1000 == 0) {
      worst = std::max(worst, world.commit_and_judge());
    } else {
      world.solver.commit();
    }
  }
  CHECK(worst < 1e-11);
}

TEST_CASE("changed() names each flow whose rate differs, once, and no other") {
  std::mt19937_64 random{11};
  World world{std::vector<double>(30, 7e9)};
  for (int i = 0; i < 200; ++i)
    world.add(random_route(random, 30, 3));
  world.solver.commit();
  for (int step = 0; step < 500; ++step) {
    std::vector<double> before(world.solver.table().places());
    for (const FlowId flow : world.flows)
      before[flow] = world.solver.rate(flow);
    const FlowId gone = world.flows[0];
    world.remove(0);
    world.add(random_route(random, 30, 3));
    before[world.flows.back()] = 0;
    world.solver.commit();
    std::vector<FlowId> expected;
    for (const FlowId flow : world.flows)
      if (world.solver.rate(flow) != before[flow]) expected.push_back(flow);
    std::vector<FlowId> told{world.solver.changed().begin(), world.solver.changed().end()};
    std::sort(expected.begin(), expected.end());
    std::sort(told.begin(), told.end());
    REQUIRE(std::adjacent_find(told.begin(), told.end()) == told.end());
    CHECK(std::includes(told.begin(), told.end(), expected.begin(), expected.end()));
    CHECK(told.size() <= expected.size() + 1);
    (void)gone;
  }
}
