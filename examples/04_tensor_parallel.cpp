// Tensor parallelism in column/row pairs: what a rank computes, and what the activations cost on the wires.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::TensorParallel>;

  const Trace trace = trace::read_csv("sample_trace/gpt2");
  std::printf("GPUs  step        compute     exposed     sent by a GPU\n");
  for (const std::uint32_t gpus : {1u, 2u, 4u, 8u}) {
    const Cluster cluster{topology::fully_connected(gpus, {.bandwidth = 65_GBps, .latency = 1_us})};
    const Report report = Sim{cluster}.run(trace);
    const RankReport& rank = report.ranks[0];
    std::printf("%4u  %7.3f ms  %7.3f ms  %7.3f ms  %8.3f MB\n", gpus, report.total.seconds() * 1e3,
                rank.compute.seconds() * 1e3, rank.exposed_communication.seconds() * 1e3,
                static_cast<double>(rank.bytes_sent.count()) / 1e6);
  }
}
