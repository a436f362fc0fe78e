// How long an operator takes is a policy of its own: four models, one trace.
#include <triosim/triosim.hpp>

#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

template <class TimeModel>
void play(const char* name, const Trace& trace, const TimeModel& model) {
  using Strategy = strategy::SingleDevice;
  using Sim = Simulator<engine::Serial, TimeModel, net::Ideal, Strategy>;
  const Strategy half{.batch = {.traced = 128, .simulated = 64}};
  try {
    const Report report = Sim{Cluster{topology::Graph{1}}, half, model}.run(trace);
    std::printf("%-36s %7.3f ms\n", name, report.total.seconds() * 1e3);
  } catch (const ConfigError& error) {
    std::printf("%-36s %s\n", name, error.what());
  }
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  play("recorded", trace, time_model::Recorded{});
  play("scaled with the batch", trace, time_model::Scaled{});
  play("scaled, 10 % fixed", trace, time_model::Scaled{0.1});
  play("1 ms a layer", trace, time_model::Constant{1_ms});
  play("recorded, else 1 ms", trace, time_model::FirstOf{time_model::Recorded{}, time_model::Constant{1_ms}});
}
