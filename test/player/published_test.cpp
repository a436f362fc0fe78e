// The published rules as closed forms over small traces. Numbers in comments are seconds or bytes of the example.
#include "support/classic.hpp"
#include "support/traces.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/net/packet_sharing.hpp>
#include <triosim/strategy/classic/data_parallel.hpp>
#include <triosim/strategy/classic/distributed_data_parallel.hpp>
#include <triosim/strategy/classic/pipeline_parallel.hpp>
#include <triosim/strategy/classic/single_device.hpp>
#include <triosim/strategy/classic/tensor_parallel.hpp>
#include <triosim/trace/builder.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
namespace classic = strategy::classic;
using classic::RingBandwidth;
using test::Chain;
using test::Classic;
using test::classic_machine;

namespace {

constexpr auto all_reduce = RingBandwidth::ForAllReduce;
constexpr auto as_given = RingBandwidth::AsGiven;

// Weights so small that fetching takes no time to speak of.
Chain light() {
  return {.layers = 4, .forward = 10, .backward = 20, .optimizer = 5, .weight = 250, .activation = 25};
}

// Starts and ends of compute tasks of one rank, in microseconds.
struct Gantt {
  const TaskGraph* graph = nullptr;
  std::map<std::pair<std::uint32_t, TaskId>, Time> started;
  struct Bar {
    std::uint32_t rank, micro_batch;
    Stage stage;
    Time begin, end;
  };
  std::vector<Bar> bars;
  int messages = 0;
  void begin(const TaskGraph& g) { graph = &g; }
  void task_started(std::uint32_t rank, TaskId task, Time now) { started[{rank, task}] = now; }
  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    const Program& program = graph->program(rank);
    REQUIRE(started.contains({rank, task}));
    if (program.kind(task) == TaskKind::Compute)
      bars.push_back({rank, program.micro_batch_of(task), program.operation(task).stage, started[{rank, task}], now});
  }
  void message_sent(const net::Message&, Time) { ++messages; }
  void message_arrived(const net::Message&, Time) { --messages; }
};

} // namespace

TEST_CASE("case 0 is the sum of the layers on each of any number of ranks") {
  const Trace trace = light().build();
  for (const std::uint32_t ranks : {1u, 2u, 3u, 16u}) {
    const Report report = Classic<classic::SingleDevice>{classic_machine(ranks, 10, all_reduce)}.run(trace);
    CHECK(report.total == trace.time());
    CHECK(report.rules == "classic");
    REQUIRE(report.ranks.size() == ranks);
    CHECK(report.ranks.back().compute == trace.time());
    CHECK(report.ranks.back().bytes_sent == 0_B);
    CHECK(report.ranks.back().peak_memory > 0_B);
  }
}

TEST_CASE("fetches are not waited for, and the last one to arrive can end the run") {
  // Three layers of 10 us, each with a weight of 1 GB that takes 10 ms to fetch.
  trace::TraceBuilder builder;
  for (const std::string name : {"u", "v", "w"}) {
    const auto tensor = builder.tensor({.name = name, .elements = 250'000'000});
    builder.layer(
        {.id = static_cast<std::int64_t>(tensor), .name = "op", .inputs = std::span{&tensor, 1}, .microseconds = 10});
  }
  const Report report = Classic<classic::SingleDevice>{classic_machine(1, 10, all_reduce)}.run(builder.build());
  // A layer starts when its fetch is issued: at 0, 10 and 20 ms.
  CHECK(report.ranks[0].finish == Time::from_seconds(20e-3 + 10e-6));
  CHECK(report.total == Time::from_seconds(30e-3));
  CHECK(report.ranks[0].compute == Time::from_seconds(30e-6));
  CHECK(report.ranks[0].overlapped_communication == report.ranks[0].compute);
}

