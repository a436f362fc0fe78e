// Closed forms of the physical rules.
#include "support/traces.hpp"
#include "support/wire.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/data_parallel.hpp>
#include <triosim/strategy/pipeline_parallel.hpp>
#include <triosim/strategy/single_device.hpp>
#include <triosim/strategy/tensor_parallel.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/scaled.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

Cluster cluster(std::uint32_t ranks) {
  return Cluster{topology::Graph{ranks}};
}

// Test networks: nothing takes time, or a byte takes a nanosecond.
struct Free {
  Free() = default;
  explicit Free(const Cluster&) {}
  template <class Port>
  void send(const net::Message& message, Port& port) {
    port.deliver_at(port.now(), message.id);
  }
};

template <class Strategy, class Net = test::Wire>
using Sim = Simulator<engine::Serial, time_model::Scaled, Net, Strategy>;

template <class Schedule>
using Pipeline = strategy::PipelineParallel<Schedule>;

} // namespace

static_assert(StrategyPolicy<strategy::SingleDevice>);
static_assert(StrategyPolicy<strategy::DataParallel>);
static_assert(StrategyPolicy<strategy::DistributedDataParallel>);
static_assert(StrategyPolicy<strategy::TensorParallel>);
static_assert(StrategyPolicy<strategy::PipelineParallel<>>);

TEST_CASE_TEMPLATE("one rank takes the sum of the layer times, whatever the strategy", Strategy, strategy::SingleDevice,
                   strategy::DataParallel, strategy::DistributedDataParallel, strategy::TensorParallel,
                   Pipeline<strategy::GPipe>, Pipeline<strategy::OneForwardOneBackward>) {
  const test::Chain chain{.flagged = true};
  const Report report = Sim<Strategy>{cluster(1)}.run(chain.build());
  CHECK(report.total == chain.sum());
  CHECK(report.ranks[0].compute == chain.sum());
  CHECK(report.ranks[0].bytes_sent == Bytes{});
}

TEST_CASE("single device: every rank by itself, the batch scales all but the optimizer") {
  const test::Chain chain;
  const Sim<strategy::SingleDevice> twice{cluster(3), {.batch = {.traced = 8, .simulated = 16}}};
  const Report report = twice.run(chain.build());
  CHECK(report.total == 245_us); // 2 x 4 x (10 + 20) + 5
  CHECK(report.ranks[2].compute == 245_us);
}

TEST_CASE("data parallel: the sum of the layers, and an all-reduce before the optimizer that overlaps with nothing") {
  const test::Chain chain;
  for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
    const Report report = Sim<strategy::DataParallel>{cluster(ranks)}.run(chain.build());
    const std::uint64_t bytes = 4 * 4'000;
    // 2(N-1) steps, each as long as its longest chunk.
    const Time reduction = Time{static_cast<std::int64_t>((bytes + ranks - 1) / ranks) * 1'000} * (2 * (ranks - 1));
    CHECK(report.total == chain.sum() + reduction);
    CHECK(report.ranks[0].overlapped_communication == Time{});
    CHECK(report.ranks[0].exposed_communication == reduction);
  }
}

