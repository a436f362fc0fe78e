#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>
#include <triosim/net/ideal.hpp>
#include <triosim/simulator.hpp>
#include <triosim/symbolic/physical/memory.hpp>
#include <triosim/symbolic/physical/training_step.hpp>
#include <triosim/symbolic/physical/transformer.hpp>
#include <triosim/topology/builders/switched.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::symbolic;
using namespace triosim::symbolic::physical;

namespace {

Transformer small_gpt() {
  return {
      .layers = 8, .hidden = 512, .ffn = 2048, .heads = 16, .vocab = 1024, .seq = 128, .tied = true, .biases = true};
}

double flops_of(const Program& program) {
  double sum = 0;
  for (TaskId task = 0; task < program.size(); ++task)
    if (program.kind(task) == TaskKind::Compute) sum += program.operation(task).flops.count();
  return sum;
}
double flops_of(const TaskGraph& graph) {
  std::vector<double> of_program;
  for (const Program& program : graph.programs())
    of_program.push_back(flops_of(program));
  double sum = 0;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    sum += of_program[graph.program_index(rank)];
  return sum;
}

/// Of all ranks, by type and name of the group: buffers of collectives as `Collective::bytes` counts them.
std::map<std::pair<std::string, std::string>, double> collective_bytes(const TaskGraph& graph, std::uint32_t rank) {
  std::map<std::pair<std::string, std::string>, double> sums;
  const Program& program = graph.program(rank);
  for (TaskId task = 0; task < program.size(); ++task)
    if (program.kind(task) == TaskKind::Collective) {
      const Collective& collective = program.collective(task);
      sums[{std::string{to_string(collective.type)}, std::string{graph.group(collective.group).name()}}] +=
          static_cast<double>(collective.bytes.count());
    }
  return sums;
}

/// Matrix work takes a second for 10^12 operations, everything else nothing.
struct MatrixTime {
  std::optional<Time> duration(const Operation& operation) const {
    return Time::from_seconds(operation.flops.count() * 1e-12);
  }
};

Report play(const Model& model, const Plan& plan) {
  using Sim = Simulator<engine::Serial, MatrixTime, net::Ideal, TrainingStep>;
  const std::uint32_t ranks = plan.mesh().ranks();
  return Sim{Cluster{topology::single_switch(ranks, {})}, {plan}, {}, net::Ideal{Bandwidth{1e30}}}.run(model);
}

} // namespace

TEST_CASE("the work of all ranks is the closed form, whatever the split: GPT") {
  std::mt19937 random{5};
  const auto pick = [&](std::initializer_list<std::uint32_t> of) { return of.begin()[random() % of.size()]; };
  for (int i = 0; i < 60; ++i) {
    const Transformer shape = small_gpt();
    Plan plan;
    plan.dp = pick({1, 2, 4});
    plan.tp = pick({1, 2, 4, 8});
    plan.cp = pick({1, 2, 4});
    plan.pp = pick({1, 2, 4, 8});
    plan.chunks = plan.pp > 1 && plan.pp < 8 ? pick({1, 2}) : 1;
    plan.micro_batch = plan.dp * pick({1, 3});
    plan.batch = plan.micro_batch * plan.pp * pick({1, 2});
    plan.split_sequence = random() % 2 == 0;
    plan.zero = static_cast<int>(random() % 4);
    const TaskGraph graph = TrainingStep{plan}.lower(transformer(shape));
    graph.validate();
    const double b = static_cast<double>(plan.batch), l = 8, s = 128, h = 512, v = 1024;
    CHECK(flops_of(graph) ==
          doctest::Approx(72 * b * l * s * h * h * (1 + s / (6 * h) + v / (12 * h * l))).epsilon(1e-12));
  }
}

