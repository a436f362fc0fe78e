// What the published strategies give each rank to do, seen in the graph.
#include "support/classic.hpp"

#include <triosim/strategy/classic/data_parallel.hpp>
#include <triosim/strategy/classic/distributed_data_parallel.hpp>
#include <triosim/strategy/classic/gradient_set.hpp>
#include <triosim/strategy/classic/pipeline_parallel.hpp>
#include <triosim/strategy/classic/single_device.hpp>
#include <triosim/strategy/classic/tensor_parallel.hpp>
#include <triosim/trace/builder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
namespace classic = strategy::classic;

namespace {

using Names = std::vector<std::string_view>;

// Layers by the names of their tensors; every tensor that is named has 1000 bytes times its place of appearance.
struct Writer {
  trace::TraceBuilder builder;
  std::int64_t id = 0;
  std::uint64_t size = 0;

  trace::TensorIndex tensor(std::string_view name) {
    if (const auto known = builder.find_tensor(name)) return *known;
    return builder.tensor({.name = name, .elements = ++size * 1'000, .element_bytes = 1});
  }
  Writer& layer(Stage stage, const Names& inputs, const Names& outputs, std::string_view name = "op",
                bool flagged = false) {
    std::vector<trace::TensorIndex> in, out;
    for (const auto i : inputs)
      in.push_back(tensor(i));
    for (const auto o : outputs)
      out.push_back(tensor(o));
    builder.layer({.id = ++id,
                   .name = name,
                   .inputs = in,
                   .outputs = out,
                   .microseconds = 10,
                   .stage = stage,
                   .tensor_parallel = flagged});
    return *this;
  }
  Trace build() { return builder.build(); }
};

// w98 is 1000 bytes, w254 2000, w7 3000, state 4000.
Trace adam() {
  Writer writer;
  for (const auto name : {"98", "254", "7", "state"})
    writer.tensor(name);
  writer.layer(Stage::Forward, {"98"}, {"a"})
      .layer(Stage::Forward, {"254", "a"}, {"b"})
      .layer(Stage::Backward, {"b", "254"}, {"c"})
      .layer(Stage::Backward, {"c"}, {"d"})
      .layer(Stage::Backward, {"d", "254", "98"}, {"e"})
      .layer(Stage::Optimizer, {"state"}, {"state"}, "aten::_foreach_add_")
      .layer(Stage::Optimizer, {"98", "254", "7", "state"}, {}, "aten::_foreach_addcdiv_");
  return writer.build();
}

struct Reduction {
  TaskId task;
  std::uint64_t bytes;
  std::vector<TaskId> after;
  std::vector<std::uint64_t> pieces;
};

std::vector<Reduction> reductions(const TaskGraph& graph) {
  const Program& program = graph.program(0);
  const Program::Edges edges = program.edges();
  std::vector<Reduction> found;
  for (TaskId task = 0; task < program.size(); ++task) {
    if (program.kind(task) != TaskKind::Collective) continue;
    const auto before = edges.predecessors(task);
    Reduction& reduction =
        found.emplace_back(Reduction{task, program.collective(task).bytes.count(), {before.begin(), before.end()}, {}});
    for (const TensorIndex tensor : program.inputs(task))
      reduction.pieces.push_back(program.tensors()[tensor].bytes.count());
  }
  return found;
}

Cluster machine(std::uint32_t devices) {
  return test::classic_machine(devices, 10, classic::RingBandwidth::ForAllReduce);
}

} // namespace

TEST_CASE("the gradient set is what addcdiv reads, without the optimizer's state") {
  const Trace trace = adam();
  const auto set = classic::gradient_set(trace);
  const auto has = [&](std::string_view name) { return static_cast<bool>(set[*trace.find_tensor(name)]); };
  CHECK(has("98"));
  CHECK(has("254"));
  CHECK(has("7"));
  CHECK_FALSE(has("state"));
  CHECK_FALSE(has("a"));
  const Trace sgd = Writer{}.layer(Stage::Optimizer, {"w"}, {"w"}, "aten::_foreach_sub_").build();
  CHECK(classic::gradient_set(sgd) == std::vector<bool>{false});
}

TEST_CASE("case 1 reduces the gradient set once, after everything") {
  const TaskGraph graph = classic::DataParallel{}.lower(adam(), machine(4));
  graph.validate();
  const auto found = reductions(graph);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 6'000);
  CHECK(found[0].after == std::vector<TaskId>{6});
}

TEST_CASE("case 2 sweeps up what is greater as a text, once, and its own inputs again") {
  const TaskGraph graph = classic::DistributedDataParallel{}.lower(adam(), machine(4));
  graph.validate();
  const auto found = reductions(graph);
  REQUIRE(found.size() == 2);
  // "254" < "7" < "98" as texts: the first bucket takes all three.
  CHECK(found[0].pieces == std::vector<std::uint64_t>{2'000, 3'000, 1'000});
  // They are marked, but the layer's own inputs are reduced again.
  CHECK(found[1].pieces == std::vector<std::uint64_t>{2'000, 1'000});
  CHECK(found[0].bytes == 6'000);
  CHECK(found[1].bytes == 3'000);
}

TEST_CASE("sizes follow the batch, weights too, and are cut off") {
  const Trace trace = adam();
  const strategy::Batch batch{.traced = 3, .simulated = 1};
  const auto found = reductions(classic::DataParallel{batch}.lower(trace, machine(2)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].pieces == std::vector<std::uint64_t>{333, 666, 1'000});
}

TEST_CASE("case 3 splits flagged layers and reduces what is left of their outputs") {
  Writer writer;
  writer.layer(Stage::Forward, {"x", "w"}, {"y", "y"}, "op", true).layer(Stage::Backward, {"y"}, {"z"});
  const Trace trace = writer.build();
  const TaskGraph graph = classic::TensorParallel{}.lower(trace, machine(4));
  graph.validate();
  const Program& program = graph.program(0);
  REQUIRE(program.size() == 3);
  CHECK(program.operation(0).share == 0.25);
  CHECK(program.operation(2).share == 1);
  const auto found = reductions(graph);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 2 * 3'000 / 4); // listed twice, counted twice
  CHECK(program.edges().predecessors(2)[0] == found[0].task);
}

TEST_CASE("case 3 and 4 refuse layers without a size for each tensor") {
  trace::TraceBuilder builder;
  const trace::TensorIndex tensor = builder.tensor({.name = "x", .elements = 1});
  builder.layer({.id = 7, .name = "op", .inputs = std::span{&tensor, 1}, .sizes_complete = false});
  const Trace trace = builder.build();
  CHECK_THROWS_WITH_AS(classic::TensorParallel{}.lower(trace, machine(2)), doctest::Contains("layer 7"), ConfigError);
  CHECK_THROWS_WITH_AS(classic::PipelineParallel{}.lower(trace, machine(1)), doctest::Contains("layer 7"), ConfigError);
  CHECK_NOTHROW(classic::SingleDevice{}.lower(trace, machine(2)));
}

TEST_CASE("case 4 cuts by the number of layers, and every send has its receive") {
  Writer writer;
  for (int i = 0; i < 5; ++i)
    writer.layer(Stage::Forward, {"w" + std::to_string(i)}, {"a" + std::to_string(i)});
  for (int i = 0; i < 4; ++i)
    writer.layer(Stage::Backward, {"a" + std::to_string(4 - i)}, {"g" + std::to_string(i)});
  writer.layer(Stage::Optimizer, {"g0"}, {});
  const Trace trace = writer.build();
  const classic::PipelineParallel strategy{{.traced = 6, .simulated = 7}, 3};
  const TaskGraph graph = strategy.lower(trace, machine(3));
  graph.validate();
  std::vector<std::pair<std::size_t, std::size_t>> layers; // forward and other layers of micro-batch 0
  std::uint64_t sent = 0, received = 0, sends = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const Program& program = graph.program(rank);
    auto& [there, back] = layers.emplace_back();
    for (TaskId task = 0; task < program.size(); ++task) {
      if (program.kind(task) == TaskKind::Compute && program.micro_batch_of(task) == 0)
        ++(program.operation(task).stage == Stage::Forward ? there : back);
      if (program.kind(task) == TaskKind::Compute) CHECK(program.operation(task).share == 0.5);
      if (program.kind(task) == TaskKind::Send) ++sends, sent += program.message(task).bytes.count();
      if (program.kind(task) == TaskKind::Receive) received += program.message(task).bytes.count();
    }
  }
  // 5 forward layers: 0, 1-2, 3-4. 5 others: the first one on the last rank, ...
  CHECK(layers == std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}, {2, 1}});
  CHECK(sends == 2 * 2 * 2); // two hand-overs there, two back, of two micro-batches (a remainder of 1 is dropped)
  CHECK(sent == received);
  CHECK(sent > 0);
}

TEST_CASE("case 4 refuses what cannot be cut") {
  const Trace trace = adam(); // 2 forward, 5 others
  const auto lower = [&](std::uint32_t ranks, strategy::Batch batch, std::uint32_t micro_batch) {
    return classic::PipelineParallel{batch, micro_batch}.lower(trace, machine(ranks));
  };
  CHECK_NOTHROW(lower(2, {8, 8}, 8));
  CHECK_THROWS_WITH_AS(lower(3, {8, 8}, 8), doctest::Contains("ranks: found \"3\""), ConfigError);
  CHECK_THROWS_WITH_AS(lower(2, {8, 8}, 0), doctest::Contains("micro-batch"), ConfigError);
  CHECK_THROWS_WITH_AS(lower(2, {8, 8}, 9), doctest::Contains("1 to 8"), ConfigError);
  CHECK_THROWS_AS(lower(2, {8, 0}, 1), ConfigError);
  CHECK_THROWS_WITH_AS(lower(2, {8, 4'000'000'000}, 1), doctest::Contains("layers of all micro-batches"), ConfigError);
  Writer mixed;
  mixed.layer(Stage::Backward, {"a"}, {"b"}).layer(Stage::Forward, {"b"}, {"c"});
  CHECK_THROWS_WITH_AS(classic::PipelineParallel{}.lower(mixed.build(), machine(1)), doctest::Contains("order"),
                       ConfigError);
}

TEST_CASE("every strategy refuses a trace without layers and a batch of nothing") {
  const auto each = [&](const auto& strategy, const Trace& trace) {
    CHECK_THROWS_AS(strategy.lower(trace, machine(2)), ConfigError);
  };
  each(classic::SingleDevice{}, Trace{});
  each(classic::DataParallel{}, Trace{});
  each(classic::DistributedDataParallel{}, Trace{});
  each(classic::TensorParallel{}, Trace{});
  each(classic::PipelineParallel{}, Trace{});
  each(classic::SingleDevice{{.traced = 0}}, adam());
  each(classic::DataParallel{{.simulated = 0}}, adam());
}
