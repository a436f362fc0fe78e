// Chakra traces of a million nodes: reading, writing, and rendering the files of many ranks from one template. `nodes`
// are nodes per second; `B/node` is what the trace holds in memory, `file B/node` its size on disk.
#include <triosim/chakra/file_template.hpp>
#include <triosim/chakra/operation.hpp>
#include <triosim/chakra/published.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace triosim;
using namespace triosim::chakra;

// What the symbolic generator writes: every fourth node is a collective, names are long and tell of operands.
template <class Use>
void symbolic_nodes(std::uint32_t count, Use&& use) {
  static constexpr std::array<const char*, 5> parts{"mha.attn", "mha.out", "ffn.up", "ffn.down", "input_norm"};
  OperationEncoding encode;
  const auto label = [](std::uint32_t i) {
    return "mb" + std::to_string(i / 5000) + ".transformer." + std::to_string(i / 50 % 100) + "." + parts[i % 5] +
           ".y" + std::to_string(i / 5 % 10) + "@0";
  };
  const std::string shape = "MicroBatch/dp,Seq/(cp*tp),Dmodel";
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string self = label(i);
    const std::string first = label(i == 0 ? 0 : i - 1) + shape;
    const std::string second = label(i < 7 ? 0 : i - 7) + shape;
    const std::string result = self + shape;
    const OperandText inputs[] = {{first, "1048576.0"}, {second, "65536.0"}};
    const OperandText outputs[] = {{result, "1048576.0"}};
    const std::uint64_t deps[] = {i, i < 7 ? 1u : i - 6};
    const bool collective = i % 4 == 3;
    const std::string name = self + (collective ? "_X1COMM" : "_COMP");
    Operation operation;
    operation.id = i + 1;
    operation.name = name;
    operation.type = collective ? NodeType::comm_coll : NodeType::comp;
    if (i != 0) operation.data_deps = deps;
    operation.inputs = inputs;
    operation.outputs = outputs;
    operation.num_ops = 1'000'000 + i;
    operation.tensor_size = operation.y_tensor_size = 1'048'576;
    operation.op_type = "M";
    operation.comm_size = 1'048'576;
    operation.group = RankValue::slot(i % 3);
    use(encode(operation));
  }
}

// A profiler's: short names, durations, a handful of numbers.
std::string plain_file(std::uint32_t count) {
  FileTemplate file{Format::v0_0_4, published_header};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = "aten::mm(" + std::to_string(i) + ")";
    const std::uint64_t deps[] = {i};
    const Attribute attributes[] = {Attribute::boolean("is_cpu_op", i % 2 != 0), Attribute::int64("rf_id", i),
                                    Attribute::int64("tid", 1)};
    NodeView node;
    node.id = i + 1;
    node.name = name;
    node.type = NodeType::comp;
    if (i != 0) node.data_deps = deps;
    node.duration_micros = 10 + i % 100;
    node.attributes = attributes;
    file.add(node);
  }
  return file.render({});
}

FileTemplate symbolic_template(std::uint32_t count, Format format) {
  FileTemplate file{format, published_header};
  symbolic_nodes(count, [&](const NodeView& node) { file.add(node); });
  return file;
}

constexpr std::uint32_t groups[] = {11, 12, 13};

void read_file(benchmark::State& state, const std::string& file, std::uint32_t nodes) {
  std::size_t memory = 0;
  for (auto _ : state) {
    const Trace trace = read_memory(file);
    memory = trace.memory();
    benchmark::DoNotOptimize(memory);
  }
  state.counters["nodes"] = benchmark::Counter(static_cast<double>(nodes) * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate);
  state.counters["B/node"] = static_cast<double>(memory) / nodes;
  state.counters["file B/node"] = static_cast<double>(file.size()) / nodes;
}

void read_symbolic(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  read_file(state, symbolic_template(nodes, Format::v0_0_4).render(groups), nodes);
}
void read_plain(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  read_file(state, plain_file(nodes), nodes);
}
void read_json(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  read_file(state, symbolic_template(nodes, Format::json).render(groups), nodes);
}

void facts(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const Trace trace = read_memory(symbolic_template(nodes, Format::v0_0_4).render(groups));
  std::int64_t sum = 0;
  for (auto _ : state)
    for (Trace::Index i = 0; i < trace.size(); ++i)
      sum += trace.facts(i).comm_size.value_or(1);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * nodes);
}

void write_trace(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const Trace trace = read_memory(symbolic_template(nodes, Format::v0_0_4).render(groups));
  std::size_t bytes = 0;
  for (auto _ : state)
    write_to(trace, Format::v0_0_4, [&](std::string_view piece) { bytes += piece.size(); });
  state.SetItemsProcessed(state.iterations() * nodes);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void encode_template(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(symbolic_template(nodes, Format::v0_0_4).nodes());
  state.SetItemsProcessed(state.iterations() * nodes);
}

void render_rank(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const FileTemplate file = symbolic_template(nodes, Format::v0_0_4);
  std::string buffer;
  std::size_t bytes = 0;
  for (auto _ : state)
    file.render(groups, buffer, [&](std::string_view piece) { bytes += piece.size(); });
  state.SetItemsProcessed(state.iterations() * nodes);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(read_symbolic)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_plain)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_json)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(facts)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(write_trace)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(encode_template)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(render_rank)->Arg(10'000)->Unit(benchmark::kMillisecond);

} // namespace
