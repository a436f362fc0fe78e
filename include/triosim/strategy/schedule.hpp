#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

namespace triosim::strategy {

/// One unit of work of a pipeline stage: the forward or the backward pass of one micro-batch.
struct PipelineStep {
  enum class Pass : std::uint8_t { Forward, Backward };
  Pass pass = Pass::Forward;
  std::uint32_t micro_batch = 0;

  friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

/// In which order a stage works.
///
/// Minimum:  `order(stage, stages, micro_batches)`, each micro-batch once forward and once backward, forward first.
/// Laws:     played together, the stages do not wait for each other in a circle.
template <class S>
concept SchedulePolicy = std::copy_constructible<S> && requires(const S& schedule, std::uint32_t n) {
  { schedule.order(n, n, n) } -> std::same_as<std::vector<PipelineStep>>;
};

/// All forwards, then all backwards (Huang et al., "GPipe", NeurIPS 2019). m micro-batches on p equal stages take
/// (m + p - 1)(F + B); a stage keeps the activations of all m.
struct GPipe {
  std::vector<PipelineStep> order(std::uint32_t, std::uint32_t, std::uint32_t micro_batches) const {
    std::vector<PipelineStep> steps;
    for (const auto pass : {PipelineStep::Pass::Forward, PipelineStep::Pass::Backward})
      for (std::uint32_t k = 0; k < micro_batches; ++k)
        steps.push_back({pass, k});
    return steps;
  }
};

/// One forward, one backward, after a warm-up of p - 1 - s forwards on stage s (Narayanan et al., "Memory-Efficient
/// Pipeline-Parallel DNN Training", ICML 2021). As long as GPipe, with at most p - s micro-batches in flight.
struct OneForwardOneBackward {
  std::vector<PipelineStep> order(std::uint32_t stage, std::uint32_t stages, std::uint32_t micro_batches) const {
    std::vector<PipelineStep> steps;
    const std::uint32_t ahead = std::min(stages - 1 - stage, micro_batches);
    for (std::uint32_t k = 0; k < ahead; ++k)
      steps.push_back({PipelineStep::Pass::Forward, k});
    for (std::uint32_t k = ahead; k < micro_batches; ++k) {
      steps.push_back({PipelineStep::Pass::Forward, k});
      steps.push_back({PipelineStep::Pass::Backward, k - ahead});
    }
    for (std::uint32_t k = micro_batches - ahead; k < micro_batches; ++k)
      steps.push_back({PipelineStep::Pass::Backward, k});
    return steps;
  }
};

} // namespace triosim::strategy
