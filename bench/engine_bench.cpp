// Event throughput, hold model: pop one event, schedule one, with a fixed number pending and exponential increments.
// The baseline is what a study would write by hand: std::priority_queue of std::function.
#include <triosim/engine/serial.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace {

using namespace triosim;

std::vector<std::int64_t> increments() {
  std::mt19937_64 random{1};
  std::exponential_distribution<double> exponential{1.0 / 1e6};
  std::vector<std::int64_t> values(1 << 16);
  for (auto& value : values)
    value = static_cast<std::int64_t>(exponential(random)) + 1;
  return values;
}

template <class Queue>
void hold(benchmark::State& state) {
  const auto steps = increments();
  Queue queue;
  std::size_t next = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    queue.push(Time{steps[next++ & 0xFFFF]}, engine::Event{0, 0, 0});
  std::uint64_t sum = 0;
  for (auto _ : state) {
    const Time now = queue.next_time();
    const engine::TimedEvent popped = queue.pop();
    sum += popped.event.argument();
    ++next;
    queue.push(now + Time{steps[next & 0xFFFF]}, engine::Event{1, 2, static_cast<std::uint32_t>(next)});
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

template <class Engine>
void engine_hold(benchmark::State& state) {
  struct Handler {
    Engine& engine;
    const std::vector<std::int64_t>& steps;
    std::uint64_t left;
    std::size_t next = 0;
    std::uint64_t sum = 0;
    void handle(engine::Event event) {
      switch (event.kind()) {
      case 0:
        sum += event.argument();
        break;
      case 1:
        sum ^= event.entity();
        break;
      default:
        ++sum;
      }
      if (left > 0) {
        --left;
        ++next;
        engine.schedule(engine.now() + Time{steps[next & 0xFFFF]},
                        engine::Event{static_cast<std::uint8_t>(next % 3), 7, static_cast<std::uint32_t>(next)});
      }
    }
    void instant_end() {}
  };
  const auto steps = increments();
  constexpr std::uint64_t batch = 1 << 20;
  for (auto _ : state) {
    Engine engine;
    Handler handler{engine, steps, batch};
    for (std::int64_t i = 0; i < state.range(0); ++i)
      engine.schedule(Time{steps[handler.next++ & 0xFFFF]}, engine::Event{0, 0, 0});
    engine.run(handler);
    benchmark::DoNotOptimize(handler.sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}

void baseline(benchmark::State& state) {
  struct Entry {
    double time;
    std::uint64_t sequence;
    std::function<void()> action;
    bool operator<(const Entry& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  const auto steps = increments();
  std::priority_queue<Entry> queue;
  std::size_t next = 0;
  std::uint64_t sequence = 0, sum = 0;
  double now = 0;
  const auto schedule = [&] {
    const std::uint64_t a = next, b = next * 3, c = next ^ 5;
    queue.push({now + static_cast<double>(steps[next++ & 0xFFFF]), sequence++, [&sum, a, b, c] { sum += a ^ b ^ c; }});
  };
  for (std::int64_t i = 0; i < state.range(0); ++i)
    schedule();
  for (auto _ : state) {
    Entry entry = std::move(const_cast<Entry&>(queue.top()));
    queue.pop();
    now = entry.time;
    entry.action();
    schedule();
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

#define TRIOSIM_PENDING ->Arg(16)->Arg(256)->Arg(4096)->Arg(65536)
BENCHMARK(baseline)->Name("baseline/priority_queue_of_function") TRIOSIM_PENDING;
BENCHMARK(hold<engine::RadixQueue>)->Name("queue/radix") TRIOSIM_PENDING;
BENCHMARK(hold<engine::HeapQueue<4>>)->Name("queue/heap4") TRIOSIM_PENDING;
BENCHMARK(hold<engine::HeapQueue<8>>)->Name("queue/heap8") TRIOSIM_PENDING;
BENCHMARK(engine_hold<engine::Serial>)->Name("engine/serial") TRIOSIM_PENDING;
BENCHMARK(engine_hold<engine::SerialHeap>)->Name("engine/serial_heap") TRIOSIM_PENDING;

} // namespace
