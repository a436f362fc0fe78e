#include "cli/replay_rules.hpp"

#include <triosim/cluster.hpp>
#include <triosim/collective/chosen.hpp>
#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/io/scenario_file.hpp>
#include <triosim/net/congestion_aware.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/net/nccl.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/net/with_collectives.hpp>
#include <triosim/report/critical_path.hpp>
#include <triosim/report/link_loads.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/replay.hpp>
#include <triosim/task_graph.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/roofline.hpp>
#include <triosim/topology/builders/cable.hpp>
#include <triosim/topology/builders/machine.hpp>
#include <triosim/topology/builders/product.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace triosim::cli {

namespace {

using collective::Chosen;
using player::streams::Implementation;

topology::Graph graph_of(const ReplayInput& input) {
  if (input.machine)
    return topology::of_machine(*input.machine, static_cast<std::uint32_t>(input.workload.ranks.size()));
  std::vector<topology::Line> lines;
  for (const player::streams::Dimension& dimension : input.dimensions) {
    topology::Line line;
    line.shape = dimension.shape == player::streams::Dimension::Shape::Ring     ? topology::LineShape::Ring
                 : dimension.shape == player::streams::Dimension::Shape::Switch ? topology::LineShape::Switch
                                                                                : topology::LineShape::FullyConnected;
    line.extent = dimension.size;
    // GB/s are what they say by physical rules: the reader has taken them for GiB/s, as the published program does.
    line.cable.bandwidth = Bandwidth{dimension.bytes_per_ns * 1e9 * (1e9 / (std::uint64_t{1} << 30))};
    line.cable.latency = Time{std::llround(dimension.latency_ns * 1000)};
    lines.push_back(line);
  }
  return topology::product(lines);
}

Cluster cluster_of(const ReplayInput& input) {
  topology::Graph graph = graph_of(input);
  if (input.memory.kind != player::streams::RemoteMemory::Kind::None)
    topology::join_memory(
        graph, {Bandwidth{input.memory.bytes_per_ns * 1e9}, Time{std::llround(input.memory.latency_ns * 1000)}});
  return Cluster{std::move(graph)};
}

Chosen algorithm_of(const ReplayOptions& options, const ReplayInput& input) {
  Chosen chosen;
  if (input.machine)
    chosen.island = input.machine->tiers.front().size;
  else if (!input.dimensions.empty())
    chosen.island = input.dimensions.front().size;
  if (options.collectives) {
    constexpr Chosen::Kind kinds[] = {Chosen::Kind::Standard, Chosen::Kind::Direct, Chosen::Kind::HalvingDoubling,
                                      Chosen::Kind::DoubleBinaryTree, Chosen::Kind::Hierarchical};
    chosen.kind = kinds[static_cast<std::size_t>(*options.collectives)];
    return chosen;
  }
  if (input.settings.implementations[0].empty()) return chosen;
  const Implementation& named = input.settings.implementations[0].front();
  chosen.window = named.window;
  chosen.kind = named.kind == Implementation::Kind::Direct             ? Chosen::Kind::Direct
                : named.kind == Implementation::Kind::HalvingDoubling  ? Chosen::Kind::HalvingDoubling
                : named.kind == Implementation::Kind::DoubleBinaryTree ? Chosen::Kind::DoubleBinaryTree
                                                                       : Chosen::Kind::Standard;
  return chosen;
}

/// What was recorded, and the roofline where nothing was; or the roofline first.
struct ReplayTimes {
  std::optional<time_model::Roofline> roof;
  bool roof_first = false;

  std::optional<Time> duration(const Operation& operation) const {
    if (roof && (roof_first || !operation.recorded))
      if (const std::optional<Time> time = roof->duration(operation)) return time;
    return time_model::Recorded{}.duration(operation);
  }
};

template <class Net>
Report play(const Cluster& cluster, const ReplayInput& input, const ReplayTimes& times, Net net,
            MaybeTimeline& timeline) {
  const Simulator<engine::Serial, ReplayTimes, Net, strategy::Replay> simulator{cluster, {}, times, std::move(net)};
  const TaskGraph graph = simulator.lower(input.workload);
  report::LinkLoads loads{cluster.topology};
  report::CriticalPath path;
  Report report = simulator.play(graph, timeline, loads, path);
  for (const report::LinkLoads::Load& load : loads.busiest(10)) {
    const topology::Link& link = cluster.topology.link(load.link);
    report.busiest_links.push_back({link.from, link.to, load.bytes, load.utilisation});
  }
  const report::CriticalPath::Found found = path.find();
  for (const report::CriticalPath::Share& share : found.shares)
    report.critical_path.push_back({share.what, share.time});
  report.critical_tasks = found.steps.size();
  report.critical_ranks = found.ranks;
  return report;
}

} // namespace

Report replay_physical(const ReplayOptions& options, const ReplayInput& input, MaybeTimeline& timeline) {
  const auto& settings = input.settings;
  ReplayTimes times;
  times.roof_first = settings.roofline;
  if (settings.peak_tflops > 0 && settings.local_memory_gbps > 0)
    times.roof.emplace(settings.peak_tflops * 1e12, Bandwidth{settings.local_memory_gbps * 1e9});
  Cluster cluster = cluster_of(input);
  if (!options.scenario.empty()) cluster.scenario = io::read_scenario(options.scenario);
  const Chosen algorithm = algorithm_of(options, input);
  const auto with = [&]<class Net>(Net net) {
    return play(cluster, input, times, net::WithCollectives<Net, Chosen>{std::move(net), algorithm}, timeline);
  };
  switch (options.backend) {
  case Backend::congestion_unaware:
    return with(net::Ideal{cluster});
  case Backend::congestion_aware:
    return with(net::CongestionAware{cluster});
  case Backend::packet:
    return with(net::PacketSharing{cluster});
  case Backend::nccl: {
    if (!input.machine)
      throw ConfigError{"--backend", "nccl", "--machine with it, whose file has what NCCL's collectives cost"};
    if (!input.machine->nccl)
      throw ConfigError{"--backend", "nccl", "a machine whose file has \"nccl\"; " + input.machine->name + " has none"};
    const net::NcclModel model{*input.machine->nccl, input.machine->tiers.front().size};
    return play(cluster, input, times, net::Nccl<net::FlowNetwork>{net::FlowNetwork{cluster}, model}, timeline);
  }
  default:
    return with(net::FlowNetwork{cluster});
  }
}

} // namespace triosim::cli
