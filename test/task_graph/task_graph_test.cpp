#include <triosim/task_graph.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string_view>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

TaskId compute(Program& program, std::string_view name, std::vector<TaskId> after = {}) {
  Operation operation;
  operation.name = name;
  return program.add_compute(operation, after);
}

} // namespace

TEST_CASE("a program keeps what was added, in order, with edges both ways and without repeats") {
  Program program;
  const TaskId a = compute(program, "a");
  const TaskId b = compute(program, "b", {a, a});
  const TaskId c = program.add_collective("sync", {CollectiveType::AllGather, 0, 8_MB}, std::array{b, a});
  program.depend(a, c);
  CHECK(program.size() == 3);
  CHECK(program.name(b) == "b");
  CHECK(program.operation(b).name == "b");
  CHECK(program.collective(c).bytes == 8_MB);
  const Program::Edges edges = program.edges();
  CHECK(std::vector<TaskId>(edges.predecessors(b).begin(), edges.predecessors(b).end()) == std::vector<TaskId>{a});
  CHECK(std::vector<TaskId>(edges.predecessors(c).begin(), edges.predecessors(c).end()) == std::vector<TaskId>{a, b});
  CHECK(std::vector<TaskId>(edges.successors(a).begin(), edges.successors(a).end()) == std::vector<TaskId>{b, c});
  CHECK(std::vector<TaskId>(edges.successors(c).begin(), edges.successors(c).end()) == std::vector<TaskId>{a});
}

TEST_CASE("a copy of a program is independent of the original") {
  Program copy;
  {
    Program original;
    compute(original, "a rather long name that no small string buffer holds");
    copy = original;
  }
  CHECK(copy.name(0) == "a rather long name that no small string buffer holds");
  CHECK(copy.operation(0).name == copy.name(0));
  compute(copy, "b");
  CHECK(copy.name(1) == "b");
}

TEST_CASE("tasks without uses have none, whatever stands before and after") {
  Program program;
  compute(program, "none");
  compute(program, "two");
  const TensorIndex x = program.add_tensor({1_MB, true}), y = program.add_tensor({2_MB, false});
  program.uses(std::array{x}, std::array{y});
  compute(program, "none");
  compute(program, "one");
  program.uses(std::array{y}, {});
  CHECK(program.inputs(0).empty());
  CHECK(program.outputs(0).empty());
  CHECK(program.inputs(1).front() == x);
  CHECK(program.outputs(1).front() == y);
  CHECK(program.inputs(2).empty());
  CHECK(program.outputs(2).empty());
  CHECK(program.inputs(3).front() == y);
  CHECK(program.outputs(3).empty());
}

TEST_CASE("groups along mesh axes: a rank finds its communicator and its peers") {
  const DeviceMesh mesh{{{"tp", 2}, {"dp", 3}, {"pp", 2}}};
  CHECK(mesh.ranks() == 12);
  const Communicators dp = Communicators::along(mesh, "dp");
  CHECK(dp.count() == 4);
  CHECK(dp.size(0) == 3);
  // rank = tp + 2 (dp + 3 pp); rank 9 is tp 1, dp 1, pp 1.
  const auto group = dp.members(dp.place(9).communicator);
  CHECK(std::vector<std::uint32_t>(group.begin(), group.end()) == std::vector<std::uint32_t>{7, 9, 11});
  CHECK(dp.place(9).index == 1);
  CHECK(dp.peer(9, 1) == 11);
  CHECK(dp.peer(9, 2) == 7);
  CHECK(dp.peer(9, -2) == 11);
  const std::array<std::string_view, 2> both{"tp", "pp"};
  CHECK(Communicators::along(mesh, both).count() == 3);
  CHECK(Communicators::along(mesh, both).name() == "tp*pp");
  CHECK_THROWS_WITH_AS(mesh.index("xx"), "axis: found \"xx\", expected one of tp, dp, pp", ConfigError);
}

TEST_CASE("every rank is in one communicator of a division") {
  const DeviceMesh mesh{{{"a", 3}, {"b", 4}, {"c", 5}}};
  for (const char* axis : {"a", "b", "c"}) {
    const Communicators groups = Communicators::along(mesh, axis);
    std::vector<int> seen(mesh.ranks(), 0);
    for (std::uint32_t c = 0; c < groups.count(); ++c)
      for (std::uint32_t i = 0; i < groups.members(c).size(); ++i) {
        const std::uint32_t rank = groups.members(c)[i];
        ++seen[rank];
        CHECK(groups.place(rank).communicator == c);
        CHECK(groups.place(rank).index == i);
      }
    CHECK(seen == std::vector<int>(mesh.ranks(), 1));
  }
}

TEST_CASE("given groups leave the unnamed ranks alone and refuse a rank named twice") {
  const std::vector<std::vector<std::uint32_t>> groups{{3, 1}};
  const Communicators given = Communicators::of("pg", 4, groups);
  CHECK(given.count() == 3);
  CHECK(given.peer(3, 1) == 1);
  CHECK(given.size(0) == 1);
  const std::vector<std::vector<std::uint32_t>> twice{{3, 1}, {1}};
  CHECK_THROWS_AS(Communicators::of("pg", 4, twice), ConfigError);
  const std::vector<std::vector<std::uint32_t>> far{{4}};
  CHECK_THROWS_AS(Communicators::of("pg", 4, far), ConfigError);
}

TEST_CASE("validation names a circle of dependencies") {
  Program program;
  const TaskId a = compute(program, "a"), b = compute(program, "b", {a}), c = compute(program, "c", {b});
  compute(program, "d", {c});
  program.depend(b, c);
  TaskGraph graph{2};
  graph.add_program(std::move(program));
  CHECK_THROWS_WITH_AS(graph.validate(), "dependencies: found \"c (task 2) -> b (task 1) -> c\", expected no circle",
                       ConfigError);
}

TEST_CASE("validation refuses groups and programs that do not exist") {
  TaskGraph graph{2};
  CHECK_THROWS_AS(graph.validate(), ConfigError);
  Program program;
  program.add_collective("sync", {CollectiveType::AllReduce, 0, 1_MB});
  graph.add_program(std::move(program));
  CHECK_THROWS_WITH_AS(graph.validate(), "sync: found \"group 0\", expected one of 0", ConfigError);
  graph.add_group(Communicators::world(2));
  graph.validate();
  graph.assign(1, 7);
  CHECK_THROWS_AS(graph.validate(), ConfigError);
}

TEST_CASE("a chain of a million tasks is validated without recursion") {
  Program program;
  Operation operation;
  operation.name = "x";
  for (TaskId i = 0; i < 1'000'000; ++i)
    program.add_compute(operation, i == 0 ? std::span<const TaskId>{} : std::array{i - 1});
  TaskGraph graph{1};
  graph.add_program(std::move(program));
  graph.validate();
  CHECK(graph.tasks() == 1'000'000);
}
