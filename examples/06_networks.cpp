// The same step on every network model: only the third template argument differs.
#include <triosim/triosim.hpp>

#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

template <class Net>
void play(const char* name, const Trace& trace, const Cluster& cluster, const Net& net) {
  using Strategy = strategy::DistributedDataParallel;
  using Sim = Simulator<engine::Serial, time_model::Recorded, Net, Strategy>;
  const Report report = Sim{cluster, Strategy{}, time_model::Recorded{}, net}.run(trace);
  std::printf("%-14s %8.3f ms, exposed %7.3f ms\n", name, report.total.seconds() * 1e3,
              report.ranks[0].exposed_communication.seconds() * 1e3);
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/resnet50");
  const Cluster cluster{topology::ring(4, {.bandwidth = 4_GBps, .latency = 1_us})};
  play("ideal", trace, cluster, net::Ideal{4_GBps, 1_us});
  play("packet sharing", trace, cluster, net::PacketSharing{cluster});
  play("max-min flows", trace, cluster, net::FlowNetwork{cluster});
  play("optical", trace, cluster, net::Optical{cluster, {.rows = 2, .columns = 2, .bandwidth = 4_GBps}});
}
