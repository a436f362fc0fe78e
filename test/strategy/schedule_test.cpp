#include <triosim/strategy/schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace triosim::strategy;

static_assert(SchedulePolicy<GPipe>);
static_assert(SchedulePolicy<OneForwardOneBackward>);

namespace {

// The greatest number of micro-batches that are forward but not yet backward.
std::uint32_t in_flight(const std::vector<PipelineStep>& steps) {
  std::uint32_t now = 0, most = 0;
  for (const PipelineStep& step : steps) {
    now += step.pass == PipelineStep::Pass::Forward ? 1u : ~0u;
    most = std::max(most, now);
  }
  return most;
}

} // namespace

TEST_CASE_TEMPLATE("every micro-batch goes forward once and then backward once", Schedule, GPipe,
                   OneForwardOneBackward) {
  for (std::uint32_t stages = 1; stages <= 6; ++stages)
    for (std::uint32_t stage = 0; stage < stages; ++stage)
      for (std::uint32_t micro_batches = 1; micro_batches <= 12; ++micro_batches) {
        const auto steps = Schedule{}.order(stage, stages, micro_batches);
        REQUIRE(steps.size() == 2 * micro_batches);
        for (std::uint32_t k = 0; k < micro_batches; ++k) {
          const auto forward = std::find(steps.begin(), steps.end(), PipelineStep{PipelineStep::Pass::Forward, k});
          const auto backward = std::find(steps.begin(), steps.end(), PipelineStep{PipelineStep::Pass::Backward, k});
          REQUIRE(forward < backward);
          REQUIRE(backward != steps.end());
        }
      }
}

TEST_CASE("GPipe keeps all micro-batches, one-forward-one-backward as many as there are stages to come") {
  CHECK(in_flight(GPipe{}.order(0, 4, 16)) == 16);
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    CHECK(in_flight(OneForwardOneBackward{}.order(stage, 4, 16)) == 4 - stage);
}
