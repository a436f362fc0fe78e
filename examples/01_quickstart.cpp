// The ten-line program: a step of VGG-13, data parallel on eight GPUs around a switch.
#include <triosim/triosim.hpp>

#include <cstdio>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;

  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::single_switch(8, {.bandwidth = 65_GBps, .latency = 1_us})};
  const Report report = Sim{cluster}.run(trace);

  std::printf("one GPU     %7.3f ms\n", trace.time().seconds() * 1e3);
  std::printf("eight GPUs  %7.3f ms for eight times the samples\n", report.total.seconds() * 1e3);
}
