#pragma once

#include "triosim/strategy/schedule.hpp"
#include "triosim/symbolic/physical/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace triosim::symbolic::physical {

/// One unit of work of a stage: a pass of one micro-batch through one of the chunks of layers that the stage has.
struct Work {
  bool backward = false;
  std::uint32_t chunk = 0;
  std::uint32_t micro_batch = 0;
  friend bool operator==(const Work&, const Work&) = default;
};

/// 1F1B over `chunks` chunks a stage (Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
/// Clusters", SC 2021): micro-batches go through the chunks in groups of `stages`; the warm-up is 2 (p - s - 1) + (v -
/// 1) p long.
inline std::vector<Work> interleaved(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                     std::uint32_t micro_batches) {
  const std::uint32_t all = micro_batches * chunks;
  const auto forward = [&](std::uint32_t k) {
    const std::uint32_t group = k / (stages * chunks), within = k % (stages * chunks);
    return Work{false, within / stages, group * stages + within % stages};
  };
  const auto backward = [&](std::uint32_t k) {
    Work work = forward(k);
    return Work{true, chunks - 1 - work.chunk, work.micro_batch};
  };
  // With as many micro-batches as stages, everything goes forward first.
  const std::uint32_t ahead =
      micro_batches == stages ? all : std::min(all, 2 * (stages - 1 - stage) + (chunks - 1) * stages);
  std::vector<Work> order;
  for (std::uint32_t k = 0; k < ahead; ++k)
    order.push_back(forward(k));
  for (std::uint32_t k = ahead; k < all; ++k) {
    order.push_back(forward(k));
    order.push_back(backward(k - ahead));
  }
  for (std::uint32_t k = all - ahead; k < all; ++k)
    order.push_back(backward(k));
  return order;
}

/// In which order a stage works.
inline std::vector<Work> order_of_work(const Plan& plan, std::uint32_t stage) {
  const auto count = static_cast<std::uint32_t>(plan.micro_batches());
  if (plan.chunks > 1) return interleaved(stage, plan.pp, plan.chunks, count);
  std::vector<Work> order;
  for (const strategy::PipelineStep& step : plan.schedule == Schedule::gpipe
                                                ? strategy::GPipe{}.order(stage, plan.pp, count)
                                                : strategy::OneForwardOneBackward{}.order(stage, plan.pp, count))
    order.push_back({step.pass == strategy::PipelineStep::Pass::Backward, 0, step.micro_batch});
  return order;
}

} // namespace triosim::symbolic::physical
