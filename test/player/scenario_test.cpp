#include "support/given.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/scenario.hpp>
#include <triosim/simulator.hpp>
#include <triosim/task_graph/jobs.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, test::Given>;

/// Ten microseconds of work, then 2 MB all-reduced among all ranks.
TaskGraph step(std::uint32_t ranks, Bytes bytes = 2_MB) {
  Program program;
  Operation work;
  work.name = "work";
  work.recorded = 10_us;
  const TaskId done = program.add_compute(work);
  program.add_collective("sum", {CollectiveType::AllReduce, 0, bytes}, std::array{done});
  TaskGraph graph{ranks};
  graph.add_group(Communicators::world(ranks));
  graph.add_program(std::move(program));
  return graph;
}

Cluster star(std::uint32_t devices) {
  return Cluster{topology::single_switch(devices, {10_GBps, 1_us})};
}

} // namespace

TEST_CASE("work on a device whose speed changes ends when its parts say") {
  Scenario scenario;
  scenario.devices = {{10_us, 0, 0.5}, {20_us, 0, 2}, {Time{}, 1, 0.25}, {30_us, 2, 0}};
  const Pace pace{scenario, 4};
  CHECK(pace.end(0, Time{}, 10_us) == 10_us);
  CHECK(pace.end(0, Time{}, 12_us) == 14_us);
  CHECK(pace.end(0, Time{}, 17_us) == 21_us); // 10 + 5 in the next ten + 2 at twice the speed
  CHECK(pace.end(0, 40_us, 8_us) == 44_us);
  CHECK(pace.end(1, 5_us, 1_us) == 9_us);
  CHECK(pace.end(2, 25_us, 5_us) == 30_us);
  CHECK(pace.end(2, 25_us, 6_us) == Time::infinity());
  CHECK(pace.end(3, 1_us, 6_us) == 7_us);
  CHECK(Pace{}.end(7, 1_us, 6_us) == 7_us);
  CHECK_THROWS_AS((Pace{scenario, 2}), ConfigError);
}

TEST_CASE("a slow device keeps the others waiting, a failed one is named") {
  Cluster cluster = star(2);
  const Time fast = Sim{cluster}.run(step(2)).total;
  cluster.scenario.devices = {{Time{}, 1, 0.5}};
  CHECK(Sim{cluster}.run(step(2)).total == fast + 10_us);
  cluster.scenario.devices = {{4_us, 1, 0}};
  try {
    Sim{cluster}.run(step(2));
    FAIL("ended");
  } catch (const Deadlock& error) {
    CHECK(std::string{error.what()}.find("rank 1: compute work (task 0) is on a device that has failed") !=
          std::string::npos);
  }
}

TEST_CASE("a link that loses half of its bandwidth at an instant carries the rest at that rate") {
  Cluster cluster = star(2);
  const Time whole = Sim{cluster}.run(step(2)).total; // 10 + 2 x (2 + 100) us
  REQUIRE(whole == 214_us);
  cluster.scenario.links = {{62_us, 0, 2, 0.5}}; // half of the first message is through
  CHECK(Sim{cluster}.run(step(2)).total == 214_us + 50_us + 100_us);
  cluster.scenario.links = {{62_us, 0, 2, 0.5}, {112_us, 2, 0, 1}};
  CHECK(Sim{cluster}.run(step(2)).total == 214_us + 25_us);
  cluster.scenario.links = {{62_us, 0, 2, 0}};
  CHECK_THROWS_AS(Sim{cluster}.run(step(2)), Deadlock);
  cluster.scenario.links = {{62_us, 0, 1, 0.5}};
  CHECK_THROWS_AS(Sim{cluster}.run(step(2)), ConfigError);
  cluster.scenario.links = {{62_us, 0, 2, 0.5}};
  using Closed = Simulator<engine::Serial, time_model::Recorded, net::Ideal, test::Given>;
  CHECK_THROWS_AS(Closed{cluster}.run(step(2)), ConfigError);
}

TEST_CASE("two jobs on one network: as alone where they share no link, slower where they do") {
  const TaskGraph small = step(2), large = step(2, 4_MB);
  const std::array jobs{Job{&small, {0, 1}}, Job{&large, {3, 2}}};
  const TaskGraph both = join_jobs(5, jobs);
  both.validate();
  CHECK(both.tasks() == 8);
  const Report report = Sim{star(5)}.run(both);
  CHECK(report.ranks[0].finish == Sim{star(2)}.run(small).total);
  CHECK(report.ranks[2].finish == Sim{star(2)}.run(large).total);
  CHECK(report.ranks[4].finish == Time{});

  // Two pairs over one cable.
  topology::Graph graph{4};
  const topology::NodeId left = graph.add_switch(), right = graph.add_switch();
  for (const std::uint32_t rank : {0u, 2u})
    topology::join(graph, rank, left, {10_GBps, 1_us});
  for (const std::uint32_t rank : {1u, 3u})
    topology::join(graph, rank, right, {10_GBps, 1_us});
  topology::join(graph, left, right, {10_GBps, 1_us});
  const std::array one{Job{&small, {0, 1}}};
  const std::array two{Job{&small, {0, 1}}, Job{&small, {2, 3}}};
  const Time alone = Sim{Cluster{graph}}.run(join_jobs(4, one)).total;
  CHECK(Sim{Cluster{graph}}.run(join_jobs(4, two)).total == alone + 200_us);
}

TEST_CASE("jobs that do not fit are refused") {
  const TaskGraph two = step(2);
  CHECK_THROWS_AS(join_jobs(4, std::array{Job{&two, {0}}}), ConfigError);
  CHECK_THROWS_AS(join_jobs(4, std::array{Job{&two, {0, 4}}}), ConfigError);
  CHECK_THROWS_AS(join_jobs(4, std::array{Job{&two, {0, 1}}, Job{&two, {1, 2}}}), ConfigError);
}
