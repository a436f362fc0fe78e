#include <triosim/trace/builder.hpp>
#include <triosim/trace/trace.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using namespace triosim::trace;

namespace {

// y = x w forward, dw = backward(y), w -= dw: three layers, one of each stage.
Trace small_trace() {
  TraceBuilder builder;
  const std::int64_t shape[] = {2, 3};
  const TensorIndex x = builder.tensor({.name = "x", .elements = 6, .type = TensorType::Input, .shape = shape});
  const TensorIndex w = builder.tensor({.name = "w", .elements = 3, .type = TensorType::Weight, .storage = "s"});
  const TensorIndex y = builder.tensor({.name = "y", .elements = 2, .type = TensorType::Output});
  const TensorIndex dw = builder.tensor({.name = "dw", .elements = 3, .type = TensorType::Output});
  builder.tensor({.name = "w", .elements = 3, .type = TensorType::Input, .storage = "s"});
  const std::vector<TensorIndex> forward_in{x, w}, out{y}, grad{dw}, step{w, dw, dw};
  builder.layer(
      {.id = 1, .name = "mm", .inputs = forward_in, .outputs = out, .microseconds = 1.5, .tensor_parallel = true});
  builder.layer(
      {.id = 4, .name = "mmBackward", .inputs = out, .outputs = grad, .microseconds = 3, .stage = Stage::Backward});
  builder.layer({.id = 9, .name = "step", .inputs = step, .microseconds = 0.25, .stage = Stage::Optimizer});
  return builder.build();
}

} // namespace

TEST_CASE("tensors are numbered in order of first appearance; the last use wins, every type is remembered") {
  const Trace t = small_trace();
  REQUIRE(t.tensors().size() == 4);
  CHECK(t.find_tensor("w") == TensorIndex{1});
  CHECK(t.find_tensor("nobody") == std::nullopt);
  const Tensor& w = t.tensor(1);
  CHECK(w.type == TensorType::Input);
  CHECK(w.types.contains(TensorType::Weight));
  CHECK_FALSE(w.types.contains(TensorType::Output));
  CHECK(w.bytes == 12_B);
  CHECK(t.storage_name(w.storage) == "s");
  CHECK(t.tensor(0).storage == no_storage);
  CHECK(std::vector<std::int64_t>(t.tensor(0).shape.begin(), t.tensor(0).shape.end()) ==
        std::vector<std::int64_t>{2, 3});
}

TEST_CASE("layers keep order, repeats and the duration as the file has it") {
  const Trace t = small_trace();
  REQUIRE(t.layers().size() == 3);
  CHECK(t.layer(0).time == 1'500_ns);
  CHECK(t.layer(0).microseconds == 1.5);
  CHECK(t.layer(0).span_microseconds == 1.5);
  CHECK(t.layer(0).tensor_parallel);
  CHECK(t.layer(2).inputs.size() == 3);
  CHECK(t.bytes(t.layer(2).inputs) == 36_B);
  CHECK(t.layer(2).outputs.empty());
  CHECK(t.ids_ascend());
}

TEST_CASE("sums per stage add up to the whole") {
  const Trace t = small_trace();
  CHECK(t.time(Stage::Forward) == 1'500_ns);
  CHECK(t.time(Stage::Backward) == 3_us);
  CHECK(t.microseconds(Stage::Optimizer) == 0.25);
  CHECK(t.time() == 4'750_ns);
  CHECK(t.layer_count(Stage::Backward) == 1);
}

TEST_CASE("a copy shares; views outlive the trace that they were taken from while a copy is alive") {
  Trace copy;
  CHECK(copy.empty());
  std::span<const Layer> layers;
  {
    const Trace t = small_trace();
    layers = t.layers();
    copy = t;
  }
  CHECK(layers.data() == copy.layers().data());
  CHECK(layers[2].name == "step");
}

TEST_CASE("equality looks at what a trace says, not at its numbering") {
  CHECK(small_trace() == small_trace());
  CHECK(Trace{} == Trace{});
  CHECK_FALSE(small_trace() == Trace{});
  TraceBuilder a, b, c;
  a.tensor({.name = "p", .elements = 1});
  a.tensor({.name = "q", .elements = 2});
  b.tensor({.name = "q", .elements = 2});
  b.tensor({.name = "p", .elements = 1});
  c.tensor({.name = "q", .elements = 2});
  c.tensor({.name = "p", .elements = 2});
  const Trace trace_a = a.build();
  CHECK(trace_a == b.build());
  CHECK_FALSE(trace_a == c.build());
}

TEST_CASE("the builder refuses what no step can have and is unharmed") {
  TraceBuilder builder;
  const TensorIndex big = builder.tensor({.name = "big", .elements = std::uint64_t{1} << 60, .element_bytes = 4});
  CHECK_THROWS_WITH_AS(builder.tensor({.name = "huge", .elements = (std::uint64_t{1} << 60) + 1, .element_bytes = 4}),
                       "size of tensor huge: found \"1152921504606846977\", expected at most 4 EiB", ConfigError);
  CHECK(builder.tensor_count() == 1);
  const std::vector<TensorIndex> one{big}, nobody{7};
  builder.layer({.id = 1, .name = "a", .inputs = one, .microseconds = 1});
  CHECK_THROWS_AS(builder.layer({.id = 2, .name = "b", .inputs = one}), ConfigError);
  CHECK_THROWS_WITH_AS(builder.layer({.id = 2, .name = "b", .inputs = nobody}),
                       "tensor of layer 2: found \"7\", expected one of the 1 tensors of the trace", ConfigError);
  for (const double bad : {-1.0, 1e300, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(builder.layer({.id = 2, .name = "b", .microseconds = bad}), ConfigError);
  builder.layer({.id = 2, .name = "b", .microseconds = 4e12});
  CHECK_THROWS_AS(builder.layer({.id = 3, .name = "c", .microseconds = 4e12}), ConfigError);
  const Trace t = builder.build();
  CHECK(t.layers().size() == 2);
  CHECK(builder.layer_count() == 0);
}

TEST_CASE("names of stages are exact; every name of a tensor type has a type") {
  CHECK(parse_stage("backward") == Stage::Backward);
  CHECK(parse_stage("Backward") == std::nullopt);
  CHECK(parse_stage("") == std::nullopt);
  CHECK(parse_tensor_type("bias=None") == TensorType::Bias);
  CHECK(parse_tensor_type("grad_output") == TensorType::GradOutput);
  CHECK(parse_tensor_type("") == TensorType::Unknown);
  for (std::size_t i = 0; i < tensor_type_count; ++i) {
    const auto type = static_cast<TensorType>(i);
    CHECK(parse_tensor_type(to_string(type)) == type);
  }
  CHECK(is_gradient(TensorType::Gradient));
  CHECK_FALSE(is_gradient(TensorType::Output));
}
