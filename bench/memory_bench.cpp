// What keeping account of memory costs: the same steps with each policy, tasks a second.
#include <triosim/engine/serial.hpp>
#include <triosim/memory/bounded.hpp>
#include <triosim/memory/remote.hpp>
#include <triosim/memory/unbounded.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::literals;

struct Wire {
  template <class Port>
  void send(const net::Message& message, Port& port) {
    port.deliver_at(port.now() + message.bytes / Bandwidth{64e9}, message.id);
  }
};

struct Given {
  using Source = TaskGraph;
  TaskGraph lower(const TaskGraph& graph, const Cluster&) const { return graph; }
};

constexpr std::uint32_t layers = 500, ranks = 64;

// A step as of a deep network: forward, backward, update; weights, gradients and activations of a megabyte each.
TaskGraph step() {
  Program program;
  Operation operation;
  operation.name = "layer";
  operation.recorded = 20_us;
  std::vector<TensorIndex> weights, gradients, activations;
  for (std::uint32_t i = 0; i <= layers; ++i) {
    weights.push_back(program.add_tensor({1_MB, true}));
    gradients.push_back(program.add_tensor({1_MB, false}));
    activations.push_back(program.add_tensor({1_MB, false}));
  }
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < layers; ++i) {
    last = {program.add_compute(operation, last)};
    program.uses(std::array{activations[i], weights[i]}, std::array{activations[i + 1]});
  }
  for (std::uint32_t i = layers; i-- > 0;) {
    last = {program.add_compute(operation, last)};
    program.uses(std::array{activations[i + 1], activations[i], weights[i]}, std::array{gradients[i]});
  }
  for (std::uint32_t i = 0; i < layers; ++i) {
    last = {program.add_compute(operation, last)};
    program.uses(std::array{gradients[i], weights[i]}, std::array{weights[i]});
  }
  TaskGraph graph{ranks};
  graph.add_program(std::move(program));
  return graph;
}

template <class Memory>
void play(benchmark::State& state, std::optional<Bytes> capacity) {
  const TaskGraph graph = step();
  topology::Graph links{ranks};
  links.add_memory();
  const Simulator<engine::Serial, time_model::Recorded, Wire, Given, Memory> sim{Cluster{links, capacity}, {}, {}, {}};
  Time total;
  for (auto _ : state)
    total = sim.play(graph).total;
  state.counters["simulated_ms"] = total.seconds() * 1e3;
  state.SetItemsProcessed(state.iterations() * 3 * layers * ranks);
}

void unbounded(benchmark::State& state) {
  play<memory::Unbounded>(state, std::nullopt);
}
void bounded(benchmark::State& state) {
  play<memory::Bounded>(state, std::nullopt);
}
void remote(benchmark::State& state) {
  play<memory::Remote>(state, std::nullopt);
}
void remote_short_of_room(benchmark::State& state) {
  play<memory::Remote>(state, 400_MB);
}
BENCHMARK(unbounded)->Name("memory/unbounded")->Unit(benchmark::kMillisecond);
BENCHMARK(bounded)->Name("memory/bounded")->Unit(benchmark::kMillisecond);
BENCHMARK(remote)->Name("memory/remote")->Unit(benchmark::kMillisecond);
BENCHMARK(remote_short_of_room)->Name("memory/remote_short_of_room")->Unit(benchmark::kMillisecond);

} // namespace
