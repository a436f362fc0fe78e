#include "support/given.hpp"
#include "support/wire.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

template <class Net = test::Wire, class Engine = engine::Serial>
using Sim = Simulator<Engine, time_model::Recorded, Net, test::Given>;

Operation work(std::string_view name, Time time) {
  Operation operation;
  operation.name = name;
  operation.recorded = time;
  return operation;
}

TaskGraph world(std::uint32_t ranks, Program program) {
  TaskGraph graph{ranks};
  graph.add_program(std::move(program));
  graph.add_group(Communicators::world(ranks));
  return graph;
}

Cluster cluster(std::uint32_t ranks) {
  return Cluster{topology::Graph{ranks}};
}

} // namespace

TEST_CASE("one rank: compute tasks run one at a time, the lowest ready number first") {
  Program program;
  const TaskId a = program.add_compute(work("a", 10_us));
  const TaskId b = program.add_compute(work("b", 20_us), std::array{a});
  program.add_compute(work("c", 5_us));
  program.add_compute(work("d", 1_us), std::array{b});
  struct Order {
    std::vector<TaskId> started;
    void task_started(std::uint32_t, TaskId task, Time) { started.push_back(task); }
  } order;
  const Report report = Sim<>{cluster(1)}.run(world(1, program), order);
  CHECK(order.started == std::vector<TaskId>{0, 1, 2, 3});
  CHECK(report.total == 36_us);
  CHECK(report.ranks[0].compute == 36_us);
  CHECK(report.ranks[0].idle == Time{});
  CHECK(report.tasks == 4);
  CHECK(report.rules == "physical");
}

