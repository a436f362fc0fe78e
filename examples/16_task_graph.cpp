// A task graph by hand, an observer of one's own, and what a run says that cannot finish.
#include <triosim/triosim.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

using namespace triosim;
using namespace triosim::literals;

// The strategy of those who have a graph already.
struct Given {
  using Source = TaskGraph;
  TaskGraph lower(const TaskGraph& graph, const Cluster&) const { return graph; }
};

struct Narrator {
  const TaskGraph* graph = nullptr;
  void begin(const TaskGraph& given) { graph = &given; }
  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    std::printf("%6.1f us  rank %u has done %s\n", now.seconds() * 1e6, rank,
                std::string{graph->program(rank).name(task)}.c_str());
  }
};

TaskGraph two_ranks(std::uint32_t tag_of_receive) {
  Program first, second;
  const TaskId made = first.add_compute({.name = "make", .recorded = 10_us});
  first.add_send("hand over", {.group = 0, .shift = 1, .tag = 1, .bytes = 1_MB}, std::array{made});
  const TaskId got = second.add_receive("take", {.group = 0, .shift = 1, .tag = tag_of_receive, .bytes = 1_MB});
  second.add_compute({.name = "use", .recorded = 5_us}, std::array{got});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(first);
  graph.assign(1, graph.add_program(second));
  return graph;
}

} // namespace

int main() {
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, Given>;
  const Sim sim{Cluster{topology::ring(2, {.bandwidth = 50_GBps, .latency = 1_us})}};
  Narrator narrator;
  sim.run(two_ranks(1), narrator);
  try {
    sim.run(two_ranks(2));
  } catch (const Deadlock& deadlock) {
    std::printf("%s\n", deadlock.what());
  }
}