TEST_CASE("the work of all ranks is the closed form: grouped keys, gated layers, experts") {
  for (const bool has_experts : {false, true})
    for (const std::uint32_t ep : {1u, 2u, 4u})
      for (const std::uint32_t tp : {1u, 2u})
        for (const std::uint32_t cp : {1u, 2u}) {
          if (ep > 1 && !has_experts) continue;
          Transformer shape{.layers = 4,
                            .hidden = 256,
                            .ffn = 640,
                            .heads = 8,
                            .kv_heads = 4,
                            .head_dim = 64,
                            .vocab = 1000,
                            .seq = 64,
                            .gated = true};
          if (has_experts) shape.experts = 8, shape.experts_per_token = 3;
          Plan plan;
          plan.dp = 2, plan.tp = tp, plan.cp = cp, plan.ep = ep, plan.pp = 2;
          plan.micro_batch = 2 * ep * 2, plan.batch = 3 * plan.micro_batch;
          const TaskGraph graph = TrainingStep{plan}.lower(transformer(shape));
          graph.validate();
          const double tokens = static_cast<double>(plan.batch) * 64;
          const double attention = 256 * 64 * (8 + 2 * 4) + 8 * 64 * 256.0;
          const double layer = attention + (has_experts ? 3 * 3 * 256 * 640.0 + 256 * 8 : 3 * 256 * 640.0);
          const double scores = 2.0 * 64 * 8 * 64;
          CHECK(flops_of(graph) == doctest::Approx(6 * tokens * (4 * (layer + scores) + 256 * 1000)).epsilon(1e-12));
        }
}

TEST_CASE("recomputation does the forward work of the recomputed again") {
  const Transformer shape = small_gpt();
  Plan plan;
  plan.dp = 2, plan.tp = 2, plan.pp = 2;
  plan.micro_batch = 4, plan.batch = 16;
  const auto work = [&](Recompute recompute) {
    plan.recompute = recompute;
    return flops_of(TrainingStep{plan}.lower(transformer(shape)));
  };
  const double b = 16, l = 8, s = 128, h = 512, v = 1024;
  const double none = work(Recompute::none);
  CHECK(work(Recompute::selective) - none == doctest::Approx(4 * b * s * s * h * l));
  // The last product of a block is not needed again, nor is that of the head's loss: only what the backward pass reads.
  const double full = work(Recompute::full) - none;
  CHECK(full <= doctest::Approx(24 * b * s * h * h * l + 4 * b * s * s * h * l + 2 * b * s * h * v));
  CHECK(full >= doctest::Approx((24 - 8 * 1.0) * b * s * h * h * l + 4 * b * s * s * h * l));
  const auto kept = [&](Recompute recompute) {
    plan.recompute = recompute;
    return memory_by_stage(lower_model(transformer(shape), plan), plan).front().activations;
  };
  CHECK(kept(Recompute::full) < kept(Recompute::selective));
  CHECK(kept(Recompute::selective) < kept(Recompute::none));
}

TEST_CASE("parameters are the published counts") {
  const auto billions = [](const Transformer& shape) { return transformer(shape).parameters() / 1e9; };
  CHECK(billions({.layers = 12,
                  .hidden = 768,
                  .ffn = 3072,
                  .heads = 12,
                  .vocab = 50257,
                  .seq = 1024,
                  .tied = true,
                  .biases = true}) == doctest::Approx(0.124440).epsilon(0.001));
  CHECK(billions({.layers = 96,
                  .hidden = 12288,
                  .ffn = 49152,
                  .heads = 96,
                  .vocab = 50257,
                  .seq = 2048,
                  .tied = true,
                  .biases = true}) == doctest::Approx(174.6).epsilon(0.001));
  CHECK(
      billions({.layers = 32, .hidden = 4096, .ffn = 11008, .heads = 32, .vocab = 32000, .seq = 4096, .gated = true}) ==
      doctest::Approx(6.738415616).epsilon(1e-9));
  CHECK(billions({.layers = 80,
                  .hidden = 8192,
                  .ffn = 28672,
                  .heads = 64,
                  .kv_heads = 8,
                  .vocab = 32000,
                  .seq = 4096,
                  .gated = true}) == doctest::Approx(68.976648192).epsilon(1e-9));
  CHECK(billions({.layers = 126,
                  .hidden = 16384,
                  .ffn = 53248,
                  .heads = 128,
                  .kv_heads = 8,
                  .vocab = 128256,
                  .seq = 8192,
                  .gated = true}) == doctest::Approx(405.8533888).epsilon(1e-9));
  CHECK(billions({.layers = 32,
                  .hidden = 4096,
                  .ffn = 14336,
                  .heads = 32,
                  .kv_heads = 8,
                  .vocab = 32000,
                  .seq = 4096,
                  .gated = true,
                  .experts = 8,
                  .experts_per_token = 2}) == doctest::Approx(46.702792704).epsilon(1e-9));
}

