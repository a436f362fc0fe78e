#include <triosim/trace/analysis.hpp>
#include <triosim/trace/builder.hpp>
#include <triosim/trace/csv.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using namespace triosim::trace;
namespace fs = std::filesystem;

namespace {

// Traces in a few words: tensors by name ("w@5" lies in storage 5), layers by the names that they read and write.
class Sketch {
 public:
  Sketch& tensor(std::string_view name, std::uint64_t elements, TensorType type = TensorType::Input,
                 std::string_view storage = {}) {
    builder_.tensor({.name = name, .elements = elements, .type = type, .storage = storage});
    return *this;
  }
  Sketch& layer(Stage stage, std::string_view name, std::vector<std::string_view> inputs,
                std::vector<std::string_view> outputs) {
    const auto numbers = [&](const std::vector<std::string_view>& names) {
      std::vector<TensorIndex> result;
      for (const std::string_view n : names)
        result.push_back(builder_.find_tensor(n).value());
      return result;
    };
    const std::vector<TensorIndex> in = numbers(inputs), out = numbers(outputs);
    builder_.layer({.id = next_++, .name = name, .inputs = in, .outputs = out, .microseconds = 1, .stage = stage});
    return *this;
  }
  Sketch& forward(std::string_view name, std::vector<std::string_view> in, std::vector<std::string_view> out) {
    return layer(Stage::Forward, name, std::move(in), std::move(out));
  }
  Sketch& backward(const std::string& name, std::vector<std::string_view> in, std::vector<std::string_view> out) {
    return layer(Stage::Backward, "autograd::engine::evaluate_function: " + name, std::move(in), std::move(out));
  }
  Sketch& optimizer(std::string_view name, std::vector<std::string_view> in, std::vector<std::string_view> out = {}) {
    return layer(Stage::Optimizer, name, std::move(in), std::move(out));
  }
  Trace build() { return builder_.build(); }

 private:
  TraceBuilder builder_;
  std::int64_t next_ = 1;
};

const Weight& weight_named(const Analysis& analysis, const Trace& trace, std::string_view name) {
  for (const Weight& weight : analysis.weights)
    if (trace.tensor(weight.tensor).name == name) return weight;
  throw Error{"no such weight"};
}

TensorRole role(const Analysis& analysis, const Trace& trace, std::string_view name) {
  return analysis.roles[trace.find_tensor(name).value()];
}

// Two linear layers with a relu between them, as the tracer shows them: the backward pass of a linear layer names only
// a transposed view of the weight, and the gradients appear first in the optimizer.
Trace two_layers() {
  return Sketch{}
      .tensor("x", 80)
      .tensor("w1", 200, TensorType::Weight, "1")
      .tensor("b1", 20, TensorType::Bias, "2")
      .tensor("h", 160, TensorType::Output, "3")
      .tensor("w2", 200, TensorType::Weight, "4")
      .tensor("b2", 10, TensorType::Bias, "5")
      .tensor("y", 80, TensorType::Output)
      .tensor("gy", 80, TensorType::GradOutput)
      .tensor("w2t", 200, TensorType::Input, "4")
      .tensor("w2tt", 200, TensorType::Output, "4")
      .tensor("h saved", 160, TensorType::Input, "3")
      .tensor("gh", 160, TensorType::Output)
      .tensor("gh2", 160, TensorType::Output)
      .tensor("w1t", 200, TensorType::Input, "1")
      .tensor("gw1", 200)
      .tensor("gb1", 20)
      .tensor("gw2", 200)
      .tensor("gb2", 10)
      .tensor("m1", 200)
      .tensor("m2", 20)
      .tensor("m3", 200)
      .tensor("m4", 10)
      .tensor("step", 1)
      .forward("aten::linear", {"x", "w1", "b1"}, {"h"})
      .forward("aten::relu_", {"h"}, {"h"})
      .forward("aten::linear", {"h", "w2", "b2"}, {"y"})
      .forward("aten::ones_like", {"y"}, {"gy"})
      .backward("AddmmBackward0", {"w2t"}, {"w2tt"})
      .backward("ReluBackward0", {"gh", "h saved"}, {"gh2"})
      .backward("AddmmBackward0", {"w1t"}, {})
      .backward("torch::autograd::AccumulateGrad", {"gh2"}, {})
      .optimizer("aten::_foreach_lerp_", {"m1", "m2", "m3", "m4", "gw1", "gb1", "gw2", "gb2"})
      .optimizer("aten::_foreach_addcdiv_", {"w1", "b1", "w2", "b2", "m1", "m2", "m3", "m4"})
      .build();
}

} // namespace

