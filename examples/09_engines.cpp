// The engine decides how fast a run is played, never what comes out.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

template <class Engine>
void play(const char* name, const Trace& trace, const Cluster& cluster) {
  using Sim = Simulator<Engine, time_model::Recorded, net::FlowNetwork, strategy::DistributedDataParallel>;
  const Report report = Sim{cluster}.run(trace);
  std::printf("%-12s %lld ps, %llu events\n", name, static_cast<long long>(report.total.picoseconds()),
              static_cast<unsigned long long>(report.events));
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/resnet50");
  const Cluster cluster{topology::ring(8, {.bandwidth = 12_GBps, .latency = 2_us})};
  play<engine::Serial>("radix heap", trace, cluster);
  play<engine::SerialHeap>("4-ary heap", trace, cluster);
}
