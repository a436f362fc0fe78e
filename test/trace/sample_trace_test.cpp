#include <triosim/trace/analysis.hpp>
#include <triosim/trace/csv.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using namespace triosim::trace;

namespace {

struct Model {
  std::string_view name;
  std::uint64_t parameters;
  std::size_t weights, forward, backward;
  Time time;
};

// Parameters as torchvision and the papers count them; layers and time as sample_trace/README.md says.
const Model models[] = {{"vgg13", 133'047'848, 26, 35, 35, 95'956'000_ns},
                        {"resnet50", 25'557'032, 161, 229, 160, 63'492'000_ns},
                        {"gpt2", 124'439'808, 148, 127, 115, 37'449'000_ns}};

Trace read(std::string_view name) {
  return read_csv(std::filesystem::path{TRIOSIM_SOURCE_DIR} / "sample_trace" / std::string{name});
}

} // namespace

TEST_CASE("sample traces have the parameters of their models and the layers that their README tells of") {
  for (const Model& model : models) {
    CAPTURE(std::string{model.name});
    const Trace t = read(model.name);
    const Analysis a = analyse(t);
    CHECK(a.weights.size() == model.weights);
    CHECK(a.weight_bytes == Bytes{4 * model.parameters});
    CHECK(a.optimizer_bytes == Bytes{8 * model.parameters});
    CHECK(t.layer_count(Stage::Forward) == model.forward);
    CHECK(t.layer_count(Stage::Backward) == model.backward);
    CHECK(t.layer_count(Stage::Optimizer) == 7);
    CHECK(t.time() >= model.time - 500_ns);
    CHECK(t.time() < model.time + 500_ns);
    CHECK(t.ids_ascend());
  }
}

TEST_CASE("sample traces: every gradient is known, and only what needs no partner has none") {
  for (const Model& model : models) {
    CAPTURE(std::string{model.name});
    const Trace t = read(model.name);
    const Analysis a = analyse(t);
    CHECK(a.unpaired_weights().empty());
    for (const Weight& weight : a.weights) {
      CHECK(weight.evidence == Evidence::Tensor);
      REQUIRE(weight.gradient != no_tensor);
      CHECK(t.tensor(weight.gradient).bytes == t.tensor(weight.tensor).bytes);
    }
    for (const LayerIndex b : a.pairing.unpaired_backward) // splitting is a view on the way forward
      CHECK(t.layer(b).name == "autograd::engine::evaluate_function: SplitBackward0");
    const std::set<std::string_view> alone{"aten::ones_like", "aten::add_", "aten::add"};
    for (const LayerIndex f : a.pairing.unpaired_forward)
      CHECK(alone.count(t.layer(f).name) == 1);
  }
}

TEST_CASE("sample traces: what a layer reads has been given or written before") {
  for (const Model& model : models) {
    CAPTURE(std::string{model.name});
    const Trace t = read(model.name);
    const Analysis a = analyse(t);
    const Dataflow flow = Dataflow::of(t);
    const std::vector<Lifetime> life = lifetimes(t);
    std::size_t with_source = 0;
    for (std::size_t i = 0; i < t.layers().size(); ++i) {
      for (const LayerIndex source : flow.before(i))
        CHECK(source < i);
      if (t.layer(i).stage != Stage::Optimizer && !flow.before(i).empty()) ++with_source;
      for (const TensorIndex tensor : t.layer(i).inputs)
        if (a.roles[tensor] == TensorRole::WeightGradient) CHECK(life[tensor].first_write < i);
    }
    // All but the first layers, which read data alone, and counters.
    CHECK(with_source + 60 > t.layers().size() - 7);
  }
}

TEST_CASE("the classic rules find the parameters as their gradient set") {
  for (const Model& model : models) {
    CAPTURE(std::string{model.name});
    const Trace t = read(model.name);
    std::set<TensorIndex> set, others;
    for (const Layer& layer : t.layers()) {
      if (layer.name == "aten::_foreach_addcdiv_") set.insert(layer.inputs.begin(), layer.inputs.end());
      if (layer.name == "aten::_foreach_add_" || layer.name == "aten::_foreach_lerp_")
        others.insert(layer.inputs.begin(), layer.inputs.end());
    }
    Bytes bytes;
    for (const TensorIndex tensor : set)
      if (others.count(tensor) == 0) bytes += t.tensor(tensor).bytes;
    CHECK(bytes == Bytes{4 * model.parameters});
  }
}
