#pragma once

#include "triosim/symbolic/physical/lowered.hpp"
#include "triosim/symbolic/physical/plan.hpp"
#include "triosim/symbolic/physical/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::symbolic::physical {

/// Bytes that a rank of one stage holds at its fullest moment.
struct StageMemory {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;
  double total() const noexcept { return weights + gradients + optimizer + activations; }
};

/// Memory by stage. Activations are what the backward pass of each layer reads of its forward pass, summed over the
/// micro-batches in flight as the schedule has them; a layer that is computed again keeps what comes in, and while it
/// is computed again all the rest, once. Sharded weights of the layers at work are gathered, two layers' at a time.
/// Buffers of communication and of kernels are not counted.
inline std::vector<StageMemory> memory_by_stage(const Lowered& lowered, const Plan& plan) {
  std::vector<StageMemory> stages(plan.pp);
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    StageMemory& memory = stages[stage];
    std::vector<double> kept(plan.chunks, 0); // by one micro-batch in a chunk
    double again = 0, gathered = 0;
    for (std::uint32_t chunk = 0; chunk < plan.chunks; ++chunk) {
      const std::uint32_t v = chunk * plan.pp + stage;
      for (std::uint32_t i = lowered.first[v]; i < lowered.first[v + 1]; ++i) {
        const Layer& layer = lowered.kind(i);
        double whole = 0;
        for (const WeightGroup& group : layer.weights) {
          double shards = 1;
          for (std::size_t axis = 0; axis < spatial_axes.size(); ++axis)
            if ((group.axes >> axis & 1) != 0) shards *= plan.size(spatial_axes[axis]);
          memory.weights += group.elements * plan.precision.value / (plan.zero >= 3 ? shards : 1);
          memory.gradients += group.elements * plan.precision.gradient / (plan.zero >= 2 ? shards : 1);
          memory.optimizer += group.elements * plan.precision.optimizer / (plan.zero >= 1 ? shards : 1);
          if (plan.zero >= 3 && shards > 1) whole += group.elements * plan.precision.value;
        }
        gathered = std::max(gathered, 2 * whole);
        const double saved = plan.recompute == Recompute::full        ? layer.kept_bytes - layer.x_bytes
                             : plan.recompute == Recompute::selective ? layer.core_bytes
                                                                      : 0;
        kept[chunk] += layer.kept_bytes - saved;
        again = std::max(again, saved);
      }
    }
    memory.weights += gathered;
    double now = 0, most = 0;
    for (const Work& work : order_of_work(plan, stage)) {
      now += work.backward ? -kept[work.chunk] : kept[work.chunk];
      most = std::max(most, now);
    }
    memory.activations = most + again;
  }
  return stages;
}

} // namespace triosim::symbolic::physical
