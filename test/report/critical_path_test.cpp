#include "support/given.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/report/critical_path.hpp>
#include <triosim/report/json.hpp>
#include <triosim/report/link_loads.hpp>
#include <triosim/report/text.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, test::Given>;

Operation work(const char* name, Time time) {
  Operation operation;
  operation.name = name;
  operation.recorded = time;
  return operation;
}

std::vector<std::pair<std::string, Time>> shares(const report::CriticalPath::Found& found) {
  std::vector<std::pair<std::string, Time>> list;
  for (const auto& share : found.shares)
    list.emplace_back(share.what, share.time);
  return list;
}

} // namespace

TEST_CASE("the path goes through the slower rank, its message, and what waited for that") {
  // Rank 0 computes 30 us and sends; rank 1 computes 5 us, receives and computes 10 us more.
  Program first, second;
  const TaskId made = first.add_compute(work("make", 30_us));
  first.add_send("hand over", {0, 1, 7, 1_MB}, std::array{made});
  second.add_compute(work("other", 5_us));
  const TaskId got = second.add_receive("take", {0, 1, 7, 1_MB});
  second.add_compute(work("use", 10_us), std::array{got});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(std::move(first));
  graph.assign(1, graph.add_program(std::move(second)));
  const Cluster cluster{topology::single_switch(2, {10_GBps, 1_us})};
  report::CriticalPath path;
  report::LinkLoads loads{cluster.topology};
  const Report report = Sim{cluster}.play(graph, path, loads);
  CHECK(report.total == 30_us + 102_us + 10_us);
  const auto found = path.find();
  CHECK(shares(found) == std::vector<std::pair<std::string, Time>>{{"message", 102_us}, {"compute", 40_us}});
  CHECK(found.ranks == 2);
  REQUIRE(found.steps.size() == 4);
  CHECK(found.steps.front().rank == 0);
  CHECK(found.steps.back().task == 2);
  // Up to the switch and down.
  const auto busiest = loads.busiest(10);
  REQUIRE(busiest.size() == 2);
  CHECK(busiest[0].bytes == 1_MB);
  CHECK(busiest[0].utilisation == doctest::Approx(100.0 / 142));
}

TEST_CASE("in a collective the path goes on with the member that came last; a busy rank is on the path") {
  Program slow, fast;
  slow.add_compute(work("one", 20_us));
  const TaskId two = slow.add_compute(work("two", 25_us)); // waits for the rank alone
  slow.add_collective("sum", {CollectiveType::AllReduce, 0, 2_MB}, std::array{two});
  const TaskId quick = fast.add_compute(work("quick", 5_us));
  const TaskId sum = fast.add_collective("sum", {CollectiveType::AllReduce, 0, 2_MB}, std::array{quick});
  fast.add_compute(work("after", 7_us), std::array{sum});
  TaskGraph graph{2};
  graph.add_group(Communicators::world(2));
  graph.add_program(std::move(slow));
  graph.assign(1, graph.add_program(std::move(fast)));
  const Cluster cluster{topology::single_switch(2, {10_GBps, 1_us})};
  report::CriticalPath path;
  Report report = Sim{cluster}.play(graph, path);
  const auto found = path.find();
  CHECK(report.total == 45_us + 2 * 102_us + 7_us);
  CHECK(shares(found) == std::vector<std::pair<std::string, Time>>{{"all-reduce world", 204_us}, {"compute", 52_us}});

  for (const auto& share : found.shares)
    report.critical_path.push_back({share.what, share.time});
  report.critical_tasks = found.steps.size();
  report.critical_ranks = found.ranks;
  report.busiest_links = {{0, 2, 2_MB, 0.5}};
  CHECK(report::to_text(report).find("what set the time: 4 tasks on 2 ranks\n  all-reduce world  204.0 us  79.7%\n") !=
        std::string::npos);
  CHECK(report::to_text(report).find("  rank 0 to node 2  2.000 MB  50.0%") != std::string::npos);
  CHECK(report::to_json(report).find("\"busiest_links\": [\n  {\"from\": 0, \"to\": 2, \"bytes\": 2000000, "
                                     "\"utilisation\": 0.5}]") != std::string::npos);
  CHECK(report::to_json(report).find("\"critical_path\": {\"tasks\": 4, \"ranks\": 2, \"shares\": [\n  {\"what\": "
                                     "\"all-reduce world\", \"time_s\": 0.000204}") != std::string::npos);
}

TEST_CASE("a run of nothing has no path") {
  report::CriticalPath path;
  TaskGraph graph{1};
  graph.add_program(Program{});
  Sim{Cluster{topology::single_switch(1, {10_GBps, 1_us})}}.play(graph, path);
  CHECK(path.find().steps.empty());
}
