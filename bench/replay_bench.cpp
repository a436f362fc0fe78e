// Collectives message by message: by the rules of ASTRA-sim, and by the player on networks, by each algorithm; NCCL's
// closed form; a step of GPT-3 lowered and written as Chakra traces.
#include <triosim/collective/chosen.hpp>
#include <triosim/engine/serial.hpp>
#include <triosim/io/task_graph_traces.hpp>
#include <triosim/net/congestion_aware.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/net/nccl.hpp>
#include <triosim/net/with_collectives.hpp>
#include <triosim/player/streams/system.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/replay.hpp>
#include <triosim/symbolic/physical/training_step.hpp>
#include <triosim/symbolic/physical/transformer.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/topology/builders/direct.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::literals;
namespace streams = player::streams;

ReplayWorkload all_reduce(std::uint32_t ranks, std::int64_t bytes) {
  ReplayProgram program;
  ReplayProgram::Node node;
  node.kind = ReplayProgram::Kind::Collective;
  node.bytes = bytes;
  program.nodes = {node};
  program.after_begins = {0, 0};
  program.waits = {0};
  program.names = {"all-reduce"};
  program.communications = 1;
  ReplayWorkload workload;
  workload.programs = {program};
  workload.ranks.assign(ranks, {0, {ReplayWorkload::everybody}});
  return workload;
}

void count(benchmark::State& state, const Report& report) {
  std::uint64_t messages = 0;
  for (const RankReport& rank : report.ranks)
    messages += rank.messages_sent;
  const auto runs = static_cast<double>(state.iterations());
  state.counters["messages"] = benchmark::Counter(static_cast<double>(messages) * runs, benchmark::Counter::kIsRate);
  state.counters["events"] = benchmark::Counter(static_cast<double>(report.events) * runs, benchmark::Counter::kIsRate);
}

void astra_sim_rules(benchmark::State& state, const char* how) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const ReplayWorkload workload = all_reduce(ranks, 1 << 20);
  streams::Settings settings;
  settings.local_memory_gbps = 1600;
  for (auto& list : settings.implementations)
    list = {streams::parse_implementation(how)};
  const std::vector<streams::Dimension> ring{{streams::Dimension::Shape::Ring, ranks, 50, 500}};
  Report report;
  for (auto _ : state)
    report = streams::System<streams::CongestionUnaware>{workload, settings, ring}.run();
  count(state, report);
}
BENCHMARK_CAPTURE(astra_sim_rules, ring, "ring")->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(astra_sim_rules, direct, "direct")->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(astra_sim_rules, halving_doubling, "halvingDoubling")->Arg(1024)->Unit(benchmark::kMillisecond);

template <class Base>
void on_network(benchmark::State& state, collective::Chosen::Kind kind) {
  using Net = net::WithCollectives<Base, collective::Chosen>;
  using Sim = Simulator<engine::Serial, time_model::Recorded, Net, strategy::Replay>;
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const ReplayWorkload workload = all_reduce(ranks, 1 << 24);
  const Cluster cluster{topology::single_switch(ranks, {50_GBps, 1_us})};
  const Sim simulator{cluster, {}, {}, Net{cluster, collective::Chosen{kind}}};
  const TaskGraph graph = simulator.lower(workload);
  Report report;
  for (auto _ : state)
    report = simulator.play(graph);
  count(state, report);
}
using Kind = collective::Chosen::Kind;
void no_contention(benchmark::State& state, Kind kind) {
  on_network<net::Ideal>(state, kind);
}
void fair_flows(benchmark::State& state, Kind kind) {
  on_network<net::FlowNetwork>(state, kind);
}
void links_in_turn(benchmark::State& state, Kind kind) {
  on_network<net::CongestionAware>(state, kind);
}
BENCHMARK_CAPTURE(no_contention, ring, Kind::Standard)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(links_in_turn, ring, Kind::Standard)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fair_flows, ring, Kind::Standard)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fair_flows, halving_doubling, Kind::HalvingDoubling)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fair_flows, two_trees, Kind::DoubleBinaryTree)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fair_flows, islands, Kind::Hierarchical)->Arg(1024)->Unit(benchmark::kMillisecond);

void nccl_closed_form(benchmark::State& state) {
  NcclCosts costs;
  for (auto& protocol : costs.protocols)
    protocol = {10_us, 1_us, 5_us, 0.9};
  costs.pair = costs.many = 200_GBps;
  costs.net = 20_GBps;
  const net::NcclModel model{costs, 8};
  std::uint64_t bytes = 1;
  for (auto _ : state)
    benchmark::DoNotOptimize(model.time(CollectiveType::AllReduce, Bytes{bytes++}, 64, 8));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(nccl_closed_form);

symbolic::physical::Model gpt3() {
  return symbolic::physical::transformer({.layers = 96,
                                          .hidden = 12288,
                                          .ffn = 49152,
                                          .heads = 96,
                                          .vocab = 51200,
                                          .seq = 2048,
                                          .tied = true,
                                          .biases = true});
}
symbolic::physical::Plan plan_of(std::uint32_t dp) {
  symbolic::physical::Plan plan;
  plan.dp = dp, plan.tp = 8, plan.pp = 8;
  plan.micro_batch = dp, plan.batch = 64 * std::int64_t{dp} / 16;
  return plan;
}

/// The argument is the data-parallel degree: 64 ranks for each.
void lower_physical_step(benchmark::State& state) {
  const symbolic::physical::Model model = gpt3();
  const symbolic::physical::TrainingStep step{plan_of(static_cast<std::uint32_t>(state.range(0)))};
  std::uint64_t ranks = 0;
  for (auto _ : state)
    ranks = step.lower(model).ranks();
  state.counters["ranks"] = static_cast<double>(ranks);
}
BENCHMARK(lower_physical_step)->Arg(16)->Arg(2048)->Unit(benchmark::kMillisecond);

void render_physical_step(benchmark::State& state) {
  const TaskGraph graph = symbolic::physical::TrainingStep{plan_of(16)}.lower(gpt3());
  std::int64_t bytes = 0;
  std::string buffer;
  std::vector<std::uint32_t> values;
  for (auto _ : state) {
    const io::TaskGraphTraces traces{graph};
    for (std::uint32_t program = 0; program < traces.programs(); ++program) {
      const chakra::FileTemplate file = traces.file(program, chakra::Format::v0_0_4);
      for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
        if (graph.program_index(rank) != program) continue;
        traces.values(rank, values);
        file.render(values, buffer, [&](std::string_view piece) { bytes += static_cast<std::int64_t>(piece.size()); });
      }
    }
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(render_physical_step)->Unit(benchmark::kMillisecond);

} // namespace
