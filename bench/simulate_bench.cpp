// End to end: reading a trace, lowering it, playing it. What `triosim simulate` does without the process around it.
#include <triosim/triosim.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

using namespace triosim;
using namespace triosim::literals;

const Trace& vgg13() {
  static const Trace trace = trace::read_csv("sample_trace/vgg13");
  return trace;
}

void read(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(trace::read_csv("sample_trace/vgg13"));
}

template <class Strategy>
void lower(benchmark::State& state) {
  const Cluster cluster{topology::ring(static_cast<std::uint32_t>(state.range(0)), {65_GBps})};
  for (auto _ : state)
    benchmark::DoNotOptimize(Strategy{}.lower(vgg13(), cluster));
}

template <class Net, class Strategy>
void physical(benchmark::State& state) {
  const Cluster cluster{topology::ring(static_cast<std::uint32_t>(state.range(0)), {65_GBps, 1_us})};
  const Simulator<engine::Serial, time_model::Recorded, Net, Strategy> simulator{cluster};
  std::uint64_t events = 0;
  for (auto _ : state)
    events += simulator.run(vgg13()).events;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

template <class Strategy>
void classic(benchmark::State& state) {
  namespace rules = strategy::classic;
  const Cluster cluster =
      rules::machine(static_cast<std::uint32_t>(state.range(0)), 696_GBps, 65_GBps, rules::RingBandwidth::ForAllReduce);
  const Simulator<engine::Published, time_model::Proportional, net::classic::ExactPacketSharing, Strategy> simulator{
      cluster};
  std::uint64_t events = 0;
  for (auto _ : state)
    events += simulator.run(vgg13()).events;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

BENCHMARK(read)->Name("read/vgg13");
BENCHMARK(lower<strategy::DistributedDataParallel>)->Name("lower/distributed_data_parallel")->Arg(8)->Arg(1024);
BENCHMARK(physical<net::FlowNetwork, strategy::DistributedDataParallel>)->Name("physical/flow/ddp")->Arg(8)->Arg(64);
BENCHMARK(physical<net::Ideal, strategy::DistributedDataParallel>)->Name("physical/ideal/ddp")->Arg(8)->Arg(64);
BENCHMARK(classic<strategy::classic::SingleDevice>)->Name("classic/case0")->Arg(8)->Arg(256);
BENCHMARK(classic<strategy::classic::TensorParallel>)->Name("classic/case3")->Arg(8)->Arg(64);

} // namespace
