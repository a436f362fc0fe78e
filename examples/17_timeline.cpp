// What happened when: a timeline that https://ui.perfetto.dev shows, here as text.
#include <triosim/io.hpp>

#include <cstdio>
#include <string>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  using Pipeline = strategy::PipelineParallel<strategy::OneForwardOneBackward>;
  using Sim = Simulator<engine::Serial, time_model::Scaled, net::FlowNetwork, Pipeline>;

  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(4, {.bandwidth = 65_GBps, .latency = 1_us})};
  const Pipeline pipeline{.batch = {.traced = 128, .simulated = 128}, .micro_batch = 32};
  std::string text;
  // report::Timeline::to_file("step.json.gz") writes a file instead.
  report::Timeline timeline = report::Timeline::to_text(text);
  const Report report = Sim{cluster, pipeline}.run(trace, timeline);
  std::printf("%.3f ms, %llu events in a timeline of %zu bytes\n", report.total.seconds() * 1e3,
              static_cast<unsigned long long>(timeline.events()), text.size());
}