TEST_CASE("ring all-reduce: 2(N-1) steps of S/N bytes, on every number of ranks") {
  for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) {
    Program program;
    program.add_collective("sync", {CollectiveType::AllReduce, 0, Bytes{1'000 * ranks}});
    const Report report = Sim<>{cluster(ranks)}.run(world(ranks, program));
    CHECK(report.total == 1_us * (2 * (ranks - 1)));
    CHECK(report.ranks[0].exposed_communication == report.total);
    CHECK(report.ranks.back().bytes_sent == Bytes{2'000 * (ranks - 1)});
  }
}

TEST_CASE("every type of collective ends on every number of ranks") {
  for (const auto type : {CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
                          CollectiveType::AllToAll, CollectiveType::Broadcast, CollectiveType::Reduce,
                          CollectiveType::Gather, CollectiveType::Scatter, CollectiveType::Barrier})
    for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
      Program program;
      program.add_collective("x", {type, 0, 12'345_B});
      program.add_collective("y", {type, 0, 0_B});
      CHECK_NOTHROW(Sim<>{cluster(ranks)}.run(world(ranks, program)));
    }
}

TEST_CASE("a network that knows how long a collective takes is asked") {
  Program program;
  program.add_collective("sync", {CollectiveType::AllReduce, 0, 3_KB});
  const Report report = Sim<test::Oracle>{cluster(4)}.run(world(4, program));
  CHECK(report.total == 3_us);
  CHECK(report.ranks[0].messages_sent == 0);
}

TEST_CASE("compute and communication overlap and are told apart") {
  Program program;
  const TaskId a = program.add_compute(work("a", 10_us));
  program.add_compute(work("b", 4_us), std::array{a});
  const TaskId sync = program.add_collective("sync", {CollectiveType::AllReduce, 0, 6_KB}, std::array{a});
  program.add_compute(work("c", 1_us), std::array{sync});
  const Report report = Sim<>{cluster(2)}.run(world(2, program));
  CHECK(report.total == 17_us); // 10, then 6 of all-reduce over 4 of compute, then 1
  for (const RankReport& rank : report.ranks) {
    CHECK(rank.compute == 15_us);
    CHECK(rank.overlapped_communication == 4_us);
    CHECK(rank.exposed_communication == 2_us);
    CHECK(rank.idle == Time{});
  }
}

TEST_CASE("collectives of one slot keep program order, those of two slots do not wait for each other") {
  for (const bool one_slot : {true, false}) {
    Program program;
    const TaskId a = program.add_compute(work("a", 10_us));
    program.add_collective("first", {CollectiveType::AllReduce, 0, 4_KB}, std::array{a});
    const std::uint16_t slot = one_slot ? 0 : 1;
    program.add_collective("second", {CollectiveType::AllReduce, slot, 2_KB});
    TaskGraph graph = world(2, program);
    graph.add_group(Communicators::world(2));
    CHECK(Sim<>{cluster(2)}.run(graph).total == (one_slot ? 16_us : 14_us));
  }
}

TEST_CASE("a send and its receive: the data arrive before they are used") {
  Program sender, receiver;
  const TaskId made = sender.add_compute(work("make", 10_us));
  sender.add_send("out", {0, 1, 7, 5_KB}, std::array{made});
  sender.add_compute(work("more", 2_us), std::array{made});
  const TaskId got = receiver.add_receive("in", {0, -1, 7, 5_KB});
  receiver.add_compute(work("use", 1_us), std::array{got});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(sender);
  graph.assign(1, graph.add_program(receiver));
  const Report report = Sim<>{cluster(2)}.run(graph);
  CHECK(report.total == 16_us);
  CHECK(report.ranks[0].overlapped_communication == 2_us);
  CHECK(report.ranks[1].idle == 10_us);
  CHECK(report.ranks[1].exposed_communication == 5_us);
}

TEST_CASE("messages that come early wait for their receive, first in, first out by tag") {
  Program sender, receiver;
  for (const std::uint32_t tag : {1u, 2u, 1u})
    sender.add_send("out", {0, 1, tag, Bytes{tag * 100}});
  const TaskId late = receiver.add_compute(work("late", 50_us));
  receiver.add_receive("two", {0, 1, 2, 200_B}, std::array{late});
  receiver.add_receive("one", {0, 1, 1, 100_B}, std::array{late});
  receiver.add_receive("one", {0, 1, 1, 100_B}, std::array{late});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(sender);
  graph.assign(1, graph.add_program(receiver));
  CHECK(Sim<>{cluster(2)}.run(graph).total == 50_us);
}

TEST_CASE("a receive of another size than the message is refused") {
  Program sender, receiver;
  sender.add_send("out", {0, 1, 7, 5_KB});
  receiver.add_receive("in", {0, 1, 7, 6_KB});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(sender);
  graph.assign(1, graph.add_program(receiver));
  CHECK_THROWS_WITH_AS(
      Sim<>{cluster(2)}.run(graph),
      "message from rank 0 to rank 1 with tag 7: found \"5000 bytes sent\", expected 6000 bytes as the "
      "receive says",
      ConfigError);
}

TEST_CASE("a deadlock names every task that cannot go on and what it waits for") {
  Program sender, receiver;
  sender.add_send("out", {0, 1, 7, 5_KB});
  sender.add_collective("sync", {CollectiveType::AllReduce, 0, 8_B});
  const TaskId in = receiver.add_receive("in", {0, 1, 8, 5_KB});
  receiver.add_collective("sync", {CollectiveType::AllReduce, 0, 8_B}, std::array{in});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(sender);
  graph.assign(1, graph.add_program(receiver));
  try {
    Sim<>{cluster(2)}.run(graph);
    FAIL("a run that cannot finish finished");
  } catch (const Deadlock& deadlock) {
    CHECK(deadlock.stuck() ==
          std::vector<std::string>{
              "rank 0: collective sync (task 1) waits for rank 1",
              "rank 1: receive in (task 0) waits for a message from rank 0 with tag 8, which sent tag 7 instead",
              "rank 1: collective sync (task 1) waits for in"});
  }
}

TEST_CASE("collectives that do not agree are refused") {
  Program one, other;
  one.add_collective("a", {CollectiveType::AllReduce, 0, 8_B});
  other.add_collective("b", {CollectiveType::AllGather, 0, 8_B});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(one);
  graph.assign(1, graph.add_program(other));
  CHECK_THROWS_WITH_AS(Sim<>{cluster(2)}.run(graph),
                       "collective b on rank 1: found \"all-gather of 8 bytes\", expected all-reduce of 8 bytes as on "
                       "the ranks that came before",
                       ConfigError);
}

TEST_CASE("an operation that the time model does not know is refused by name") {
  Program program;
  Operation unknown;
  unknown.name = "riddle";
  program.add_compute(unknown);
  CHECK_THROWS_WITH_AS(Sim<>{cluster(1)}.run(world(1, program)),
                       "time of riddle: found \"nothing\", expected a time model that knows this operation",
                       ConfigError);
}

TEST_CASE("a graph for another number of ranks than the cluster has is refused") {
  Program program;
  program.add_compute(work("a", 1_us));
  CHECK_THROWS_WITH_AS(Sim<>{cluster(3)}.run(world(2, program)),
                       "ranks: found \"2\", expected 3, the devices of the cluster", ConfigError);
}

TEST_CASE("the engine never changes a byte of the report") {
  // A tangle of compute, two slots of collectives and a ring of messages.
  const std::uint32_t ranks = 6;
  Program program;
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const TaskId compute = program.add_compute(work("w", Time{1'000'000 * (1 + i * 7 % 5)}), last);
    last = {compute};
    if (i % 3 == 0) program.add_collective("g", {CollectiveType::AllReduce, 0, Bytes{1'000 * i}}, last);
    if (i % 4 == 1) last.push_back(program.add_collective("t", {CollectiveType::AllGather, 1, Bytes{500 * i}}, last));
    if (i % 5 == 2) {
      program.add_send("s", {0, 1, i, 2_KB}, last);
      last.push_back(program.add_receive("r", {0, -1, i, 2_KB}));
    }
  }
  TaskGraph graph = world(ranks, program);
  const std::vector<std::vector<std::uint32_t>> pairs{{0, 3}, {4, 1}, {5, 2}};
  graph.add_group(Communicators::of("pairs", ranks, pairs));
  const Report a = Sim<test::Wire, engine::Serial>{cluster(ranks)}.run(graph);
  const Report b = Sim<test::Wire, engine::SerialHeap>{cluster(ranks)}.run(graph);
  CHECK(a.total == b.total);
  CHECK(a.events == b.events);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    CHECK(a.ranks[rank].finish == b.ranks[rank].finish);
    CHECK(a.ranks[rank].exposed_communication == b.ranks[rank].exposed_communication);
    CHECK(a.ranks[rank].bytes_sent == b.ranks[rank].bytes_sent);
    CHECK(a.ranks[rank].compute + a.ranks[rank].exposed_communication + a.ranks[rank].idle == a.total);
  }
}