TEST_CASE("weights on all ranks together are the model's, once for each data-parallel replica") {
  Transformer shape{.layers = 4,
                    .hidden = 256,
                    .ffn = 640,
                    .heads = 8,
                    .kv_heads = 4,
                    .vocab = 1024,
                    .seq = 64,
                    .gated = true,
                    .experts = 4,
                    .experts_per_token = 2};
  Plan plan;
  plan.dp = 3, plan.tp = 2, plan.ep = 2, plan.pp = 2, plan.micro_batch = 6, plan.batch = 6;
  const Model model = transformer(shape);
  const Lowered lowered = lower_model(model, plan);
  double experts = 0, others = 0;
  for (std::uint32_t i = 0; i < lowered.layers.size(); ++i)
    for (const WeightGroup& group : lowered.kind(i).weights) {
      if (group.axes == 0b0001) experts += group.elements * 2 * 2; // over dp alone; cut over tp and ep
      if (group.axes == 0b1001) others += group.elements * 2;      // over dp and ep; cut over tp
      if (group.axes == 0b1011) others += group.elements;          // the router: over all, cut over none
    }
  CHECK(experts == 4 * 4 * 3 * 256 * 640.0);
  CHECK(experts + others + model.vector_parameters() == model.parameters());
}

TEST_CASE("communication of a step is the textbook's") {
  const Transformer shape = small_gpt();
  const double b = 4, s = 128, h = 512, l = 8, v = 1024;
  SUBCASE("data parallel: gradients once, whatever the number of micro-batches") {
    for (const std::int64_t count : {1, 4}) {
      Plan plan;
      plan.dp = 4, plan.batch = 16, plan.micro_batch = 16 / count;
      const auto bytes = collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0);
      CHECK(bytes.size() == 1);
      CHECK(bytes.at({"all-reduce", "dp"}) == 4 * (l * 12 * h * h + v * h));
    }
  }
  SUBCASE("tensor parallel: per block four all-reduces of the activations, or as many pairs that cost the same") {
    Plan plan;
    plan.tp = 4, plan.batch = plan.micro_batch = 4;
    plan.split_sequence = false;
    const double tokens = 2 * b * s * h;
    // Beside the blocks: the embedding, the gradient of the head's input, and two numbers a token for the loss.
    CHECK(collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0).at({"all-reduce", "tp"}) ==
          (4 * l + 2) * tokens + 2 * 2 * b * s);
    plan.split_sequence = true;
    const auto bytes = collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0);
    CHECK(bytes.at({"reduce-scatter", "tp"}) == (4 * l + 2) * tokens);
    // Forward two a block; backward two more for the gradients and two for the inputs of the weights' gradients.
    CHECK(bytes.at({"all-gather", "tp"}) == (6 * l + 3) * tokens);
  }
  SUBCASE("sharded states: what is reduced is scattered, then weights go round") {
    Plan plan;
    plan.dp = 4, plan.batch = 16, plan.micro_batch = 8;
    const double weights = l * 12 * h * h + v * h, gathered = weights + v * h;
    plan.zero = 1;
    auto bytes = collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0);
    CHECK(bytes.at({"reduce-scatter", "dp"}) == 4 * weights);
    CHECK(bytes.at({"all-gather", "dp"}) == 2 * weights);
    plan.zero = 3;
    bytes = collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0);
    CHECK(bytes.at({"reduce-scatter", "dp"}) == 4 * weights);
    CHECK(bytes.at({"all-gather", "dp"}) == 2 * 2 * 2 * gathered); // two passes of two micro-batches
  }
  SUBCASE("context parallel: keys and values gathered twice, their gradients scattered") {
    Plan plan;
    plan.cp = 4, plan.batch = plan.micro_batch = 4;
    const auto bytes = collective_bytes(TrainingStep{plan}.lower(transformer(shape)), 0);
    CHECK(bytes.at({"all-gather", "cp"}) == l * 2 * 2 * (2 * b * s * h));
    CHECK(bytes.at({"reduce-scatter", "cp"}) == l * 2 * (2 * b * s * h));
  }
  SUBCASE("experts: tokens go there and back, and so do their gradients") {
    Transformer moe = shape;
    moe.experts = 4, moe.experts_per_token = 2, moe.tied = false;
    Plan plan;
    plan.ep = 4, plan.batch = plan.micro_batch = 4;
    const auto bytes = collective_bytes(TrainingStep{plan}.lower(transformer(moe)), 0);
    CHECK(bytes.at({"all-to-all", "ep"}) == l * 4 * 2 * (2 * b / 4 * s * h));
    CHECK(bytes.count({"all-reduce", "dp"}) == 0);
  }
}

