#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/simulator.hpp>
#include <triosim/strategy/replay.hpp>
#include <triosim/time_model/first_of.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/roofline.hpp>
#include <triosim/topology/builders/product.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

using Kind = ReplayProgram::Kind;
using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::Replay>;

/// Compute, an all-reduce, compute: one after the other.
ReplayProgram step() {
  ReplayProgram program;
  ReplayProgram::Node work;
  work.kind = Kind::Compute;
  work.duration_ns = 5'000;
  ReplayProgram::Node reduce;
  reduce.kind = Kind::Collective;
  reduce.bytes = 1'000'000;
  program.nodes = {work, reduce, work};
  program.nodes[1].id = 1;
  program.nodes[2].id = 2;
  program.after_begins = {0, 1, 2, 2};
  program.after = {1, 2};
  program.waits = {0, 1, 1};
  program.names = {"n"};
  program.communications = 1;
  return program;
}

Cluster star(std::uint32_t devices, Bandwidth bandwidth = 10_GBps) {
  return Cluster{topology::single_switch(devices, {bandwidth, 1_us})};
}

} // namespace

TEST_CASE("ranks with like groups share a program, and take the time of their ring") {
  ReplayWorkload workload;
  workload.programs.push_back(step());
  workload.groups = {{"1", {0, 2}}, {"2", {1, 3}}};
  workload.ranks = {{0, {0}}, {0, {1}}, {0, {0}}, {0, {1}}};
  const TaskGraph graph = strategy::Replay{}.lower(workload, star(4));
  graph.validate();
  CHECK(graph.programs().size() == 1);
  const Report report = Sim{star(4)}.run(workload);
  // Two halves of a megabyte, each over two wires of a microsecond.
  CHECK(report.total == 10_us + 2 * (2_us + 50_us));
}

TEST_CASE("a run in two jobs on links of their own takes the longer of both") {
  ReplayWorkload both, one;
  both.programs = {step(), step()};
  both.programs[1].nodes[1].bytes = 3'000'000;
  both.groups = {{"1", {0, 1}}, {"2", {2, 3}}};
  both.ranks = {{0, {0}}, {0, {0}}, {1, {1}}, {1, {1}}};
  one.programs = {both.programs[1]};
  one.groups = {{"1", {0, 1}}};
  one.ranks = {{0, {0}}, {0, {0}}};
  CHECK(Sim{star(4)}.run(both).total == Sim{star(2)}.run(one).total);
}

TEST_CASE("numbering the ranks of a symmetric machine otherwise changes nothing, and wider links are never slower") {
  ReplayWorkload a, b;
  a.programs = b.programs = {step()};
  a.groups = {{"1", {0, 1, 2}}, {"2", {3, 4, 5}}};
  b.groups = {{"1", {5, 0, 3}}, {"2", {1, 4, 2}}};
  a.ranks = {{0, {0}}, {0, {0}}, {0, {0}}, {0, {1}}, {0, {1}}, {0, {1}}};
  b.ranks = {{0, {0}}, {0, {1}}, {0, {1}}, {0, {0}}, {0, {1}}, {0, {0}}};
  CHECK(Sim{star(6)}.run(a).total == Sim{star(6)}.run(b).total);
  CHECK(Sim{star(6, 20_GBps)}.run(a).total < Sim{star(6)}.run(a).total);
}

TEST_CASE("messages whose ends do not fit are named before the run") {
  ReplayWorkload workload;
  ReplayProgram send, receive;
  ReplayProgram::Node node;
  node.kind = Kind::Send;
  node.bytes = 8;
  send.nodes = {node};
  send.after_begins = receive.after_begins = {0, 0};
  send.waits = receive.waits = {0};
  send.names = receive.names = {"m"};
  send.communications = receive.communications = 1;
  node.kind = Kind::Receive;
  node.bytes = 9;
  receive.nodes = {node};
  workload.programs = {send, receive};
  workload.ranks = {{0, {1}}, {1, {0}}};
  CHECK_THROWS_WITH_AS(strategy::Replay{}.lower(workload, star(2)),
                       "deadlock: 1 task cannot go on: a send of 8 bytes and a receive of 9 from rank 0 to rank 1 with "
                       "tag 0",
                       Deadlock);
  workload.programs[1] = {};
  CHECK_THROWS_AS(strategy::Replay{}.lower(workload, star(2)), Deadlock);
  CHECK_THROWS_AS(strategy::Replay{}.lower(workload, star(3)), ConfigError);
}

TEST_CASE("loads need a remote memory") {
  ReplayWorkload workload;
  ReplayProgram load;
  ReplayProgram::Node node;
  node.kind = Kind::Load;
  node.bytes = 1'000'000;
  load.nodes = {node};
  load.after_begins = {0, 0};
  load.waits = {0};
  load.names = {"l"};
  workload.programs = {load};
  workload.ranks = {{0, {}}, {0, {}}};
  CHECK_THROWS_AS(Sim{star(2)}.run(workload), ConfigError);
  topology::Graph graph = topology::single_switch(2, {10_GBps, 1_us});
  topology::join_memory(graph, {1_GBps, 2_us});
  CHECK(Sim{Cluster{graph}}.run(workload).total == 1002_us);
}

TEST_CASE("the roofline fills in where nothing was recorded") {
  using Times = time_model::FirstOf<time_model::Recorded, time_model::Roofline>;
  ReplayWorkload workload;
  workload.programs = {step()};
  workload.programs[0].nodes[0].duration_ns = 0;
  workload.programs[0].nodes[0].operations = 3e9;
  workload.groups = {};
  workload.ranks = {{0, {ReplayWorkload::everybody}}, {0, {ReplayWorkload::everybody}}};
  const Times times{time_model::Recorded{}, time_model::Roofline{1e12, 1_GBps}};
  using Filled = Simulator<engine::Serial, Times, net::FlowNetwork, strategy::Replay>;
  CHECK(Filled{star(2), {}, times}.run(workload).total == 3_ms + 5_us + 2 * 52_us);
}

TEST_CASE("a product of lines has the links of each") {
  using topology::Line;
  using topology::LineShape;
  const topology::Cable cable{10_GBps, 1_us};
  const std::vector<Line> torus{{LineShape::Ring, 4, cable}, {LineShape::Ring, 2, cable}};
  const topology::Graph ring = topology::product(torus);
  CHECK(ring.devices() == 8);
  CHECK(ring.links().size() == 2 * (2 * 4 + 4)); // two rings of four, four pairs
  const std::vector<Line> islands{{LineShape::FullyConnected, 4, cable}, {LineShape::Switch, 3, cable}};
  const topology::Graph graph = topology::product(islands);
  CHECK(graph.nodes() == 12 + 4);
  CHECK(graph.links().size() == 2 * (3 * 6 + 4 * 3));
  CHECK_THROWS_AS(topology::product(std::vector<Line>{{LineShape::Ring, 0, cable}}), TopologyError);
}
