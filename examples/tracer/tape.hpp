#pragma once

#include "device.hpp"

#include <triosim/trace/builder.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracer {

using Shape = std::vector<std::int64_t>;
using triosim::trace::Stage;
using triosim::trace::TensorIndex;
using triosim::trace::TensorType;

/// A tensor of the tape.
using Value = std::size_t;
inline constexpr Value nothing = static_cast<Value>(-1);

struct Use {
  Value value;
  TensorType type;
};

/// Writes down one training step as PyTorch would run it: operators in order of their calls, then their backward nodes
/// in reverse, then Adam. Names, order and lists of tensors are those of the published tracer, but that backward layers
/// of linear layers name all that they read and write.
class Tape {
 public:
  Value tensor(Shape shape, std::uint32_t element_bytes = 4) {
    const std::string id = std::to_string(next_id_), storage = std::to_string(next_id_ + 1);
    next_id_ += 2;
    values_.push_back({id, storage, std::move(shape), element_bytes});
    return values_.size() - 1;
  }
  Value parameter(Shape shape) {
    parameters_.push_back(tensor(std::move(shape)));
    return parameters_.back();
  }
  /// Another look at the same memory.
  Value view(Value of, Shape shape) {
    values_.push_back({std::to_string(next_id_++), values_[of].storage, std::move(shape), values_[of].element_bytes});
    return values_.size() - 1;
  }

  const Shape& shape(Value value) const { return values_[value].shape; }
  double elements(Value value) const {
    double product = 1;
    for (const std::int64_t dimension : values_[value].shape)
      product *= static_cast<double>(dimension);
    return product;
  }
  double bytes(Value value) const { return elements(value) * values_[value].element_bytes; }
  double bytes(std::initializer_list<Value> values) const {
    double sum = 0;
    for (const Value value : values)
      sum += value == nothing ? 0 : bytes(value);
    return sum;
  }

  void layer(Stage stage, std::string_view name, const std::vector<Use>& inputs, const std::vector<Value>& outputs,
             const Work& work, bool tensor_parallel = false) {
    std::vector<TensorIndex> in, out;
    for (const Use& use : inputs)
      if (use.value != nothing) in.push_back(declare(use));
    for (const Value value : outputs)
      if (value != nothing) out.push_back(declare({value, TensorType::Output}));
    builder_.layer({.id = ++layers_,
                    .name = name,
                    .inputs = in,
                    .outputs = out,
                    .microseconds = work.microseconds(),
                    .stage = stage,
                    .tensor_parallel = tensor_parallel});
  }
  void forward(std::string_view op, const std::vector<Use>& inputs, const std::vector<Value>& outputs, const Work& work,
               bool tensor_parallel = false) {
    layer(Stage::Forward, "aten::" + std::string{op}, inputs, outputs, work, tensor_parallel);
  }

  /// A backward node; it runs when all nodes after it have run.
  void on_backward(std::function<void()> node) { nodes_.push_back(std::move(node)); }

  Value gradient(Value of) const { return of < gradients_.size() ? gradients_[of] : nothing; }
  void set_gradient(Value of, Value gradient) {
    if (of >= gradients_.size()) gradients_.resize(values_.size(), nothing);
    gradients_[of] = gradient;
  }
  /// Within a backward node: `wrt` are the values that it differentiates by. Their gradients become outputs; where one
  /// exists already (a value that several operators read) it is added to in place, by a kernel more.
  void backward(const std::string& node, std::vector<Use> inputs, std::initializer_list<Value> wrt, Work work,
                bool tensor_parallel = false) {
    std::vector<Value> outputs;
    for (const Value value : wrt) {
      if (value == nothing) continue;
      Value g = gradient(value);
      if (g == nothing) {
        g = tensor(shape(value));
        set_gradient(value, g);
      } else {
        inputs.push_back({g, TensorType::GradOutput});
        work.bytes += 3 * bytes(g);
        ++work.kernels;
      }
      outputs.push_back(g);
    }
    layer(Stage::Backward, "autograd::engine::evaluate_function: " + node + "Backward0", inputs, outputs, work,
          tensor_parallel);
  }

  /// Runs the backward nodes and Adam (multi-tensor, as torch.optim.Adam(foreach=True)).
  triosim::Trace finish() {
    while (!nodes_.empty()) {
      const std::function<void()> node = std::move(nodes_.back());
      nodes_.pop_back();
      node();
    }
    adam();
    return builder_.build();
  }

 private:
  struct Entry {
    std::string id, storage;
    Shape shape;
    std::uint32_t element_bytes;
  };

  TensorIndex declare(const Use& use) {
    const Entry& entry = values_[use.value];
    return builder_.tensor({.name = entry.id,
                            .elements = static_cast<std::uint64_t>(elements(use.value)),
                            .element_bytes = entry.element_bytes,
                            .type = use.type,
                            .storage = entry.storage,
                            .shape = entry.shape});
  }

  void adam() {
    std::vector<Value> gradients, first, second, denominators;
    double size = 0;
    for (const Value parameter : parameters_) {
      size += bytes(parameter);
      gradients.push_back(gradient(parameter));
    }
    for (std::vector<Value>* moments : {&first, &second, &denominators})
      for (const Value parameter : parameters_)
        moments->push_back(tensor(shape(parameter)));
    const auto step = [&](std::string_view op, std::initializer_list<const std::vector<Value>*> lists, double passes,
                          const std::vector<Value>& outputs = {}) {
      std::vector<Use> inputs;
      for (const std::vector<Value>* list : lists)
        for (const Value value : *list)
          inputs.push_back({value, TensorType::Input});
      layer(Stage::Optimizer, "aten::_foreach_" + std::string{op}, inputs, outputs,
            {.bytes = passes * size,
             .streaming = H100::multi_tensor,
             .kernels = 1 + static_cast<int>(parameters_.size() / 50)});
    };
    step("lerp_", {&first, &gradients}, 3);
    step("mul_", {&second}, 2);
    step("addcmul_", {&second, &gradients, &gradients}, 3);
    step("sqrt", {&second}, 2, denominators);
    step("div_", {&denominators}, 2);
    step("add_", {&denominators}, 2);
    step("addcdiv_", {&parameters_, &first, &denominators}, 4);
  }

  triosim::trace::TraceBuilder builder_;
  std::vector<Entry> values_;
  std::vector<Value> parameters_;
  std::vector<Value> gradients_;
  std::vector<std::function<void()>> nodes_;
  std::int64_t next_id_ = 1;
  std::int64_t layers_ = 0;
};

} // namespace tracer
