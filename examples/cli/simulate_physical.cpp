// The physical rules: names become policies here. A new policy is one line in its table.
#include "cli/simulate_rules.hpp"

#include <triosim/cluster.hpp>
#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/memory/bounded.hpp>
#include <triosim/memory/remote.hpp>
#include <triosim/memory/unbounded.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/net/optical.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/data_parallel.hpp>
#include <triosim/strategy/pipeline_parallel.hpp>
#include <triosim/strategy/single_device.hpp>
#include <triosim/strategy/tensor_parallel.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/scaled.hpp>
#include <triosim/topology/builders/direct.hpp>
#include <triosim/topology/builders/switched.hpp>
#include <triosim/topology/builders/two_tier.hpp>

#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace triosim::cli {

namespace {

namespace hana = boost::hana;

template <class Policy>
struct Named {
  const char* name;
  using type = Policy;
};

// Every engine gives the same answer, so the program has the fastest alone.
constexpr auto engines = hana::make_tuple(Named<engine::Serial>{"serial"});
constexpr auto time_models =
    hana::make_tuple(Named<time_model::Scaled>{"scaled"}, Named<time_model::Recorded>{"recorded"});
constexpr auto nets = hana::make_tuple(Named<net::FlowNetwork>{"flow"}, Named<net::PacketSharing>{"packet"},
                                       Named<net::Optical>{"optical"}, Named<net::Ideal>{"ideal"});
constexpr auto strategies =
    hana::make_tuple(Named<strategy::SingleDevice>{"single"}, Named<strategy::DataParallel>{"data-parallel"},
                     Named<strategy::DistributedDataParallel>{"distributed-data-parallel"},
                     Named<strategy::TensorParallel>{"tensor-parallel"},
                     Named<strategy::PipelineParallel<strategy::OneForwardOneBackward>>{"pipeline-parallel/1f1b"},
                     Named<strategy::PipelineParallel<strategy::GPipe>>{"pipeline-parallel/gpipe"});
constexpr auto memories = hana::make_tuple(Named<memory::Unbounded>{"unbounded"}, Named<memory::Bounded>{"bounded"},
                                           Named<memory::Remote>{"remote"});

// Throws where no entry of the table has this name.
template <class Table>
void require_known(const char* flag, std::string_view name, const Table& table) {
  bool known = false;
  std::string names;
  hana::for_each(table, [&](const auto& entry) {
    known |= name == entry.name;
    names.append(names.empty() ? "" : ", ").append(entry.name);
  });
  if (!known) throw ConfigError{flag, std::string{name}, "one of " + names};
}

topology::Graph make_topology(const SimulateOptions& o) {
  const auto gpus = static_cast<std::uint32_t>(o.gpus);
  const topology::Cable cable{Bandwidth{o.ptp_bandwidth_gbps * 1e9}, parse_time(o.latency)};
  // The shape nearest to a square.
  std::uint32_t rows = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(gpus)));
  while (gpus % rows != 0)
    --rows;
  const std::array<std::uint32_t, 2> extents{rows, gpus / rows};
  const auto build = [&]() -> topology::Graph {
    if (gpus == 1) return topology::Graph{1};
    if (o.topology == "ring") return topology::ring(gpus, cable);
    if (o.topology == "switch") return topology::single_switch(gpus, cable);
    if (o.topology == "fully-connected") return topology::fully_connected(gpus, cable);
    if (o.topology == "mesh") return topology::mesh(extents, cable);
    if (o.topology == "torus") return topology::torus(extents, cable);
    if (o.topology == "fat-tree") {
      // A fat tree of switches with k ports carries k^3/4 devices.
      std::uint32_t ports = 2;
      while (std::uint64_t{ports} * ports * ports / 4 < gpus)
        ports += 2;
      return topology::fat_tree(ports, gpus, cable);
    }
    if (o.topology == "two-tier") {
      if (gpus % 8 != 0) throw ConfigError{"--GPUnumber", std::to_string(gpus), "islands of 8 for --topology two-tier"};
      return topology::two_tier({.islands = gpus / 8,
                                 .island = {cable.bandwidth, cable.latency},
                                 .nic = {Bandwidth{o.nic_bandwidth_gbps * 1e9}, cable.latency}});
    }
    throw ConfigError{"--topology", o.topology,
                      "one of ring, switch, fully-connected, mesh, torus, fat-tree, two-tier"};
  };
  topology::Graph graph = build();
  topology::join_memory(graph, {Bandwidth{o.bandwidth_gbps * 1e9}, cable.latency});
  return graph;
}

