#include <triosim/chakra/cross_check.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/summary.hpp>
#include <triosim/error.hpp>
#include <triosim/io/task_graph_traces.hpp>
#include <triosim/symbolic/physical/training_step.hpp>
#include <triosim/symbolic/physical/transformer.hpp>
#include <triosim/task_graph/summary.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
namespace physical = triosim::symbolic::physical;

namespace {

TaskGraph step(int zero) {
  physical::Plan plan;
  plan.dp = 2, plan.tp = 2, plan.pp = 2;
  plan.micro_batch = 2, plan.batch = 6;
  plan.zero = zero;
  return physical::TrainingStep{plan}.lower(physical::transformer(
      {.layers = 4, .hidden = 64, .ffn = 256, .heads = 4, .vocab = 96, .seq = 16, .tied = true, .biases = true}));
}

struct Files {
  std::deque<chakra::Trace> traces;
  std::vector<const chakra::Trace*> pointers;
  std::vector<std::uint32_t> ranks;
};

Files written(const TaskGraph& graph, chakra::Format format) {
  const io::TaskGraphTraces traces{graph};
  Files files;
  std::vector<std::uint32_t> values;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    traces.values(rank, values);
    const std::string bytes = traces.file(graph.program_index(rank), format).render(values);
    files.traces.push_back(chakra::read_memory(bytes, "rank " + std::to_string(rank), format));
    files.pointers.push_back(&files.traces.back());
    files.ranks.push_back(rank);
  }
  return files;
}

} // namespace

TEST_CASE("what is written is what is played, in every format, and the ranks fit each other") {
  for (const int zero : {0, 3}) {
    const TaskGraph graph = step(zero);
    const GraphSummary sums = summarize(graph);
    const io::TaskGraphTraces traces{graph};
    for (const chakra::Format format : {chakra::Format::v0_0_4, chakra::Format::v0_0_1, chakra::Format::json}) {
      const Files files = written(graph, format);
      CHECK(chakra::cross_check(files.pointers, files.ranks, traces.groups()) == std::vector<std::string>{});
      std::uint64_t nodes = 0, collectives = 0;
      double flops = 0;
      for (const chakra::Trace& trace : files.traces) {
        const chakra::Summary summary = chakra::summarize(trace);
        nodes += summary.nodes;
        flops += summary.num_ops;
        collectives += summary.of_type[static_cast<std::size_t>(chakra::NodeType::comm_coll)];
        CHECK(summary.odd == std::vector<std::string>{});
      }
      CHECK(nodes == sums.tasks);
      CHECK(collectives == sums.of_kind[static_cast<std::size_t>(TaskKind::Collective)]);
      if (format != chakra::Format::v0_0_1) CHECK(flops == doctest::Approx(sums.flops).epsilon(1e-9));
    }
  }
}

TEST_CASE("dependencies, peers, tags and groups of a rank") {
  const DeviceMesh mesh{{{"tp", 2}, {"pp", 2}}};
  TaskGraph graph{4};
  const std::uint16_t tp = graph.add_group(Communicators::along(mesh, "tp"));
  const std::uint16_t pp = graph.add_group(Communicators::along(mesh, "pp"));
  Program first, second;
  Operation work;
  work.name = "work";
  work.stage = Stage::Backward;
  work.flops = Flops{10};
  work.bytes = 7_B;
  const TaskId a = first.add_compute(work);
  const TaskId b = first.add_collective("gather", {CollectiveType::AllGather, tp, 101_B}, std::vector<TaskId>{a});
  first.add_send("send", {pp, 1, 5, 30_B}, std::vector<TaskId>{a, b});
  second.add_receive("receive", {pp, -1, 5, 30_B});
  second.add_fetch("load", 9_B);
  graph.add_program(std::move(first));
  graph.add_program(std::move(second));
  graph.assign(2, 1);
  graph.assign(3, 1);

  const io::TaskGraphTraces traces{graph, 100};
  // Nobody calls a collective along the pipeline, so it has no groups in the file.
  REQUIRE(traces.groups().size() == 1);
  CHECK(traces.groups()[0].members == std::vector<std::uint32_t>{0, 1});
  std::vector<std::uint32_t> values;
  traces.values(1, values);
  const chakra::Trace one = chakra::read_memory(traces.file(0, chakra::Format::v0_0_4).render(values));
  REQUIRE(one.size() == 3);
  CHECK(one.name(0) == "work");
  CHECK(one.facts(0).num_ops == 10);
  CHECK(one.facts(0).tensor_size == 7);
  CHECK(one.facts(1).group == "1");
  CHECK(one.facts(1).comm_size == 51); // of an all-gather, what the rank brings
  CHECK(std::ranges::equal(one.data_deps(2), std::vector<std::uint32_t>{0, 1}));
  CHECK(one.facts(2).comm_dst == 3);
  CHECK(one.facts(2).comm_tag == 105);
  traces.values(3, values);
  const chakra::Trace three = chakra::read_memory(traces.file(1, chakra::Format::v0_0_4).render(values));
  CHECK(three.facts(0).comm_src == 1);
  CHECK(three.type(1) == chakra::NodeType::mem_load);
  CHECK(three.facts(1).tensor_size == 9);

  CHECK_THROWS_AS((io::TaskGraphTraces{graph, 0x7FFFFFFF}.file(0, chakra::Format::v0_0_4)), ConfigError);
}
