// How fast the player plays, apart from networks: a net where nobody is in anybody's way.
#include <triosim/engine/serial.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::literals;

// A byte a nanosecond. With jitter the messages differ in length, as they do where links are shared: no two events tie.
template <bool Jitter>
struct Wire {
  std::uint64_t state = 1;
  template <class Port>
  void send(const net::Message& message, Port& port) {
    Time length = message.bytes / Bandwidth{1e9};
    if constexpr (Jitter) {
      state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
      length += Time{static_cast<std::int64_t>(state >> 44)};
    }
    port.deliver_at(port.now() + length, message.id);
  }
};

struct Given {
  using Source = TaskGraph;
  TaskGraph lower(const TaskGraph& graph, const Cluster&) const { return graph; }
};

template <class Net = Wire<false>>
using Sim = Simulator<engine::Serial, time_model::Recorded, Net, Given>;

Operation work(Time time) {
  Operation operation;
  operation.name = "work";
  operation.recorded = time;
  return operation;
}

TaskGraph world(std::uint32_t ranks, Program program) {
  TaskGraph graph{ranks};
  graph.add_program(std::move(program));
  graph.add_group(Communicators::world(ranks));
  return graph;
}

template <class Net = Wire<false>>
void play(benchmark::State& state, const TaskGraph& graph, std::int64_t items) {
  const Sim<Net> sim{Cluster{topology::Graph{graph.ranks()}}, {}, {}, Net{}};
  for (auto _ : state)
    benchmark::DoNotOptimize(sim.play(graph).total);
  state.SetItemsProcessed(state.iterations() * items);
}

// Tasks one after the other on each rank.
void chain(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t length = 1'000'000 / ranks;
  Program program;
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < length; ++i)
    last = {program.add_compute(work(Time{1'000 + i % 7}), last)};
  play(state, world(ranks, program), std::int64_t{length} * ranks);
}
BENCHMARK(chain)->Name("player/chain")->Arg(1)->Arg(64)->Arg(1'024)->Unit(benchmark::kMillisecond);

// Messages of a ring all-reduce: 2(N-1) steps of N messages.
template <class Net>
void ring(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  Program program;
  program.add_collective("sum", {CollectiveType::AllReduce, 0, Bytes{std::uint64_t{1} << 20}});
  play<Net>(state, world(ranks, program), std::int64_t{2} * (ranks - 1) * ranks);
}
#define TRIOSIM_RANKS ->Arg(64)->Arg(256)->Arg(1'024)->Unit(benchmark::kMillisecond)
BENCHMARK(ring<Wire<false>>)->Name("player/ring_messages") TRIOSIM_RANKS;
BENCHMARK(ring<Wire<true>>)->Name("player/ring_messages_that_do_not_tie") TRIOSIM_RANKS;

// Messages of an all-to-all, all at once.
void all_to_all(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  Program program;
  program.add_collective("shuffle", {CollectiveType::AllToAll, 0, Bytes{std::uint64_t{1} << 20}});
  play(state, world(ranks, program), std::int64_t{ranks} * (ranks - 1));
}
BENCHMARK(all_to_all)->Name("player/all_to_all_messages") TRIOSIM_RANKS;

// Sends and receives in a ring, each with a task before and after it.
template <class Net>
void point_to_point(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t rounds = 262'144 / ranks;
  Program program;
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const TaskId compute = program.add_compute(work(1_us), last);
    program.add_send("out", {0, 1, i, 1_KB}, std::array{compute});
    last = {program.add_receive("in", {0, -1, i, 1_KB}, std::array{compute})};
  }
  play<Net>(state, world(ranks, program), std::int64_t{rounds} * ranks);
}
BENCHMARK(point_to_point<Wire<false>>)->Name("player/point_to_point_messages") TRIOSIM_RANKS;
BENCHMARK(point_to_point<Wire<true>>)->Name("player/point_to_point_messages_that_do_not_tie") TRIOSIM_RANKS;

// Small all-reduces one after the other in groups of eight.
void small_collectives(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t rounds = 65'536 / ranks;
  Program program;
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    last = {program.add_compute(work(1_us), last)};
    last = {program.add_collective("sum", {CollectiveType::AllReduce, 0, 8_KB}, last)};
  }
  TaskGraph graph{ranks};
  graph.add_program(std::move(program));
  std::vector<std::vector<std::uint32_t>> groups(ranks / 8);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    groups[rank / 8].push_back(rank);
  graph.add_group(Communicators::of("eights", ranks, groups));
  play(state, graph, std::int64_t{rounds} * ranks * 14);
}
BENCHMARK(small_collectives)->Name("player/messages_of_small_collectives") TRIOSIM_RANKS;

} // namespace