template <class Net>
Net make_net(const SimulateOptions& o, const Cluster& cluster) {
  if constexpr (std::is_same_v<Net, net::Optical>) {
    // Shape and bandwidth are the user's; set-up time and wave-guides are those of the model.
    const std::int64_t columns = o.columns == -1 ? o.gpus / std::max<std::int64_t>(o.rows, 1) : o.columns;
    if (o.rows < 1 || columns < 1 || o.rows > o.gpus || columns > o.gpus)
      throw ConfigError{"--numRows and --numCols", std::to_string(o.rows) + " x " + std::to_string(columns),
                        "a mesh of one cell for each GPU"};
    return Net{cluster,
               {.rows = static_cast<std::uint32_t>(o.rows),
                .columns = static_cast<std::uint32_t>(columns),
                .bandwidth = Bandwidth{o.ptp_bandwidth_gbps * 1e9},
                .hop = parse_time(o.latency)}};
  } else {
    return Net{cluster};
  }
}

template <class Strategy>
Strategy make_strategy(const SimulateOptions& o) {
  Strategy strategy{};
  strategy.batch = {static_cast<std::uint32_t>(o.batch_size), static_cast<std::uint32_t>(o.simulated_batch())};
  if constexpr (requires { strategy.micro_batch; })
    if (o.micro_batch_size != -1) strategy.micro_batch = static_cast<std::uint32_t>(o.micro_batch_size);
  if constexpr (requires { strategy.bucket; }) strategy.bucket = parse_bytes(o.bucket);
  return strategy;
}

template <class TimeModel>
TimeModel make_time_model(const SimulateOptions& o) {
  if constexpr (std::is_constructible_v<TimeModel, double>)
    return TimeModel{o.fixed_part};
  else
    return TimeModel{};
}

std::string strategy_name(const SimulateOptions& o) {
  constexpr const char* by_case[] = {"single", "data-parallel", "distributed-data-parallel", "tensor-parallel",
                                     "pipeline-parallel"};
  std::string name = o.strategy;
  if (name.empty())
    name = o.case_given ? by_case[o.parallel_case] : o.gpus == 1 ? "single" : "distributed-data-parallel";
  if (name != "pipeline-parallel") return name;
  if (o.schedule != "1f1b" && o.schedule != "gpipe") throw ConfigError{"--schedule", o.schedule, "1f1b or gpipe"};
  return name + "/" + o.schedule;
}

} // namespace

Report simulate_physical(const SimulateOptions& o, const Trace& trace, MaybeTimeline& timeline) {
  const std::string strategy = strategy_name(o);
  const std::string network = !o.network.empty() ? o.network : o.interconnects == 1 ? "optical" : "flow";
  const std::string memory = !o.memory.empty() ? o.memory : o.capacity_given ? "bounded" : "unbounded";
  require_known("--time-model", o.time_model, time_models);
  require_known("--network", network, nets);
  require_known("--strategy", strategy, strategies);
  require_known("--memory", memory, memories);
  const Cluster cluster{make_topology(o), Bytes{std::uint64_t{1} << o.capacity_shift}};

  std::optional<Report> report;
  hana::for_each(hana::cartesian_product(hana::make_tuple(engines, time_models, nets, strategies, memories)),
                 [&](const auto& combination) {
                   hana::unpack(combination, [&]<class E, class T, class N, class S, class M>(
                                                 const Named<E>&, const Named<T>& t, const Named<N>& n,
                                                 const Named<S>& s, const Named<M>& m) {
                     if (o.time_model != t.name || network != n.name || strategy != s.name || memory != m.name) return;
                     const Simulator<E, T, N, S, M> simulator{cluster, make_strategy<S>(o), make_time_model<T>(o),
                                                              make_net<N>(o, cluster)};
                     report = simulator.run(trace, timeline);
                   });
                 });
  return *report;
}

} // namespace triosim::cli
