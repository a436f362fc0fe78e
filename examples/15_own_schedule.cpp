// A pipeline schedule of one's own: each micro-batch goes forward and back before the next one starts.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::literals;
using strategy::PipelineStep;

struct OneAtATime {
  std::vector<PipelineStep> order(std::uint32_t, std::uint32_t, std::uint32_t micro_batches) const {
    std::vector<PipelineStep> steps;
    for (std::uint32_t k = 0; k < micro_batches; ++k) {
      steps.push_back({PipelineStep::Pass::Forward, k});
      steps.push_back({PipelineStep::Pass::Backward, k});
    }
    return steps;
  }
};

template <class Schedule>
double milliseconds(const Trace& trace, const Cluster& cluster) {
  using Pipeline = strategy::PipelineParallel<Schedule>;
  using Sim = Simulator<engine::Serial, time_model::Scaled, net::FlowNetwork, Pipeline>;
  const Pipeline pipeline{.batch = {.traced = 128, .simulated = 128}, .micro_batch = 16};
  return Sim{cluster, pipeline}.run(trace).total.seconds() * 1e3;
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(4, {.bandwidth = 65_GBps})};
  std::printf("one at a time  %8.3f ms\n", milliseconds<OneAtATime>(trace, cluster));
  std::printf("1F1B           %8.3f ms\n", milliseconds<strategy::OneForwardOneBackward>(trace, cluster));
}