TEST_CASE("every send has its receive") {
  for (const std::uint32_t chunks : {1u, 2u}) {
    Plan plan;
    plan.dp = 2, plan.pp = 4, plan.chunks = chunks, plan.micro_batch = 2, plan.batch = 16;
    const TaskGraph graph = TrainingStep{plan}.lower(transformer(small_gpt()));
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>> sent, received;
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      const Program& program = graph.program(rank);
      for (TaskId task = 0; task < program.size(); ++task) {
        if (program.kind(task) != TaskKind::Send && program.kind(task) != TaskKind::Receive) continue;
        const PointToPoint& message = program.message(task);
        const std::uint32_t peer = graph.peer(rank, message);
        if (program.kind(task) == TaskKind::Send)
          sent.emplace_back(rank, peer, message.tag, message.bytes.count());
        else
          received.emplace_back(peer, rank, message.tag, message.bytes.count());
      }
    }
    std::sort(sent.begin(), sent.end());
    std::sort(received.begin(), received.end());
    CHECK(sent == received);
    CHECK(std::adjacent_find(sent.begin(), sent.end()) == sent.end());
    CHECK(sent.size() == 2 * 8 * 2 * (4 * chunks - 1));
  }
}

TEST_CASE("steps are played to the end under every plan") {
  Transformer shape{
      .layers = 8, .hidden = 128, .ffn = 256, .heads = 8, .kv_heads = 4, .vocab = 512, .seq = 32, .gated = true};
  std::mt19937 random{2};
  const auto pick = [&](std::initializer_list<std::uint32_t> of) { return of.begin()[random() % of.size()]; };
  for (int i = 0; i < 60; ++i) {
    Plan plan;
    plan.dp = pick({1, 2}), plan.tp = pick({1, 2}), plan.cp = pick({1, 2}), plan.pp = pick({1, 2, 4});
    const bool has_experts = random() % 2 == 0;
    shape.experts = has_experts ? 4 : 0, shape.experts_per_token = has_experts ? 2 : 0;
    shape.tied = random() % 2 == 0;
    if (has_experts) plan.ep = pick({1, 2});
    plan.chunks = plan.pp > 1 ? pick({1, 2}) : 1;
    plan.schedule = plan.chunks > 1 ? Schedule::one_f_one_b : static_cast<Schedule>(random() % 3);
    plan.recompute = static_cast<Recompute>(random() % 3);
    plan.zero = static_cast<int>(random() % 4);
    plan.split_sequence = has_experts || random() % 2 == 0;
    plan.micro_batch = plan.dp * plan.ep;
    plan.batch = plan.micro_batch * plan.pp * pick({1, 2});
    const Model model = transformer(shape);
    const TaskGraph graph = TrainingStep{plan}.lower(model);
    INFO("dp ", plan.dp, " tp ", plan.tp, " cp ", plan.cp, " ep ", plan.ep, " pp ", plan.pp, " chunks ", plan.chunks,
         " schedule ", static_cast<int>(plan.schedule), " recompute ", static_cast<int>(plan.recompute), " zero ",
         plan.zero, " micro-batches ", plan.micro_batches());
    const Report report = play(model, plan);
    CHECK(report.tasks == graph.tasks());
  }
}

TEST_CASE("pipelines take as long as their closed forms, communication and memory traffic being free") {
  // No vocabulary to speak of, so that all stages are alike.
  Transformer shape = small_gpt();
  shape.vocab = 1;
  const Model model = transformer(shape);
  const double pass = 24.0 * 128 * 512 * 512 + 4.0 * 128 * 128 * 512; // forward, one layer, one sequence
  for (const std::uint32_t p : {2u, 4u, 8u})
    for (const std::uint32_t m : {p, 2 * p, 4 * p}) {
      Plan plan;
      plan.pp = p, plan.micro_batch = 1, plan.batch = m;
      const double forward = pass * 8 / p;
      for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b}) {
        plan.schedule = schedule, plan.chunks = 1;
        CHECK(play(model, plan).total.seconds() * 1e12 == doctest::Approx((m + p - 1) * 3 * forward).epsilon(1e-3));
      }
      if (p == 8) continue;
      plan.schedule = Schedule::one_f_one_b, plan.chunks = 2;
      CHECK(play(model, plan).total.seconds() * 1e12 ==
            doctest::Approx((m + (p - 1) / 2.0) * 3 * forward).epsilon(1e-3));
    }
}

