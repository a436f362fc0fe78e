#include <triosim/strategy/balance.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <vector>

using namespace triosim;

namespace {

std::vector<Time> times(std::initializer_list<std::int64_t> values) {
  std::vector<Time> result;
  for (const std::int64_t value : values)
    result.emplace_back(value);
  return result;
}

std::int64_t dearest(const std::vector<Time>& costs, const std::vector<std::size_t>& begins) {
  std::int64_t worst = 0;
  for (std::size_t part = 0; part + 1 < begins.size(); ++part) {
    std::int64_t sum = 0;
    for (std::size_t i = begins[part]; i < begins[part + 1]; ++i)
      sum += costs[i].picoseconds();
    worst = std::max(worst, sum);
  }
  return worst;
}

// All ways to cut.
std::int64_t best_of_all(const std::vector<Time>& costs, std::uint32_t parts) {
  std::int64_t best = INT64_MAX;
  std::vector<std::size_t> begins{0};
  const std::function<void()> extend = [&] {
    if (begins.size() == parts) {
      auto whole = begins;
      whole.push_back(costs.size());
      best = std::min(best, dearest(costs, whole));
      return;
    }
    for (std::size_t next = begins.back() + 1; next < costs.size(); ++next) {
      begins.push_back(next);
      extend();
      begins.pop_back();
    }
  };
  extend();
  return best;
}

} // namespace

TEST_CASE("equal costs are shared out equally") {
  const std::vector<Time> costs(12, Time{5});
  CHECK(strategy::balance(costs, 4) == std::vector<std::size_t>{0, 3, 6, 9, 12});
  CHECK(strategy::balance(costs, 1) == std::vector<std::size_t>{0, 12});
  CHECK(strategy::balance(costs, 12).size() == 13);
}

TEST_CASE("the dearest part is as cheap as it can be, and no part is empty") {
  std::mt19937 random{3};
  for (int round = 0; round < 300; ++round) {
    std::vector<Time> costs;
    const std::size_t count = 1 + random() % 9;
    for (std::size_t i = 0; i < count; ++i)
      costs.emplace_back(static_cast<std::int64_t>(random() % 4 == 0 ? 0 : random() % 20));
    for (std::uint32_t parts = 1; parts <= count; ++parts) {
      const auto begins = strategy::balance(costs, parts);
      REQUIRE(begins.size() == parts + 1);
      for (std::size_t part = 0; part < parts; ++part)
        REQUIRE(begins[part] < begins[part + 1]);
      REQUIRE(dearest(costs, begins) == best_of_all(costs, parts));
    }
  }
}

TEST_CASE("more parts than costs are refused") {
  CHECK_THROWS_WITH_AS(strategy::balance(times({1, 2}), 3),
                       "stages: found \"3\", expected 1 to 2, the layers to share out", ConfigError);
  CHECK_THROWS_AS(strategy::balance(times({1, 2}), 0), ConfigError);
}
