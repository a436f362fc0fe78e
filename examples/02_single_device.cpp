// Another batch than the traced one: forward and backward work grows with it, the optimizer does not.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  using namespace triosim;
  using Sim = Simulator<engine::Serial, time_model::Scaled, net::Ideal, strategy::SingleDevice>;

  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::Graph{1}};
  std::printf("batch  step\n");
  for (const std::uint32_t batch : {32u, 64u, 128u, 256u}) {
    const Sim sim{cluster, {.batch = {.traced = 128, .simulated = batch}}};
    std::printf("%5u  %7.3f ms\n", batch, sim.run(trace).total.seconds() * 1e3);
  }
}
