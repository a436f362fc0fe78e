// The smaller the micro-batches, the less the stages wait. With stages that are not quite equal 1F1B beats GPipe: it
// lets one stage's forward passes make up for another's backward passes.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

template <class Schedule>
Report play(const Trace& trace, const Cluster& cluster, std::uint32_t micro_batch) {
  using Pipeline = strategy::PipelineParallel<Schedule>;
  using Sim = Simulator<engine::Serial, time_model::Scaled, net::FlowNetwork, Pipeline>;
  const Pipeline pipeline{.batch = {.traced = 128, .simulated = 128}, .micro_batch = micro_batch};
  return Sim{cluster, pipeline}.run(trace);
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(4, {.bandwidth = 65_GBps, .latency = 1_us})};
  std::printf("micro-batch  GPipe        1F1B         idle on the last stage (1F1B)\n");
  for (const std::uint32_t size : {128u, 64u, 32u, 16u, 8u}) {
    const Report gpipe = play<strategy::GPipe>(trace, cluster, size);
    const Report one_f_one_b = play<strategy::OneForwardOneBackward>(trace, cluster, size);
    std::printf("%11u  %8.3f ms  %8.3f ms  %8.3f ms\n", size, gpipe.total.seconds() * 1e3,
                one_f_one_b.total.seconds() * 1e3, one_f_one_b.ranks[3].idle.seconds() * 1e3);
  }
}
