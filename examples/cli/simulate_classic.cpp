// The classic rules: the published program's cases become policies here. A new policy is one line in its table.
#include "cli/simulate_rules.hpp"

#include <triosim/engine/published.hpp>
#include <triosim/error.hpp>
#include <triosim/net/classic_exact.hpp>
#include <triosim/net/classic_optical.hpp>
#include <triosim/player/published.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/classic/data_parallel.hpp>
#include <triosim/strategy/classic/distributed_data_parallel.hpp>
#include <triosim/strategy/classic/machine.hpp>
#include <triosim/strategy/classic/pipeline_parallel.hpp>
#include <triosim/strategy/classic/single_device.hpp>
#include <triosim/strategy/classic/tensor_parallel.hpp>
#include <triosim/time_model/proportional.hpp>

#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace triosim::cli {

namespace {

namespace hana = boost::hana;
namespace classic = strategy::classic;

/// A policy and the number by which the published flags call it.
template <class Policy>
struct Numbered {
  std::int64_t number;
};

// -case
constexpr auto strategies =
    hana::make_tuple(Numbered<classic::SingleDevice>{0}, Numbered<classic::DataParallel>{1},
                     Numbered<classic::DistributedDataParallel>{2}, Numbered<classic::TensorParallel>{3},
                     Numbered<classic::PipelineParallel>{4});
// -interconnects
constexpr auto nets =
    hana::make_tuple(Numbered<net::classic::ExactPacketSharing>{0}, Numbered<net::classic::Optical>{1});

template <class Net>
Net make_net(const SimulateOptions& o, const Cluster& cluster) {
  if constexpr (std::is_same_v<Net, net::classic::Optical>)
    return Net{cluster, o.rows, o.columns == -1 ? o.gpus : o.columns};
  else
    return Net{cluster};
}

template <class Strategy>
Strategy make_strategy(const SimulateOptions& o) {
  Strategy strategy{};
  strategy.batch = {static_cast<std::uint32_t>(o.batch_size), static_cast<std::uint32_t>(o.simulated_batch())};
  if constexpr (requires { strategy.micro_batch; })
    if (o.micro_batch_size != -1) strategy.micro_batch = static_cast<std::uint32_t>(o.micro_batch_size);
  return strategy;
}

} // namespace

Report simulate_classic(const SimulateOptions& o, const Trace& trace, MaybeTimeline& timeline) {
  if (!o.physical_flag.empty())
    throw ConfigError{"--rules", "classic", "physical, as " + o.physical_flag + " is given"};
  const auto gpus = static_cast<std::uint32_t>(o.gpus);
  const Cluster cluster =
      classic::machine(gpus, Bandwidth{o.bandwidth_gbps * 1e9}, Bandwidth{o.ptp_bandwidth_gbps * 1e9},
                       o.parallel_case == 4 ? classic::RingBandwidth::AsGiven : classic::RingBandwidth::ForAllReduce,
                       Bytes{std::uint64_t{1} << o.capacity_shift});
  std::optional<Report> report;
  hana::for_each(hana::cartesian_product(hana::make_tuple(nets, strategies)), [&](const auto& combination) {
    hana::unpack(combination,
                 [&]<class Net, class Strategy>(const Numbered<Net>& net, const Numbered<Strategy>& strategy) {
                   if (net.number != o.interconnects || strategy.number != o.parallel_case) return;
                   const Simulator<engine::Published, time_model::Proportional, Net, Strategy> simulator{
                       cluster, make_strategy<Strategy>(o), time_model::Proportional{}, make_net<Net>(o, cluster)};
                   report = simulator.run(trace, timeline);
                 });
  });
  return *report;
}

} // namespace triosim::cli
