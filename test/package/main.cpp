// Two ranks compute for 10 us and reduce 6 KB over a wire of 1 GB/s: 2 (2 - 1) steps of 3 KB, 6 us.
#include <triosim/triosim.hpp>
#ifdef WITH_IO
#include <triosim/io.hpp>
#endif

#include <array>
#include <cstdint>
#include <cstdio>

using namespace triosim::literals;

struct Wire {
  explicit Wire(const triosim::Cluster&) {}
  void send(const triosim::net::Message& message, auto& port) {
    port.deliver_at(port.now() + message.bytes / triosim::Bandwidth{1e9}, message.id);
  }
};

struct Job {
  using Source = triosim::Bytes;
  triosim::TaskGraph lower(const Source& gradients, const triosim::Cluster& cluster) const {
    triosim::Operation forward;
    forward.name = "forward";
    triosim::Program program;
    const std::array after{program.add_compute(forward)};
    program.add_collective("gradients", {triosim::CollectiveType::AllReduce, 0, gradients}, after);
    triosim::TaskGraph graph{cluster.ranks()};
    graph.add_program(program);
    graph.add_group(triosim::Communicators::world(cluster.ranks()));
    return graph;
  }
};

int main() {
  using Sim = triosim::Simulator<triosim::engine::Serial, triosim::time_model::Constant, Wire, Job>;
  const Sim sim{triosim::Cluster{triosim::topology::Graph{2}}, Job{}, triosim::time_model::Constant{10_us}};
  const triosim::Report report = sim.run(6_KB);
  std::printf("%.6f s by the %s rules\n", report.total.seconds(), report.rules.c_str());
  return report.total == 16_us ? 0 : 1;
}
