#include "cli/replay_rules.hpp"

#include <triosim/cluster.hpp>
#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/replay.hpp>
#include <triosim/time_model/first_of.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/roofline.hpp>
#include <triosim/topology/builders/cable.hpp>
#include <triosim/topology/builders/product.hpp>

#include <cmath>
#include <vector>

namespace triosim::cli {

namespace {

Cluster cluster_of(const ReplayInput& input) {
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
  topology::Graph graph = topology::product(lines);
  if (input.memory.kind != player::streams::RemoteMemory::Kind::None)
    topology::join_memory(
        graph, {Bandwidth{input.memory.bytes_per_ns * 1e9}, Time{std::llround(input.memory.latency_ns * 1000)}});
  return Cluster{std::move(graph)};
}

template <class TimeModel>
Report play(const ReplayOptions& options, const ReplayInput& input, const TimeModel& times, MaybeTimeline& timeline) {
  const Cluster cluster = cluster_of(input);
  if (options.backend == Backend::packet)
    return Simulator<engine::Serial, TimeModel, net::PacketSharing, strategy::Replay>{cluster, {}, times}.run(
        input.workload, timeline);
  return Simulator<engine::Serial, TimeModel, net::FlowNetwork, strategy::Replay>{cluster, {}, times}.run(
      input.workload, timeline);
}

} // namespace

Report replay_physical(const ReplayOptions& options, const ReplayInput& input, MaybeTimeline& timeline) {
  using time_model::FirstOf;
  using time_model::Recorded;
  using time_model::Roofline;
  if (options.backend == Backend::congestion_unaware || options.backend == Backend::congestion_aware)
    throw ConfigError{"--backend", "a network of the classic rules", "flow or packet by physical rules"};
  const auto& settings = input.settings;
  const bool has_roof = settings.peak_tflops > 0 && settings.local_memory_gbps > 0;
  if (!has_roof) return play(options, input, FirstOf<Recorded>{Recorded{}}, timeline);
  const Roofline roof{settings.peak_tflops * 1e12, Bandwidth{settings.local_memory_gbps * 1e9}};
  // With the roofline asked for it comes first; else it fills in where nothing was recorded.
  if (settings.roofline) return play(options, input, FirstOf<Roofline, Recorded>{roof, Recorded{}}, timeline);
  return play(options, input, FirstOf<Recorded, Roofline>{Recorded{}, roof}, timeline);
}

} // namespace triosim::cli
