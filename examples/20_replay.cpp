// Execution traces on a machine: an all-reduce by two groups at once, by the rules of ASTRA-sim and by our own.
#include <triosim/io.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  namespace streams = player::streams;

  // What a folder of traces would be read into by io::read_workload(io::find_trace_files(folder).of_rank, groups).
  const chakra::Trace trace = chakra::read_memory(R"({"workload_graph": [
      {"Id": 0, "Name": "forward and backward", "NodeType": 4, "runtime": 900},
      {"Id": 1, "Name": "gradients", "NodeType": 7, "comm_type": 0, "comm_size": 64000000, "data_deps": [0]},
      {"Id": 2, "Name": "optimizer", "NodeType": 4, "runtime": 100, "data_deps": [1]}]})");
  ReplayWorkload workload;
  ReplayProgram program;
  program.names = {"forward and backward", "gradients", "optimizer"};
  for (chakra::Trace::Index i = 0; i < trace.size(); ++i) {
    ReplayProgram::Node node;
    node.id = trace.id(i);
    node.name = i;
    node.kind = i == 1 ? ReplayProgram::Kind::Collective : ReplayProgram::Kind::Compute;
    node.duration_ns = static_cast<std::int64_t>(trace.duration_micros(i)) * 1000;
    node.bytes = i == 1 ? trace.facts(i).comm_size.value_or(0) : 0;
    program.nodes.push_back(node);
  }
  program.after_begins = {0, 1, 2, 2};
  program.after = {1, 2};
  program.waits = {0, 1, 1};
  program.communications = 1;
  workload.programs = {program};
  workload.groups = {{"even", {0, 2, 4, 6}}, {"odd", {1, 3, 5, 7}}};
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    workload.ranks.push_back({0, {rank % 2}});

  streams::Settings settings;
  settings.splits = 4;
  for (auto& list : settings.implementations)
    list = {streams::parse_implementation("ring")};
  const std::vector<streams::Dimension> ring{{streams::Dimension::Shape::Ring, 8, 50, 500}};
  const Report unaware = streams::System<streams::CongestionUnaware>{workload, settings, ring}.run();
  const Report aware = streams::System<streams::CongestionAware>{workload, settings, ring}.run();

  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::Replay>;
  const Cluster cluster{topology::ring(8, {.bandwidth = 50_GBps, .latency = 500_ns})};
  const Report shared = Sim{cluster}.run(workload);
  std::printf("nobody shares a link   %.3f ms\n", unaware.total.seconds() * 1e3);
  std::printf("links serve in turn    %.3f ms\n", aware.total.seconds() * 1e3);
  std::printf("links are shared       %.3f ms\n", shared.total.seconds() * 1e3);
}
