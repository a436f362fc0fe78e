// The published TrioSim's rules, number for number, and the physical ones beside them.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;
namespace classic = strategy::classic;

double published(const Trace& trace, std::uint32_t gpus) {
  using Sim =
      Simulator<engine::Published, time_model::Proportional, net::classic::ExactPacketSharing, classic::DataParallel>;
  const Cluster cluster = classic::machine(gpus, 696_GBps, 65_GBps, classic::RingBandwidth::ForAllReduce);
  const classic::DataParallel strategy{.batch = {.traced = 128, .simulated = 128}};
  return Sim{cluster, strategy}.run(trace).total.seconds() * 1e3;
}

double physical(const Trace& trace, std::uint32_t gpus) {
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;
  return Sim{Cluster{topology::ring(gpus, {65_GBps})}}.run(trace).total.seconds() * 1e3;
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  // The published ring is made as much faster as a ring all-reduce needs: its time does not depend on the GPUs.
  std::printf("GPUs  classic     physical\n");
  for (const std::uint32_t gpus : {2u, 4u, 8u, 16u})
    std::printf("%4u  %7.3f ms  %7.3f ms\n", gpus, published(trace, gpus), physical(trace, gpus));
}