TEST_CASE("lifetimes: who writes and reads a tensor, and whether it was there before") {
  const Trace t = two_layers();
  const std::vector<Lifetime> life = lifetimes(t);
  const auto of = [&](std::string_view name) { return life[t.find_tensor(name).value()]; };
  CHECK(of("h").first_write == 0);
  CHECK(of("h").last_write == 1);
  CHECK(of("h").first_read == 1);
  CHECK(of("h").last_read == 2);
  CHECK_FALSE(of("h").given());
  CHECK(of("w1").given());
  CHECK(of("w1").last_read == 9);
  CHECK_FALSE(of("w1").written());
  CHECK_FALSE(of("step").read());
}

TEST_CASE("dataflow: by id, and by storage where the id was never written") {
  const Trace t = two_layers();
  const Dataflow flow = Dataflow::of(t);
  REQUIRE(flow.size() == t.layers().size());
  const auto before = [&](std::size_t layer) {
    return std::vector<LayerIndex>(flow.before(layer).begin(), flow.before(layer).end());
  };
  CHECK(before(0).empty());
  CHECK(before(1) == std::vector<LayerIndex>{0});
  CHECK(before(2) == std::vector<LayerIndex>{1});
  CHECK(before(5) == std::vector<LayerIndex>{1}); // "h saved" is h
  CHECK(before(7) == std::vector<LayerIndex>{5});
}

TEST_CASE("weights are what the forward pass reads and the optimizer updates") {
  const Trace t = two_layers();
  const Analysis a = analyse(t);
  REQUIRE(a.weights.size() == 4);
  CHECK(t.tensor(a.weights[0].tensor).name == "w1");
  CHECK(a.weights[0].users == std::vector<LayerIndex>{0});
  CHECK(a.weights[2].users == std::vector<LayerIndex>{2});
  CHECK(a.weights[3].trained);
  CHECK(a.weight_bytes == 1720_B);
  CHECK(a.trained_bytes == 1720_B);
  CHECK(a.optimizer_bytes == 3440_B);        // moments, and gradients that nothing tells from them
  CHECK(a.saved_activation_bytes == 1280_B); // h, and the gradient that no layer is seen to make
}

TEST_CASE("backward layers find their forward layers by weight and by order; what cannot be paired is said") {
  const Trace t = two_layers();
  const Pairing p = analyse(t).pairing;
  CHECK(p.forward_of[4] == 2);
  CHECK(p.evidence[4] == Evidence::Tensor);
  CHECK(p.forward_of[5] == 1);
  CHECK(p.evidence[5] == Evidence::Tensor);
  CHECK(p.forward_of[6] == 0);
  CHECK(p.forward_of[7] == no_layer);
  CHECK(p.unpaired_backward == std::vector<LayerIndex>{7});
  CHECK(p.unpaired_forward == std::vector<LayerIndex>{3});
}

TEST_CASE("gradients are found at the weight's place in the optimizer, and are complete after the weight's layer") {
  // Nothing here ties the optimizer's block of gradients to the backward pass, so the tensors stay unknown ...
  const Trace hidden = two_layers();
  const Analysis a = analyse(hidden);
  CHECK(a.weights[0].gradient == no_tensor);
  CHECK(a.weights[0].gradient_layer == 6);
  CHECK(a.weights[2].gradient_layer == 4);
  CHECK(a.unpaired_weights().empty());

  // ... and one entry that does is enough for the whole block.
  Sketch sketch;
  for (const char* name : {"w1", "w2", "w3"})
    sketch.tensor(name, 6, TensorType::Weight);
  for (const char* name : {"x", "m1", "m2", "m3", "g1", "g2"})
    sketch.tensor(name, 6);
  sketch.tensor("g3", 6, TensorType::Output, "9").tensor("g3 detached", 6, TensorType::Input, "9");
  const Trace t = sketch.forward("aten::linear", {"x", "w1"}, {"x"})
                      .forward("aten::linear", {"x", "w2"}, {"x"})
                      .forward("aten::conv2d", {"x", "w3"}, {"x"})
                      .backward("ConvolutionBackward0", {"w3"}, {"g3"})
                      .backward("AddmmBackward0", {"w2"}, {})
                      .backward("AddmmBackward0", {"w1"}, {})
                      .optimizer("aten::_foreach_lerp_", {"m1", "m2", "m3", "g1", "g2", "g3 detached"})
                      .optimizer("aten::_foreach_addcdiv_", {"w1", "w2", "w3", "m1", "m2", "m3"})
                      .build();
  const Analysis b = analyse(t);
  CHECK(t.tensor(b.weights[0].gradient).name == "g1");
  CHECK(t.tensor(b.weights[2].gradient).name == "g3 detached");
  CHECK(b.weights[2].gradient_layer == 3);
  CHECK(b.weights[0].gradient_layer == 5);
  CHECK(role(b, t, "g3") == TensorRole::WeightGradient);
  CHECK(role(b, t, "m1") == TensorRole::OptimizerState);
}

