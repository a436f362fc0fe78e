// Two jobs on one cluster, by each algorithm of all-reduce; then a slow device, and a link that fails half way.
#include <triosim/triosim.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::literals;

struct Given {
  using Source = TaskGraph;
  TaskGraph lower(const TaskGraph& graph, const Cluster&) const { return graph; }
};

TaskGraph data_parallel(std::uint32_t ranks) {
  Program program;
  const TaskId done = program.add_compute({.name = "backward", .recorded = 5_ms});
  program.add_collective("gradients", {CollectiveType::AllReduce, 0, 400_MB}, std::array{done});
  TaskGraph graph{ranks};
  graph.add_group(Communicators::world(ranks));
  graph.add_program(program);
  return graph;
}

} // namespace

int main() {
  using Net = net::WithCollectives<net::FlowNetwork, collective::Chosen>;
  using Sim = Simulator<engine::Serial, time_model::Recorded, Net, Given>;
  using Kind = collective::Chosen::Kind;
  // Two islands of eight. One job has the first half of each island, the other the second.
  Cluster cluster{topology::two_tier({.islands = 2, .island = {300_GBps, 1_us}, .nic = {25_GBps, 2_us}})};
  const TaskGraph job = data_parallel(8);
  const std::vector<Job> jobs{{&job, {0, 1, 2, 3, 8, 9, 10, 11}}, {&job, {4, 5, 6, 7, 12, 13, 14, 15}}};
  const TaskGraph both = join_jobs(16, jobs);
  const auto play = [&](collective::Chosen algorithm) {
    return Sim{cluster, {}, {}, Net{cluster, algorithm}}.run(both).total.seconds() * 1e3;
  };
  std::printf("rings               %6.2f ms\n", play({}));
  std::printf("direct              %6.2f ms\n", play({Kind::Direct}));
  std::printf("halving, doubling   %6.2f ms\n", play({Kind::HalvingDoubling}));
  std::printf("double binary tree  %6.2f ms\n", play({Kind::DoubleBinaryTree}));
  std::printf("hierarchical        %6.2f ms\n", play({Kind::Hierarchical, 0, 4}));

  cluster.scenario.devices = {{Time{}, 5, 0.5}};
  std::printf("with a slow rank 5  %6.2f ms\n", play({Kind::Hierarchical, 0, 4}));
  cluster.scenario = {};
  cluster.scenario.links = {{8_ms, 0, 18, 0}}; // rank 0 and the switch of its rail
  try {
    play({});
  } catch (const Deadlock& deadlock) {
    std::printf("a failed adapter: %zu tasks cannot go on\n", deadlock.stuck().size());
  }
}
