// Ids and dependencies: what is refused, with which words, and what must not hurt.
#include <triosim/chakra/circle.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/trace_builder.hpp>
#include <triosim/chakra/write.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::chakra;

namespace {

struct Plan {
  std::uint64_t id;
  const char* name;
  std::vector<std::uint64_t> data;
  std::vector<std::uint64_t> ctrl = {};
};

Trace build(std::initializer_list<Plan> plans) {
  TraceBuilder builder{"f.et", Format::v0_0_4};
  for (const Plan& plan : plans) {
    NodeView node;
    node.id = plan.id;
    node.name = plan.name;
    node.type = NodeType::comp;
    node.data_deps = plan.data;
    node.ctrl_deps = plan.ctrl;
    builder.node(node);
  }
  return builder.finish();
}

} // namespace

TEST_CASE("ids that differ little or much, forward and backward references, all find their nodes") {
  for (const std::uint64_t huge : {std::uint64_t{9}, UINT64_MAX, std::uint64_t{1} << 40}) {
    const Trace trace = build({{huge, "a", {}}, {0, "b", {5, huge}}, {5, "c", {huge}}});
    CHECK(trace.data_deps(1)[0] == 2);
    CHECK(trace.data_deps(1)[1] == 0);
    CHECK(trace.id_of_dependency(trace.data_deps(2)[0]) == huge);
  }
}

TEST_CASE("an id that is given twice is an error that names both nodes") {
  const char* const message = "f.et: id: node 5 \"c\" has the id of node 5 \"a\", expected ids to differ";
  CHECK_THROWS_WITH_AS(build({{5, "a", {}}, {6, "b", {}}, {5, "c", {}}}), message, TraceError);
  const std::uint64_t huge = UINT64_MAX;
  CHECK_THROWS_AS(build({{huge, "a", {}}, {6, "b", {}}, {huge, "c", {}}}), TraceError);
}

TEST_CASE("a data dependency on a node that is not there is an error that names it") {
  CHECK_THROWS_WITH_AS(build({{1, "a", {}}, {2, "b", {1, 77}}}),
                       "f.et: data_deps: node 2 \"b\" depends on node 77, which the file lacks", TraceError);
}

TEST_CASE("a circle of data dependencies is an error that names its nodes") {
  CHECK_THROWS_WITH_AS(build({{1, "a", {1}}}), "f.et: data_deps: node 1 \"a\" depends on itself", TraceError);
  CHECK_THROWS_WITH_AS(
      build({{1, "a", {}}, {2, "b", {4, 1}}, {3, "c", {2}}, {4, "d", {3}}}),
      "f.et: data_deps: 3 nodes wait for each other in a circle: node 2 \"b\" -> node 4 \"d\" -> node 3 "
      "\"c\" -> node 2",
      TraceError);
}

TEST_CASE("control dependencies may name absent frames and contradict the data") {
  const Trace absent = build({{1, "a", {}, {900}}, {2, "b", {1}, {900, 1, 901}}});
  CHECK(absent.absent_count() == 2);
  CHECK(absent.control_can_be_obeyed());
  CHECK(absent.id_of_dependency(absent.ctrl_deps(1)[0]) == 900);
  CHECK(absent.ctrl_deps(1)[1] == 0);
  CHECK(absent.id_of_dependency(absent.ctrl_deps(1)[2]) == 901);
  CHECK_FALSE(build({{1, "a", {}, {2}}, {2, "b", {1}}}).control_can_be_obeyed());
}

TEST_CASE("a chain of a million nodes hurts no stack, whichever way the file runs") {
  constexpr std::uint32_t length = 1'000'000;
  for (const bool backward : {false, true})
    for (const bool closed : {false, true}) {
      TraceBuilder builder{"chain.et", Format::v0_0_4};
      for (std::uint32_t i = 0; i < length; ++i) {
        NodeView node;
        node.id = i;
        const std::uint64_t before[] = {backward ? (i + 1) % length : (i + length - 1) % length};
        const bool is_first = backward ? i == length - 1 : i == 0;
        if (closed || !is_first) node.data_deps = before;
        builder.node(node);
      }
      if (closed)
        CHECK_THROWS_WITH_AS(builder.finish(), doctest::Contains("1000000 nodes wait for each other in a circle"),
                             TraceError);
      else
        CHECK(builder.finish().data_dep_count() == length - 1);
    }
}
