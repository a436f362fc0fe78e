// How much of the gradient traffic hides behind the backward pass, by the size of the buckets.
#include <triosim/triosim.hpp>

#include <cstdio>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  using Ddp = strategy::DistributedDataParallel;
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, Ddp>;

  const Trace trace = trace::read_csv("sample_trace/resnet50");
  const Cluster cluster{topology::ring(8, {.bandwidth = 12_GBps, .latency = 2_us})};
  std::printf("bucket     step        hidden      exposed\n");
  for (const Bytes bucket : {1_MiB, 5_MiB, 25_MiB, 100_MiB}) {
    Ddp strategy;
    strategy.bucket = bucket;
    const Report report = Sim{cluster, strategy}.run(trace);
    const RankReport& rank = report.ranks[0];
    std::printf("%3llu MiB  %7.3f ms  %7.3f ms  %7.3f ms\n", static_cast<unsigned long long>(bucket.count() >> 20),
                report.total.seconds() * 1e3, rank.overlapped_communication.seconds() * 1e3,
                rank.exposed_communication.seconds() * 1e3);
  }
}
