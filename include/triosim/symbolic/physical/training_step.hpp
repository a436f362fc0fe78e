#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/symbolic/physical/lowered.hpp"
#include "triosim/symbolic/physical/model.hpp"
#include "triosim/symbolic/physical/plan.hpp"
#include "triosim/symbolic/physical/unroll.hpp"
#include "triosim/task_graph.hpp"

#include <cstdint>
#include <string>

namespace triosim::symbolic::physical {

/// One training step of a model under a plan: a strategy for the simulator.
///
///     Simulator<engine::Serial, MyTimes, net::FlowNetwork, symbolic::physical::TrainingStep> sim{cluster, {plan}};
///     Report report = sim.run(symbolic::physical::transformer({.layers = 32, ...}));
struct TrainingStep {
  using Source = Model;

  Plan plan;

  /// Throws `ConfigError` for a plan that the model does not fit.
  TaskGraph lower(const Model& model) const { return unroll(lower_model(model, plan), model, plan); }

  /// Throws `ConfigError` too where the plan is not for as many ranks as the cluster has.
  TaskGraph lower(const Model& model, const Cluster& cluster) const {
    const std::uint32_t ranks = plan.mesh().ranks();
    if (ranks != cluster.ranks())
      throw ConfigError{"dp*tp*cp*ep*pp", std::to_string(ranks),
                        std::to_string(cluster.ranks()) + ", the devices of the cluster"};
    return lower(model);
  }
};

} // namespace triosim::symbolic::physical
