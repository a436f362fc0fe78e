#include <triosim/mesh.hpp>
#include <triosim/task_graph.hpp>
#include <triosim/task_graph/summary.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("a graph adds up over ranks, and communicators of one rank do not communicate") {
  const DeviceMesh mesh{{{"tp", 2}, {"dp", 1}, {"pp", 2}}};
  TaskGraph graph{4};
  const std::uint16_t tp = graph.add_group(Communicators::along(mesh, "tp"));
  const std::uint16_t dp = graph.add_group(Communicators::along(mesh, "dp"));
  const std::uint16_t pp = graph.add_group(Communicators::along(mesh, "pp"));
  Program first, second;
  Operation work;
  work.name = "work";
  work.flops = Flops{10};
  work.bytes = 7_B;
  first.add_compute(work);
  first.add_collective("a", {CollectiveType::AllReduce, tp, 100_B});
  first.add_collective("b", {CollectiveType::AllReduce, tp, 50_B});
  first.add_collective("alone", {CollectiveType::AllGather, dp, 1000_B});
  first.add_send("s", {pp, 1, 0, 30_B});
  second.add_receive("r", {pp, -1, 0, 30_B});
  second.add_fetch("f", 9_B);
  graph.add_program(std::move(first));
  graph.add_program(std::move(second));
  graph.assign(2, 1);
  graph.assign(3, 1);

  const GraphSummary sums = summarize(graph);
  CHECK(sums.ranks == 4);
  CHECK(sums.programs == 2);
  CHECK(sums.tasks == 14);
  CHECK(sums.of_kind[static_cast<std::size_t>(TaskKind::Collective)] == 6);
  CHECK(sums.flops == 20);
  CHECK(sums.memory_bytes == 14);
  CHECK(sums.sent_bytes == 60);
  CHECK(sums.fetched_bytes == 18);
  REQUIRE(sums.collectives.size() == 1);
  CHECK(sums.collectives[0].group == "tp");
  CHECK(sums.collectives[0].members == 2);
  CHECK(sums.collectives[0].calls == 4);
  CHECK(sums.collectives[0].bytes == 300);
}
