// The symbolic graph: expressions, one step of GPT-3 lowered, the traces of its ranks rendered.
#include <triosim/io/symbolic_traces.hpp>
#include <triosim/symbolic/classic/step.hpp>
#include <triosim/symbolic/pool.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::symbolic;

classic::Options gpt3() {
  classic::Options options;
  options.model_type = classic::ModelType::gpt;
  options.dmodel = 12288, options.dff = 49152, options.head = 96, options.num_stacks = 96;
  options.seq = 2048, options.dvocal = 51200, options.batch = 64;
  options.dp = 16, options.tp = 8, options.pp = 8;
  return options;
}

void parse_expression(benchmark::State& state) {
  Pool pool;
  for (auto _ : state)
    benchmark::DoNotOptimize(pool.parse("Dmodel**2*(Head + 2*KVHead)/(Head*tp)"));
}
BENCHMARK(parse_expression);

void evaluate_expression(benchmark::State& state) {
  Pool pool;
  const ExprId id = pool.parse("Dmodel**2*(Head + 2*KVHead)/(Head*tp)");
  Sizes sizes;
  for (const auto& [name, value] :
       {std::pair{"Dmodel", 16384}, std::pair{"Head", 128}, std::pair{"KVHead", 8}, std::pair{"tp", 8}})
    sizes.set(pool.expressions.symbol(name), value);
  for (auto _ : state)
    benchmark::DoNotOptimize(pool.expressions.evaluate(id, sizes).to_double());
}
BENCHMARK(evaluate_expression);

/// From options to the nodes of every stage; the argument is the number of micro-batches.
void lower_gpt3(benchmark::State& state) {
  classic::Options options = gpt3();
  options.micro_batch = options.batch / state.range(0);
  std::int64_t nodes = 0;
  for (auto _ : state) {
    const classic::Step step{options};
    nodes = 0;
    for (const classic::NodeList& stage : step.stages())
      nodes += static_cast<std::int64_t>(stage.size());
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  state.SetItemsProcessed(nodes * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(lower_gpt3)->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond);

/// The bytes of all 1,024 ranks, rendered in memory from the templates of the eight stages.
void render_gpt3(benchmark::State& state) {
  const classic::Step step{gpt3()};
  std::int64_t bytes = 0;
  std::string buffer;
  std::vector<std::uint32_t> values;
  for (auto _ : state)
    for (std::uint32_t stage = 0; stage < step.stages().size(); ++stage) {
      const io::StageTemplate made{step, stage, chakra::Format::v0_0_4};
      for (std::uint32_t rank = 0; rank < step.ranks(); ++rank) {
        if (step.stage_of(rank) != stage) continue;
        made.values(rank, values);
        made.file().render(values, buffer,
                           [&](std::string_view piece) { bytes += static_cast<std::int64_t>(piece.size()); });
      }
    }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(render_gpt3)->Unit(benchmark::kMillisecond);

} // namespace
