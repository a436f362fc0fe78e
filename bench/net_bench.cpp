// Flow events per second: one flow finishes, another starts, and the shares of all are max-min fair again.
#include <triosim/net/max_min.hpp>
#include <triosim/net/transfers.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace triosim;

// Routes of random pairs, made beforehand: the benchmark is about sharing, not about routing.
struct Scenario {
  std::vector<double> capacities;
  std::vector<std::uint32_t> hops;
  std::vector<std::uint32_t> first{0};

  void close() { first.push_back(static_cast<std::uint32_t>(hops.size())); }
  std::span<const std::uint32_t> route(std::size_t i) const {
    i %= first.size() - 1;
    return {hops.data() + first[i], first[i + 1] - first[i]};
  }
};

constexpr std::size_t routes = 1 << 14;

Scenario ring(std::uint32_t n, std::mt19937_64&) {
  Scenario s;
  s.capacities.assign(n, 10e9);
  for (std::uint32_t i = 0; i < n; ++i) {
    s.hops.push_back(i);
    s.close();
  }
  return s;
}

Scenario star(std::uint32_t n, std::mt19937_64& random) {
  Scenario s;
  s.capacities.assign(2 * n, 10e9);
  for (std::size_t i = 0; i < routes; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % n);
    const auto b = static_cast<std::uint32_t>((a + 1 + random() % (n - 1)) % n);
    s.hops.insert(s.hops.end(), {a, n + b});
    s.close();
  }
  return s;
}

// k-ary fat tree, k^3/4 hosts, upward choices at random.
Scenario fat_tree(std::uint32_t k, std::mt19937_64& random) {
  const std::uint32_t h = k / 2, n = k * h * h;
  Scenario s;
  s.capacities.assign(6 * n, 10e9);
  for (std::size_t i = 0; i < routes; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % n);
    const auto b = static_cast<std::uint32_t>((a + 1 + random() % (n - 1)) % n);
    const std::uint32_t edge_a = a / h, edge_b = b / h, pod_a = a / (h * h), pod_b = b / (h * h);
    const auto up = static_cast<std::uint32_t>(random() % h), core = static_cast<std::uint32_t>(random() % h);
    s.hops.push_back(a);
    if (edge_a != edge_b) {
      s.hops.push_back(2 * n + edge_a * h + up);
      if (pod_a != pod_b) {
        s.hops.push_back(4 * n + (pod_a * h + up) * h + core);
        s.hops.push_back(5 * n + (pod_b * h + up) * h + core);
      }
      s.hops.push_back(3 * n + edge_b * h + up);
    }
    s.hops.push_back(n + b);
    s.close();
  }
  return s;
}

// A fixed number of flows of random sizes; each that finishes is followed by the next.
template <Scenario (*make)(std::uint32_t, std::mt19937_64&)>
void replace(benchmark::State& state) {
  std::mt19937_64 random{1};
  const Scenario scenario = make(static_cast<std::uint32_t>(state.range(0)), random);
  std::vector<std::uint64_t> sizes(routes);
  for (auto& size : sizes)
    size = 1'000'000 + random() % 9'000'000;
  net::Transfers<net::MaxMin> transfers{net::MaxMin{scenario.capacities}};
  std::size_t started = 0;
  std::vector<std::size_t> which(static_cast<std::size_t>(state.range(1)));
  const auto start = [&](std::size_t next) {
    const net::FlowId flow = transfers.start(scenario.route(next), Bytes{sizes[started++ % routes]});
    which[flow] = next;
  };
  while (started < static_cast<std::size_t>(state.range(1)))
    start(started);
  Time now;
  transfers.commit(now);
  std::int64_t events = 0;
  for (auto _ : state) {
    now = transfers.next_finish();
    transfers.finish(now, [&](net::FlowId flow) {
      ++events;
      // On the ring a flow is followed by one between the same neighbours, elsewhere by another pair.
      start(scenario.first.size() - 1 == routes ? started : which[flow]);
    });
    transfers.commit(now);
  }
  state.SetItemsProcessed(events);
}

// Steps of a synchronous ring: all flows start together, finish together.
void ring_steps(benchmark::State& state) {
  std::mt19937_64 random{1};
  const Scenario scenario = ring(static_cast<std::uint32_t>(state.range(0)), random);
  net::Transfers<net::MaxMin> transfers{net::MaxMin{scenario.capacities}};
  Time now;
  std::int64_t events = 0;
  const auto step = [&] {
    for (std::size_t i = 0; i < static_cast<std::size_t>(state.range(0)); ++i)
      transfers.start(scenario.route(i), Bytes{1'000'000});
    transfers.commit(now);
  };
  step();
  for (auto _ : state) {
    now = transfers.next_finish();
    transfers.finish(now, [&](net::FlowId) { ++events; });
    step();
  }
  state.SetItemsProcessed(events);
}

BENCHMARK(replace<ring>)->Name("max_min/ring/hosts:flows")->Args({1024, 1024});
BENCHMARK(replace<star>)->Name("max_min/switch/hosts:flows")->Args({1024, 1024})->Args({64, 1024});
BENCHMARK(replace<fat_tree>)->Name("max_min/fat_tree/k:flows")->Args({16, 256})->Args({16, 1024})->Args({16, 4096});
BENCHMARK(ring_steps)->Name("max_min/ring_steps")->Arg(1024);

} // namespace