TEST_CASE("one rank does the work of the step one after the other") {
  Plan plan;
  plan.batch = 4, plan.micro_batch = 2;
  const Model model = transformer(small_gpt());
  const TaskGraph graph = TrainingStep{plan}.lower(model);
  using Sim = Simulator<engine::Serial, MatrixTime, net::Ideal, TrainingStep>;
  const Report report =
      Sim{Cluster{topology::single_switch(1, {})}, {plan}, {}, net::Ideal{Bandwidth{1e30}}}.run(model);
  CHECK(report.total.seconds() * 1e12 == doctest::Approx(flops_of(graph)));
}

TEST_CASE("layers are dealt so that head and embedding weigh as a layer where that comes out even") {
  CHECK(deal_layers(96, 8) == std::vector<std::uint32_t>{0, 12, 24, 36, 48, 60, 72, 84, 96});
  const std::vector<std::uint32_t> llama = deal_layers(126, 16);
  CHECK(llama.front() == 0);
  CHECK(llama[1] == 7);
  CHECK(llama[2] == 15);
  CHECK(llama[16] - llama[15] == 7);
  CHECK(llama.back() == 126);
  CHECK_THROWS_AS(deal_layers(96, 5), ConfigError);
  CHECK_THROWS_AS(deal_layers(2, 4), ConfigError);

  Plan plan;
  plan.pp = 16, plan.tp = 8, plan.batch = plan.micro_batch = 1;
  const Lowered lowered = lower_model(transformer({.layers = 126,
                                                   .hidden = 16384,
                                                   .ffn = 53248,
                                                   .heads = 128,
                                                   .kv_heads = 8,
                                                   .vocab = 128256,
                                                   .seq = 8192,
                                                   .gated = true}),
                                      plan);
  CHECK(lowered.layers.back().name == "out_emb");
  CHECK(lowered.first[16] == 128);
  CHECK(lowered.first[16] - lowered.first[15] == 8); // seven blocks and the head
}

TEST_CASE("a plan that does not fit is refused with what would") {
  const auto problem = [](auto change) -> std::string {
    Plan plan;
    plan.batch = plan.micro_batch = 8;
    Transformer shape{
        .layers = 12, .hidden = 768, .ffn = 3072, .heads = 12, .kv_heads = 6, .vocab = 51200, .seq = 1024};
    change(plan, shape);
    try {
      TrainingStep{plan}.lower(transformer(shape));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  using P = Plan;
  using T = Transformer;
  CHECK(problem([](P&, T&) {}) == "none");
  CHECK(problem([](P& p, T&) { p.tp = 5; }).find("tp: found \"5\", expected a size for which") == 0);
  // Twice six would divide, but keys and values of a head stay together.
  CHECK(problem([](P& p, T& t) { p.tp = 4, t.kv_heads = 6; }) ==
        "tp: found \"4\", expected a divisor of the 6 heads of keys and values");
  CHECK(problem([](P& p, T& t) { p.tp = 4, t.kv_heads = 4; }) == "none");
  CHECK(problem([](P& p, T&) { p.cp = 3; }) ==
        "cp: found \"3\", expected a size for which Seq/cp is whole: 1, 2, 4, 8, 16");
  CHECK(problem([](P& p, T&) { p.pp = 5; }) ==
        "pp: found \"5 stages (times chunks)\", expected a divisor of the 12 layers (1, 2, 3, 4, 6, 12) or of 14, with "
        "embedding and head as a layer each (1, 2, 7, 14)");
  CHECK(problem([](P& p, T&) { p.dp = 3; }) ==
        "micro_batch: found \"8\", expected a multiple of 3, the data-parallel ranks (dp times ep)");
  CHECK(problem([](P& p, T&) { p.micro_batch = 3; }) == "micro_batch: found \"3\", expected a divisor of the batch, 8");
  CHECK(problem([](P& p, T&) { p.ep = 2; }) == "ep: found \"2\", expected 1, as the model has no experts");
  CHECK(problem([](P& p, T& t) { p.ep = 4, t.experts = 6, t.experts_per_token = 1; }).find("ep: found \"4\"") == 0);
  CHECK(problem([](P& p, T& t) {
          p.tp = 2, p.split_sequence = false, t.experts = 6, t.experts_per_token = 1;
        }).find("tpsp") == 0);
  CHECK(problem([](P& p, T&) { p.pp = 4, p.chunks = 3, p.micro_batch = 4; }).find("interleaved") != std::string::npos);
  CHECK(problem([](P&, T& t) { t.heads = 11; }).find("head:") == 0);
  CHECK(problem([](P&, T& t) { t.layers = 0; }).find("num_stacks:") == 0);
  CHECK(problem([](P& p, T&) { p.zero = 4; }).find("zero:") == 0);
}
