#include "support/chakra_sample.hpp"

#include <triosim/chakra/names.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace triosim;
using namespace triosim::chakra;

namespace {

constexpr Format formats[] = {Format::v0_0_4, Format::v0_0_1, Format::json, Format::workload_graph};

Trace one_node(const NodeView& node) {
  TraceBuilder builder{"one", Format::v0_0_4};
  builder.node(node);
  return builder.finish();
}

} // namespace

TEST_CASE("what a writer has written is read and written again without a difference, in every format") {
  for (const Format format : formats) {
    CAPTURE(to_text(format));
    const std::string bytes = test::sample_file(format);
    const Trace again = read_memory(bytes);
    CHECK(again.format() == format);
    CHECK(again.losses().empty());
    CHECK(again.size() == 8);
    CHECK(write_memory(again, format) == bytes);
  }
}

TEST_CASE("the JSON form keeps everything that v0.0.4 has, and the other way round") {
  const std::string v004 = test::sample_file(Format::v0_0_4);
  const std::string json = write_memory(read_memory(v004), Format::json);
  CHECK(write_memory(read_memory(json), Format::v0_0_4) == v004);
  CHECK(json == test::sample_file(Format::json));
}

TEST_CASE("an attribute of every type keeps its type and its value") {
  const std::vector<Attribute> given = test::attributes_of_every_type();
  NodeView node;
  node.attributes = given;
  for (const Format format : {Format::v0_0_4, Format::json}) {
    const Trace trace = read_memory(write_memory(one_node(node), format));
    NodeCursor cursor{trace};
    const NodeView& got = cursor(0);
    REQUIRE(got.attributes.size() == given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      CAPTURE(given[i].name);
      CHECK(got.attributes[i].name == given[i].name);
      CHECK(got.attributes[i].type == given[i].type);
      CHECK(got.attributes[i].bits == given[i].bits);
      CHECK(got.attributes[i].text == given[i].text);
      CHECK(got.attributes[i].doc == given[i].doc);
    }
  }
}

TEST_CASE("what a format has no room for is counted") {
  const auto lost = [](Format format, const char* what) {
    const Losses losses = write_to(test::sample_trace(), format, [](std::string_view) {});
    for (const Losses::Entry& entry : losses.entries())
      if (entry.what == what) return entry.count;
    return std::uint64_t{0};
  };
  CHECK(lost(Format::v0_0_4, "attribute \"op_type\"") == 0);
  CHECK(lost(Format::v0_0_1, "attribute \"op_type\"") == 1);
  CHECK(lost(Format::v0_0_1, "start time") == 1);
  CHECK(lost(Format::v0_0_1, "header attribute \"pid\"") == 1);
  CHECK(lost(Format::workload_graph, "attribute \"num_ops\"") == 1);
  CHECK(lost(Format::workload_graph, "attribute \"pg_name\"") == 1);
}

TEST_CASE("a trace without nodes, and a node without anything, survive") {
  for (const Format format : formats) {
    CAPTURE(to_text(format));
    if (format != Format::v0_0_1) {
      TraceBuilder builder{"none", format};
      const std::string bytes = write_memory(builder.finish(), format);
      CHECK(read_memory(bytes).size() == 0);
    }
    const Trace trace = read_memory(write_memory(one_node({}), format));
    CHECK(trace.size() == 1);
    CHECK(trace.id(0) == 0);
    CHECK(trace.type(0) == NodeType::invalid);
    CHECK(trace.name(0).empty());
  }
}

TEST_CASE("a dependency that is named twice binds once in files of messages, and stays twice in JSON") {
  NodeView first;
  first.id = 1;
  NodeView second;
  second.id = 2;
  const std::uint64_t twice[] = {1, 1};
  second.data_deps = twice;
  TraceBuilder builder{"t", Format::v0_0_4};
  builder.node(first);
  builder.node(second);
  const Trace trace = builder.finish();
  CHECK(trace.data_deps(1).size() == 2);
  CHECK(read_memory(write_memory(trace, Format::v0_0_4)).data_deps(1).size() == 1);
  CHECK(read_memory(write_memory(trace, Format::v0_0_1)).data_deps(1).size() == 1);
  CHECK(read_memory(write_memory(trace, Format::json)).data_deps(1).size() == 2);
}

TEST_CASE("many dependencies keep their order without repetitions") {
  std::vector<std::uint64_t> deps;
  for (std::uint64_t i = 0; i < 20'000; ++i)
    deps.push_back(i * 7919 % 10'007);
  DistinctIds distinct;
  const auto kept = distinct(deps);
  REQUIRE(kept.size() == 10'007);
  for (std::size_t i = 0; i < kept.size(); ++i)
    CHECK(kept[i] == deps[i]);
}