TEST_CASE("a tied weight: its layers pair in reverse, its gradient is complete with the last of them") {
  const Trace t = Sketch{}
                      .tensor("ids", 8)
                      .tensor("table", 100, TensorType::Weight)
                      .tensor("x", 40, TensorType::Output)
                      .tensor("y", 80, TensorType::Output)
                      .tensor("gx", 40, TensorType::Output)
                      .tensor("gt", 100, TensorType::Output)
                      .forward("aten::embedding", {"table", "ids"}, {"x"})
                      .forward("aten::linear", {"x", "table"}, {"y"})
                      .backward("MmBackward0", {"y", "table"}, {"gx"})
                      .backward("EmbeddingBackward0", {"gx", "ids"}, {"gt"})
                      .optimizer("aten::add_", {"table", "gt"})
                      .build();
  const Analysis a = analyse(t);
  REQUIRE(a.weights.size() == 1);
  CHECK(a.weights[0].users == std::vector<LayerIndex>{0, 1});
  CHECK(a.pairing.forward_of[2] == 1);
  CHECK(a.pairing.forward_of[3] == 0);
  CHECK(a.weights[0].gradient_layer == 3);
  CHECK(t.tensor(a.weights[0].gradient).name == "gt");
  CHECK(a.weights[0].evidence == Evidence::Tensor);
}

TEST_CASE("micro-batches: each backward pass belongs to the forward pass before it") {
  Sketch sketch;
  sketch.tensor("x", 4).tensor("w", 8, TensorType::Weight).tensor("y", 6, TensorType::Output).tensor("g", 8);
  for (int i = 0; i < 2; ++i)
    sketch.forward("aten::linear", {"x", "w"}, {"y"})
        .forward("aten::gelu", {"y"}, {"y"})
        .backward("GeluBackward0", {"y"}, {"y"})
        .backward("MmBackward0", {"w"}, {"g"})
        .backward("TBackward0", {"w"}, {});
  const Trace t = sketch.optimizer("step", {"w", "g"}).build();
  const Analysis a = analyse(t);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{5}}) {
    CHECK(a.pairing.forward_of[begin + 2] == begin + 1);
    CHECK(a.pairing.forward_of[begin + 3] == begin);
    CHECK(a.pairing.forward_of[begin + 4] == begin);
  }
  CHECK(a.weights[0].gradient_layer == 9);
}

TEST_CASE("one operator may have two backward layers, two equal operators never share one") {
  const Trace t = Sketch{}
                      .tensor("a", 10)
                      .tensor("b", 10)
                      .tensor("c", 10)
                      .tensor("loss", 1)
                      .tensor("g", 10)
                      .forward("aten::dropout", {"a"}, {"b"})
                      .forward("aten::dropout", {"b"}, {"c"})
                      .forward("aten::cross_entropy_loss", {"c"}, {"loss"})
                      .backward("NllLossBackward0", {"g"}, {"g"})
                      .backward("LogSoftmaxBackward0", {"g"}, {"g"})
                      .backward("NativeDropoutBackward0", {"g"}, {"g"})
                      .backward("NativeDropoutBackward0", {"g"}, {"g"})
                      .backward("NativeDropoutBackward0", {"g"}, {"g"})
                      .build();
  const Pairing p = analyse(t).pairing;
  CHECK(p.forward_of[3] == 2);
  CHECK(p.forward_of[4] == 2);
  CHECK(p.forward_of[5] == 1);
  CHECK(p.forward_of[6] == 0);
  CHECK(p.forward_of[7] == no_layer);
  CHECK(p.evidence[5] == Evidence::Order);
}

