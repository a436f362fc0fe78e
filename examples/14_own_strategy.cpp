// A strategy of one's own: local SGD. Every rank takes some steps by itself; then all average their weights once.
#include <triosim/triosim.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

namespace {

using namespace triosim;
using namespace triosim::literals;

struct LocalSgd {
  using Source = Trace;
  std::uint32_t steps = 4;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    const trace::Analysis analysis = trace::analyse(trace);
    const strategy::MemoryBlocks memory{trace, analysis};
    Program program;
    strategy::LayerWriter writer{program, trace, memory};
    TaskId last = 0;
    for (std::uint32_t step = 0; step < steps; ++step)
      for (std::size_t layer = 0; layer < trace.layers().size(); ++layer)
        last =
            writer.add(layer, {}, program.size() == 0 ? std::span<const TaskId>{} : std::span<const TaskId>{&last, 1});
    program.add_collective("average", {CollectiveType::AllReduce, 0, analysis.weight_bytes},
                           std::span<const TaskId>{&last, 1});
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    graph.add_group(Communicators::world(cluster.ranks()));
    return graph;
  }
};

static_assert(StrategyPolicy<LocalSgd>);

} // namespace

int main() {
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, LocalSgd>;
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(8, {.bandwidth = 12_GBps})};
  std::printf("steps  time a step\n");
  for (const std::uint32_t steps : {1u, 2u, 4u, 8u})
    std::printf("%5u  %8.3f ms\n", steps, Sim{cluster, {.steps = steps}}.run(trace).total.seconds() * 1e3 / steps);
}