TEST_CASE("distributed data parallel: buckets in the order of completion overlap with the rest of the backward pass") {
  const test::Chain chain; // 4 gradients of 4,000 bytes: 4 us each on 2 ranks, 20 us apart
  strategy::DistributedDataParallel strategy;
  strategy.bucket = strategy.first_bucket = 4_KB;
  const Report each = Sim<strategy::DistributedDataParallel>{cluster(2), strategy}.run(chain.build());
  CHECK(each.total == chain.sum() + 4_us); // only the last is exposed
  CHECK(each.ranks[0].overlapped_communication == 12_us);
  CHECK(each.ranks[0].exposed_communication == 4_us);

  strategy.bucket = strategy.first_bucket = 8_KB;
  const Report pairs = Sim<strategy::DistributedDataParallel>{cluster(2), strategy}.run(chain.build());
  CHECK(pairs.total == chain.sum() + 8_us);
  CHECK(pairs.ranks[0].overlapped_communication == 8_us);

  strategy.bucket = 8_KB;
  strategy.first_bucket = 1_KB; // no gradient is cut
  const TaskGraph graph = strategy.lower(chain.build(), cluster(2));
  std::vector<std::uint64_t> sizes;
  for (TaskId task = 0; task < graph.program(0).size(); ++task)
    if (graph.program(0).kind(task) == TaskKind::Collective)
      sizes.push_back(graph.program(0).collective(task).bytes.count());
  CHECK(sizes == std::vector<std::uint64_t>{4'000, 8'000, 4'000});
}

TEST_CASE("data parallel: gradients do not scale with the batch") {
  const test::Chain chain;
  for (const std::uint32_t batch : {1u, 8u, 64u}) {
    const Report report =
        Sim<strategy::DataParallel>{cluster(2), {.batch = {.traced = 8, .simulated = batch}}}.run(chain.build());
    CHECK(report.ranks[0].bytes_sent == 16'000_B);
  }
}

TEST_CASE("data parallel without a weight to be found is refused, not silent") {
  trace::TraceBuilder builder;
  builder.layer({.id = 1, .name = "aten::mul", .microseconds = 1, .stage = Stage::Forward});
  builder.layer({.id = 2, .name = "MulBackward0", .microseconds = 1, .stage = Stage::Backward});
  const Trace trace = builder.build();
  CHECK_THROWS_WITH_AS(
      Sim<strategy::DistributedDataParallel>{cluster(2)}.run(trace),
      "gradients: found \"none\", expected a trace whose weights show, by an optimizer or by the names "
      "weight and bias",
      ConfigError);
  CHECK(Sim<strategy::DistributedDataParallel>{cluster(1)}.run(trace).total == 2_us);
}

TEST_CASE("tensor parallel: a column/row pair costs one all-reduce forward and one backward") {
  const test::Chain chain{.layers = 4, .flagged = true};
  for (const std::uint32_t ranks : {2u, 4u, 5u}) {
    const auto plan = strategy::TensorParallel::plan(chain.build(), trace::analyse(chain.build()), ranks);
    using Role = strategy::TensorParallel::Plan::Role;
    CHECK(plan.role[0] == Role::Column);
    CHECK(plan.role[1] == Role::Row);
    CHECK(plan.reduced[1] == 400);
    CHECK(plan.reduced[3] == 400);
    CHECK(plan.role[4] == Role::Row); // the backward layer of layer 3
    CHECK(plan.reduced[5] == 400);    // of layer 2, a column: the gradient of its input
    CHECK(plan.reduced[7] == 0);      // of layer 0: nobody needs the gradient of the data
    CHECK(plan.weights_held == doctest::Approx(1.0 / ranks));

    const Report free = Sim<strategy::TensorParallel, Free>{cluster(ranks)}.run(chain.build());
    CHECK(free.total.seconds() == doctest::Approx(chain.sum().seconds() / ranks));
    const Report report = Sim<strategy::TensorParallel>{cluster(ranks)}.run(chain.build());
    const Time reduction = Time{static_cast<std::int64_t>(400 / ranks) * 1'000} * (2 * (ranks - 1));
    CHECK(report.total == free.total + 3 * reduction);
  }
}

TEST_CASE("tensor parallel: a flagged layer without a partner gathers its output; the others run whole") {
  const test::Chain three{.layers = 3, .flagged = true};
  const auto plan = strategy::TensorParallel::plan(three.build(), trace::analyse(three.build()), 2);
  CHECK(plan.gathered[2] == 400);
  CHECK(plan.reduced[2] == 0);
  const test::Chain none{.flagged = false};
  CHECK(Sim<strategy::TensorParallel>{cluster(2)}.run(none.build()).total == none.sum());
}

TEST_CASE_TEMPLATE("GPipe and 1F1B: m micro-batches on p equal stages take (m + p - 1)(F + B)", Schedule,
                   strategy::GPipe, strategy::OneForwardOneBackward) {
  for (std::uint32_t stages = 1; stages <= 6; ++stages)
    for (std::uint32_t micro_batches = 1; micro_batches <= 10; ++micro_batches) {
      const test::Chain chain{.layers = 2 * stages,
                              .forward = 10.0 * micro_batches,
                              .backward = 20.0 * micro_batches,
                              .optimizer = 6.0 * stages};
      Pipeline<Schedule> strategy;
      strategy.batch = {.traced = micro_batches, .simulated = micro_batches};
      strategy.micro_batch = 1;
      const Report report = Sim<Pipeline<Schedule>, Free>{cluster(stages), strategy}.run(chain.build());
      const Time both = 2 * 30_us; // F + B of a stage of two layers
      REQUIRE(report.total == both * (micro_batches + stages - 1) + 6_us);
      REQUIRE(report.ranks[0].compute == both * micro_batches + 6_us);
    }
}

TEST_CASE("pipeline: only activations cross a cut, and their gradients come back") {
  const test::Chain chain{.layers = 4};
  Pipeline<strategy::GPipe> strategy;
  strategy.batch = {.traced = 4, .simulated = 4};
  strategy.micro_batch = 1;
  const Report report = Sim<Pipeline<strategy::GPipe>>{cluster(2), strategy}.run(chain.build());
  CHECK(report.ranks[0].bytes_sent == 400_B);
  CHECK(report.ranks[1].bytes_sent == 400_B);
  CHECK(report.ranks[0].messages_sent == 4);
}

TEST_CASE("pipeline: the rest of a batch is not dropped") {
  const test::Chain chain{.layers = 2, .forward = 80, .backward = 160, .optimizer = 0};
  Pipeline<strategy::OneForwardOneBackward> strategy;
  strategy.batch = {.traced = 8, .simulated = 8};
  for (const std::uint32_t size : {1u, 3u, 5u, 7u, 8u}) {
    strategy.micro_batch = size;
    const Report report = Sim<Pipeline<strategy::OneForwardOneBackward>, Free>{cluster(2), strategy}.run(chain.build());
    CHECK(report.ranks[0].compute == 240_us);
    CHECK(report.ranks[1].compute == 240_us);
  }
  strategy.micro_batch = 9;
  CHECK_THROWS_WITH_AS(strategy.lower(chain.build(), cluster(2)),
                       "micro-batch: found \"9\", expected 1 to 8, the batch", ConfigError);
}

TEST_CASE("pipeline: more stages than layers are refused") {
  CHECK_THROWS_WITH_AS(Sim<Pipeline<strategy::GPipe>>{cluster(5)}.run(test::Chain{.layers = 4}.build()),
                       "stages: found \"5\", expected 1 to 4, the layers to share out", ConfigError);
}

TEST_CASE("no strategy lowers a trace without layers") {
  CHECK_THROWS_AS(Sim<strategy::SingleDevice>{cluster(1)}.run(Trace{}), ConfigError);
  CHECK_THROWS_AS(Sim<strategy::DataParallel>{cluster(2)}.run(Trace{}), ConfigError);
  CHECK_THROWS_AS(Sim<strategy::TensorParallel>{cluster(2)}.run(Trace{}), ConfigError);
  CHECK_THROWS_AS(Sim<Pipeline<strategy::GPipe>>{cluster(2)}.run(Trace{}), ConfigError);
}
