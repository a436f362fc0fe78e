#pragma once

#include "triosim/operation.hpp"
#include "triosim/symbolic/physical/plan.hpp"
#include "triosim/symbolic/pool.hpp"
#include "triosim/task_graph/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::symbolic::physical {

/// What a task of a layer waits for: another task of the layer by its number, or what comes into the layer.
using Source = std::uint32_t;
inline constexpr Source from_before = static_cast<Source>(-1); ///< the activations, on the way forward
inline constexpr Source from_behind = static_cast<Source>(-2); ///< their gradient, on the way back

/// One task of a layer on one rank.
struct LayerTask {
  std::string name;
  TaskKind kind = TaskKind::Compute;
  CollectiveType collective = CollectiveType::AllReduce;
  AxisSet axes = 0;                 ///< of a collective
  bool uses_weight = false;         ///< reads a weight of the layer
  bool core = false;                ///< arithmetic without a weight, such as attention: recomputed selectively
  double flops = 0;                 ///< two for a multiply-add
  double bytes = 0;                 ///< traffic of memory, or the buffer of a collective (see `Collective::bytes`)
  std::uint32_t begin = 0, end = 0; ///< what it waits for, in `Layer::waits`
};

/// Weights of a layer whose gradients are summed over the same ranks.
struct WeightGroup {
  AxisSet axes = 0;              ///< over which gradients are partial sums
  double elements = 0;           ///< on one rank, not sharded
  std::vector<Source> gradients; ///< the tasks that compute them
};

/// A layer lowered once, for every micro-batch, copy and rank: tasks of the forward pass first, then of the backward
/// pass.
struct Layer {
  std::vector<LayerTask> tasks;
  std::size_t forward = 0; ///< how many belong to the forward pass
  std::vector<Source> waits;
  std::vector<Source> y, dx; ///< what goes out, forward and backward
  std::vector<WeightGroup> weights;
  double x_bytes = 0;    ///< of what comes in: what a pipeline sends
  double kept_bytes = 0; ///< of what the backward pass needs of the forward pass, what comes in included
  double core_bytes = 0; ///< the part of it that selective recomputation saves
  std::vector<bool> again_core, again_full; ///< forward tasks to be repeated by selective and full recomputation

  std::span<const Source> waits_of(const LayerTask& task) const {
    return std::span{waits}.subspan(task.begin, task.end - task.begin);
  }
};

} // namespace triosim::symbolic::physical