TEST_CASE("everything is proportional to the batch, the optimizer too") {
  const Trace trace = light().build();
  for (const std::uint32_t simulated : {1u, 2u, 4u, 16u}) {
    const strategy::Batch batch{.traced = 4, .simulated = simulated};
    const Report report =
        Classic<classic::DataParallel>{classic_machine(2, 10, all_reduce), classic::DataParallel{batch}}.run(trace);
    // 2 x 4 x 1000 bytes of weights and their gradients at 10 GB/s.
    CHECK(report.total.seconds() == doctest::Approx((125e-6 + 8'000 / 10e9) * simulated / 4).epsilon(1e-9));
  }
}

TEST_CASE("case 1 adds S over the given bandwidth, for every number of ranks") {
  Chain chain = light();
  chain.weight = 360'360; // divisible by all numbers of ranks below
  const Trace trace = chain.build();
  const double bytes = 2 * 4 * 4 * 360'360;
  for (const std::uint32_t ranks : {2u, 3u, 4u, 5u, 8u, 12u}) {
    CAPTURE(ranks);
    const Report report = Classic<classic::DataParallel>{classic_machine(ranks, 10, all_reduce)}.run(trace);
    REQUIRE(report.phases.size() == 2);
    CHECK(report.total.seconds() - report.phases[0].end.seconds() == doctest::Approx(bytes / 10e9).epsilon(1e-9));
    CHECK(report.phases[1].end == report.total);
    CHECK(report.ranks[0].messages_sent == 2 * (ranks - 1));
    CHECK(report.ranks[0].bytes_sent.count() == 2 * (ranks - 1) * static_cast<std::uint64_t>(bytes) / ranks);
  }
  const Report alone = Classic<classic::DataParallel>{classic_machine(1, 10, all_reduce)}.run(trace);
  CHECK(alone.total == alone.phases[0].end);
}

TEST_CASE("case 1 on the optical network is 2(N-1) steps of S/N over 64 GB/s and the hops") {
  Chain chain = light();
  chain.weight = 1'000'000;
  const Trace trace = chain.build();
  const double bytes = 2 * 4 * 4e6;
  const Cluster cluster = classic_machine(4, 10, all_reduce);
  const auto run = [&](std::int64_t rows, std::int64_t columns) {
    return Classic<classic::DataParallel, net::classic::Optical>{
        cluster, {}, {}, net::classic::Optical{cluster, rows, columns}}
        .run(trace);
  };
  const auto exchange = [](const Report& report) { return report.total.seconds() - report.phases[0].end.seconds(); };
  CHECK(exchange(run(1, 4)) == doctest::Approx(6 * (bytes / 4 / 64e9 + 20e-9)).epsilon(1e-6));
  // On 2 x 2 the walk is 0, 1, 3, 2: two of the four neighbours are two hops apart.
  CHECK(exchange(run(2, 2)) == doctest::Approx(6 * (bytes / 4 / 64e9 + 40e-9)).epsilon(1e-6));
}

TEST_CASE("case 2 overlaps with the layers, and a slow exchange ends the run") {
  const Trace trace = light().build();
  const Report fast = Classic<classic::DistributedDataParallel>{classic_machine(4, 10, all_reduce)}.run(trace);
  CHECK(fast.total == trace.time());
  const Report slow = Classic<classic::DistributedDataParallel>{classic_machine(4, 1e-5, all_reduce)}.run(trace);
  CHECK(slow.ranks[0].finish == trace.time()); // nobody waits for it
  CHECK(slow.total.seconds() > 0.1);
}

TEST_CASE("case 2: ranks that a chunk keeps from fetching sleep for ever, which is said") {
  Chain chain = light();
  chain.weight = 25'000'000;
  const Classic<classic::DistributedDataParallel> simulator{classic_machine(4, 0.1, all_reduce)};
  CHECK_THROWS_WITH_AS(simulator.run(chain.build()), doctest::Contains("waits for inputs that nobody fetches any more"),
                       Deadlock);
}

TEST_CASE("case 3: flagged layers take 1/N and an all-reduce of their outputs over N") {
  Chain chain{
      .layers = 3, .forward = 12, .backward = 24, .optimizer = 5, .weight = 300, .activation = 30'000, .flagged = true};
  const Trace trace = chain.build();
  for (const std::uint32_t ranks : {2u, 3u, 4u, 6u}) {
    CAPTURE(ranks);
    const Report report = Classic<classic::TensorParallel>{classic_machine(ranks, 10, all_reduce)}.run(trace);
    // Outputs of 120,000 bytes forward, of 121,200 backward, each over N, in steps that take S / 10 GB/s in all.
    const double exchange = 3 * (120'000.0 + 121'200.0) / ranks / 10e9;
    const double expected = 3 * (12e-6 + 24e-6) / ranks + 5e-6 + exchange;
    CHECK(report.total.seconds() == doctest::Approx(expected).epsilon(1e-4));
  }
}

TEST_CASE("case 3 without flags is case 0; with flags and one rank it can never go on, and says so") {
  Chain chain = light();
  CHECK(Classic<classic::TensorParallel>{classic_machine(4, 10, all_reduce)}.run(chain.build()).total == chain.sum());
  chain.flagged = true;
  const Classic<classic::TensorParallel> alone{classic_machine(1, 10, all_reduce)};
  try {
    alone.run(chain.build());
    FAIL("finished");
  } catch (const Deadlock& deadlock) {
    REQUIRE(deadlock.stuck().size() == 1);
    CHECK(deadlock.stuck()[0] ==
          "rank 0: compute aten::linear (task 2) waits for the other ranks to come to its layer");
  }
}

TEST_CASE("case 4 with one micro-batch is the sum of the layers and the hand-overs, for every number of ranks") {
  Chain chain = light();
  chain.activation = 2'500'000; // 10 MB
  const Trace trace = chain.build();
  for (const std::uint32_t ranks : {1u, 2u, 4u}) {
    const Report report = Classic<classic::PipelineParallel>{classic_machine(ranks, 10, as_given)}.run(trace);
    // Forward hand-overs send one activation; backward ones its gradient and that of the weight: 10 GB/s.
    const double hand_over = 10e6 / 10e9 + (10e6 + 1e3) / 10e9;
    CHECK(report.total.seconds() == doctest::Approx(chain.sum().seconds() + (ranks - 1) * hand_over).epsilon(0.05));
  }
}

TEST_CASE("case 4: forward passes before backward passes, and those from the last micro-batch to the first") {
  const Trace trace = light().build();
  Gantt gantt;
  const classic::PipelineParallel strategy{{.traced = 4, .simulated = 4}, 1};
  const Report report =
      Classic<classic::PipelineParallel>{classic_machine(2, 10, as_given), strategy}.run(trace, gantt);
  CHECK(report.tasks == 4 * (4 + 4 + 1) + 4 * 4); // layers; two hand-overs of two ends each, of each micro-batch
  Time last_forward, first_backward = Time::infinity();
  std::vector<std::uint32_t> order; // in which micro-batches begin their second backward layer on rank 0
  std::map<std::uint32_t, int> seen;
  for (const Gantt::Bar& bar : gantt.bars) {
    if (bar.rank != 0) continue;
    if (bar.stage == Stage::Forward) last_forward = std::max(last_forward, bar.end);
    if (bar.stage == Stage::Backward) {
      first_backward = std::min(first_backward, bar.begin);
      if (++seen[bar.micro_batch] == 2) order.push_back(bar.micro_batch);
    }
  }
  CHECK(last_forward <= first_backward);
  CHECK(order == std::vector<std::uint32_t>{3, 2, 1, 0});
  CHECK(gantt.messages == 0);
}

TEST_CASE("case 4: one rank with several micro-batches has nobody to tell it to go on") {
  const Trace trace = light().build();
  const classic::PipelineParallel strategy{{.traced = 4, .simulated = 4}, 2};
  const Classic<classic::PipelineParallel> alone{classic_machine(1, 10, as_given), strategy};
  CHECK_THROWS_WITH_AS(alone.run(trace), doctest::Contains("is parked until the last micro-batch comes back"),
                       Deadlock);
}

TEST_CASE("too little memory is an error that names the rank, the layer and what it needs") {
  Chain chain = light();
  chain.weight = 1'000; // 4 kB each
  const auto run = [&](Bytes capacity) {
    return Classic<classic::SingleDevice>{classic_machine(2, 10, all_reduce, capacity)}.run(chain.build());
  };
  const Bytes peak = run(1_GB).ranks[0].peak_memory;
  CHECK(run(peak).total == chain.sum());
  CHECK_THROWS_AS(run(2_KB), OutOfMemory);
  try {
    run(5_KB);
    FAIL("finished");
  } catch (const OutOfMemory& error) {
    CHECK(error.rank() == 0);
    CHECK(error.task() == "aten::linear");
    CHECK(error.needed_bytes() > error.capacity_bytes());
    CHECK(error.capacity_bytes() == 5'000);
  }
}

TEST_CASE("links without bandwidth are a deadlock and not an early end") {
  const Trace trace = light().build();
  const Cluster cluster = classic::machine(4, Bandwidth{100e9}, Bandwidth{0}, all_reduce);
  CHECK_THROWS_WITH_AS((Classic<classic::DataParallel>{cluster}.run(trace)),
                       doctest::Contains("waits for chunks that never arrive"), Deadlock);
  const Cluster no_memory = classic::machine(4, Bandwidth{0}, Bandwidth{10e9}, all_reduce);
  CHECK_THROWS_AS((Classic<classic::SingleDevice>{no_memory}.run(trace)), Deadlock);
}

TEST_CASE("other engines and the plain packet network agree where nothing happens at the same time by chance") {
  Chain chain{
      .layers = 3, .forward = 12, .backward = 24, .optimizer = 5, .weight = 300, .activation = 30'000, .flagged = true};
  const Trace trace = chain.build();
  const Cluster cluster = classic_machine(3, 10, all_reduce);
  const auto compare = [&](auto strategy) {
    using Strategy = decltype(strategy);
    const double exact = Classic<Strategy>{cluster, strategy}.run(trace).total.seconds();
    const double serial =
        Simulator<engine::Serial, time_model::Proportional, net::classic::PacketSharing, Strategy>{cluster, strategy}
            .run(trace)
            .total.seconds();
    const double heap =
        Simulator<engine::SerialHeap, time_model::Proportional, net::classic::ExactPacketSharing, Strategy>{cluster,
                                                                                                            strategy}
            .run(trace)
            .total.seconds();
    CHECK(serial == doctest::Approx(exact).epsilon(1e-6));
    CHECK(heap == doctest::Approx(exact).epsilon(1e-6));
  };
  compare(classic::SingleDevice{});
  compare(classic::DataParallel{});
  compare(classic::DistributedDataParallel{});
  compare(classic::TensorParallel{});
  compare(classic::PipelineParallel{{4, 4}, 2});
}

TEST_CASE("two runs of one simulator are the same") {
  const Trace trace = light().build();
  const Classic<classic::PipelineParallel> simulator{classic_machine(4, 10, as_given),
                                                     classic::PipelineParallel{{8, 8}, 1}};
  const Report a = simulator.run(trace), b = simulator.run(trace);
  CHECK(a.total == b.total);
  CHECK(a.events == b.events);
}
