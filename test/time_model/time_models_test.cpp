#include <triosim/concepts.hpp>
#include <triosim/time_model/constant.hpp>
#include <triosim/time_model/first_of.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/scaled.hpp>

#include <doctest/doctest.h>

using namespace triosim;
using namespace triosim::literals;

static_assert(TimeModelPolicy<time_model::Recorded>);
static_assert(TimeModelPolicy<time_model::Scaled>);
static_assert(TimeModelPolicy<time_model::Constant>);
static_assert(TimeModelPolicy<time_model::FirstOf<time_model::Recorded, time_model::Constant>>);

namespace {

Operation recorded(Time time, Stage stage = Stage::Forward) {
  Operation operation;
  operation.recorded = time;
  operation.stage = stage;
  return operation;
}

} // namespace

TEST_CASE("recorded: the share of the record, and nothing for what it has not seen") {
  Operation operation = recorded(90_us);
  CHECK(time_model::Recorded{}.duration(operation) == 90_us);
  operation.share = 1.0 / 3;
  CHECK(time_model::Recorded{}.duration(operation) == 30_us);
  operation.batch_ratio = 2;
  CHECK(time_model::Recorded{}.duration(operation) == std::nullopt);
  CHECK(time_model::Recorded{}.duration(Operation{}) == std::nullopt);
}

TEST_CASE("scaled: forward and backward grow with the batch, the optimizer does not") {
  for (const Stage stage : {Stage::Forward, Stage::Backward, Stage::Optimizer}) {
    Operation operation = recorded(100_us, stage);
    operation.batch_ratio = 4;
    operation.share = 0.5;
    CHECK(time_model::Scaled{}.duration(operation) == (stage == Stage::Optimizer ? 50_us : 200_us));
    CHECK(time_model::Scaled{0.2}.duration(operation) == (stage == Stage::Optimizer ? 50_us : 170_us));
  }
  CHECK(time_model::Scaled{}.duration(Operation{}) == std::nullopt);
  CHECK_THROWS_AS(time_model::Scaled{1.5}, ConfigError);
}

TEST_CASE("first of: the first that knows") {
  const time_model::FirstOf model{time_model::Recorded{}, time_model::Constant{7_us}};
  CHECK(model.duration(recorded(90_us)) == 90_us);
  CHECK(model.duration(Operation{}) == 7_us);
  CHECK(time_model::FirstOf<>{}.duration(recorded(90_us)) == std::nullopt);
  CHECK_THROWS_AS(time_model::Constant{Time{-1}}, ConfigError);
}