TEST_CASE("without an optimizer the names of arguments tell weights, and all of them are trained") {
  const Trace t = Sketch{}
                      .tensor("x", 4)
                      .tensor("w", 8, TensorType::Weight)
                      .tensor("y", 4)
                      .forward("op", {"x", "w"}, {"y"})
                      .build();
  const Analysis a = analyse(t);
  REQUIRE(a.weights.size() == 1);
  CHECK(a.weights[0].trained);
  CHECK(a.weights[0].gradient_layer == no_layer);
  CHECK(a.unpaired_weights() == std::vector<TensorIndex>{1});
  CHECK(role(a, t, "x") == TensorRole::Data);
  CHECK(role(a, t, "y") == TensorRole::Activation);
}

TEST_CASE("a frozen weight is a weight that is not trained; statistics and single numbers do not follow the batch") {
  const Trace t = Sketch{}
                      .tensor("x", 4)
                      .tensor("frozen", 8, TensorType::Weight)
                      .tensor("w", 8, TensorType::Weight)
                      .tensor("mean", 3, TensorType::RunningMean)
                      .tensor("count", 1)
                      .tensor("y", 4)
                      .tensor("t", 8, TensorType::Output)
                      .tensor("idle", 5)
                      .forward("op", {"x", "frozen", "w", "mean", "count"}, {"y", "count"})
                      .optimizer("step", {"w"}, {"t"})
                      .build();
  const Analysis a = analyse(t);
  CHECK_FALSE(weight_named(a, t, "frozen").trained);
  CHECK(weight_named(a, t, "w").trained);
  CHECK(a.weight_bytes == 64_B);
  CHECK(a.trained_bytes == 32_B);
  CHECK(role(a, t, "mean") == TensorRole::Buffer);
  CHECK(role(a, t, "count") == TensorRole::Buffer);
  CHECK(role(a, t, "t") == TensorRole::OptimizerTemporary);
  CHECK(role(a, t, "idle") == TensorRole::Unused);
  CHECK_FALSE(scales_with_batch(TensorRole::Buffer));
  CHECK(scales_with_batch(TensorRole::Data));
}

TEST_CASE("odd traces: nothing but one stage, no tensors, no weights") {
  CHECK(analyse(Trace{}).weights.empty());
  for (const Stage stage : {Stage::Forward, Stage::Backward, Stage::Optimizer}) {
    const Trace t = Sketch{}.tensor("w", 1, TensorType::Weight).layer(stage, "", {"w", "w"}, {"w"}).build();
    const Analysis a = analyse(t);
    CHECK(a.pairing.unpaired_backward.size() == (stage == Stage::Backward ? 1 : 0));
    CHECK(a.roles.size() == 1);
  }
  CHECK(analyse(Sketch{}.backward("ReluBackward0", {}, {}).build()).pairing.unpaired_backward.size() == 1);
}

TEST_CASE("recorded traces: every weight has a gradient and a layer, every backward layer a partner") {
  const char* given = std::getenv("TRIOSIM_SHARED");
  const fs::path shared = given != nullptr ? fs::path{given} : fs::path{TRIOSIM_SOURCE_DIR}.parent_path() / "shared";
  if (!fs::exists(shared / "data" / "trace")) {
    MESSAGE("skipped: no recorded traces at " << shared.string());
    return;
  }
  struct Expected {
    const char* name;
    std::size_t weights;
    std::uint64_t bytes;
  };
  for (const Expected& expected :
       {Expected{"h100-bs128-vgg13", 26, 532'191'392}, {"h100-bs128-resnet50", 161, 102'228'128}}) {
    CAPTURE(expected.name);
    const Trace t = read_csv(shared / "data" / "trace" / expected.name);
    const Analysis a = analyse(t);
    CHECK(a.weights.size() == expected.weights);
    CHECK(a.trained_bytes == Bytes{expected.bytes});
    CHECK(a.optimizer_bytes >= Bytes{2 * expected.bytes});
    CHECK(a.optimizer_bytes < Bytes{2 * expected.bytes + 4096});
    CHECK(a.pairing.unpaired_backward.empty());
    CHECK(a.unpaired_weights().empty());
    for (const Weight& weight : a.weights) {
      CHECK(weight.evidence == Evidence::Tensor);
      REQUIRE(weight.gradient != no_tensor);
      CHECK(t.tensor(weight.gradient).elements == t.tensor(weight.tensor).elements);
      CHECK(a.pairing.forward_of[weight.gradient_layer] == weight.users.front());
    }
    // The backward pass is the forward pass in reverse.
    LayerIndex last = no_layer;
    for (std::size_t i = 0; i < t.layers().size(); ++i)
      if (a.pairing.forward_of[i] != no_layer) {
        CHECK(a.pairing.forward_of[i] <= last);
        last = a.pairing.forward_of[i];
      }
  }
}
