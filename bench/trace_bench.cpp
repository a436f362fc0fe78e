#include <triosim/trace/csv.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

// Reading traces: rows and bytes per second. The traces are a chain of layers of three inputs and one output, and one
// row of an optimizer for every hundred layers that lists three hundred tensors.

namespace {

using namespace triosim::trace;

Trace chain(std::uint32_t layers) {
  TraceBuilder builder;
  const std::int64_t shape[] = {128, 256, 28, 28}, weight_shape[] = {256, 256, 3, 3};
  std::vector<TensorIndex> weights;
  TensorIndex x = builder.tensor({.name = "0", .elements = 25'690'112, .type = TensorType::Input, .shape = shape});
  for (std::uint32_t i = 0; i < layers; ++i) {
    const auto tensor = [&](std::uint32_t k, std::uint64_t elements, TensorType type, std::span<const std::int64_t> s) {
      const std::string name = std::to_string(6 * i + k), storage = std::to_string(6 * i + k + 1);
      builder.tensor({.name = name, .elements = elements, .type = TensorType::Output, .storage = storage, .shape = s});
      return builder.tensor({.name = name, .elements = elements, .type = type, .storage = storage, .shape = s});
    };
    const TensorIndex w = tensor(1, 589'824, TensorType::Weight, weight_shape);
    const TensorIndex b = tensor(3, 256, TensorType::Bias, std::span{shape}.subspan(1, 1));
    const TensorIndex y = tensor(5, 25'690'112, TensorType::Input, shape);
    const TensorIndex inputs[] = {x, w, b}, outputs[] = {y};
    builder.layer({.id = i, .name = "aten::conv2d", .inputs = inputs, .outputs = outputs, .microseconds = 2671});
    weights.insert(weights.end(), {w, b, y});
    if (weights.size() == 300) {
      builder.layer({.id = i,
                     .name = "aten::_foreach_addcdiv_",
                     .inputs = weights,
                     .microseconds = 774,
                     .stage = Stage::Optimizer});
      weights.clear();
    }
    x = y;
  }
  return builder.build();
}

void read(benchmark::State& state) {
  const Trace trace = chain(static_cast<std::uint32_t>(state.range(0)));
  const std::string tensors = tensor_csv(trace), layers = layer_csv(trace);
  for (auto _ : state) {
    std::istringstream tensor_stream{tensors}, layer_stream{layers};
    benchmark::DoNotOptimize(read_csv(tensor_stream, layer_stream));
  }
  const auto count = [](const std::string& text) {
    return static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n'));
  };
  state.SetItemsProcessed(state.iterations() * (count(tensors) + count(layers)));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tensors.size() + layers.size()));
}
BENCHMARK(read)->Arg(100)->Arg(10'000)->Arg(300'000)->Unit(benchmark::kMillisecond);

void write(benchmark::State& state) {
  const Trace trace = chain(static_cast<std::uint32_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string tensors = tensor_csv(trace), layers = layer_csv(trace);
    bytes = tensors.size() + layers.size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}
BENCHMARK(write)->Arg(10'000)->Unit(benchmark::kMillisecond);

} // namespace
