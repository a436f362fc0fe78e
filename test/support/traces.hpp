#pragma once

#include <triosim/trace/builder.hpp>
#include <triosim/trace/trace.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim::test {

/// A chain of `layers` linear layers, forward and backward, and one optimizer layer that updates all their weights.
/// Every forward layer takes `forward` microseconds, every backward layer `backward`; weights have `weight` elements of
/// 4 bytes, activations `activation`.
struct Chain {
  std::uint32_t layers = 4;
  double forward = 10, backward = 20, optimizer = 5;
  std::uint64_t weight = 1'000, activation = 100;
  bool flagged = false;

  Trace build() const {
    trace::TraceBuilder builder;
    std::vector<trace::TensorIndex> activations, gradients, weights, weight_gradients;
    const auto tensor = [&](const std::string& name, std::uint64_t elements, trace::TensorType type) {
      return builder.tensor({.name = name, .elements = elements, .type = type});
    };
    for (std::uint32_t i = 0; i <= layers; ++i) {
      activations.push_back(tensor("a" + std::to_string(i), activation, trace::TensorType::Input));
      gradients.push_back(tensor("d" + std::to_string(i), activation, trace::TensorType::GradOutput));
    }
    for (std::uint32_t i = 0; i < layers; ++i) {
      weights.push_back(tensor("w" + std::to_string(i), weight, trace::TensorType::Weight));
      weight_gradients.push_back(tensor("g" + std::to_string(i), weight, trace::TensorType::Gradient));
    }
    std::int64_t id = 0;
    for (std::uint32_t i = 0; i < layers; ++i) {
      const std::array inputs{activations[i], weights[i]};
      const std::array outputs{activations[i + 1]};
      builder.layer({.id = ++id,
                     .name = "aten::linear",
                     .inputs = inputs,
                     .outputs = outputs,
                     .microseconds = forward,
                     .stage = Stage::Forward,
                     .tensor_parallel = flagged});
    }
    for (std::uint32_t i = layers; i-- > 0;) {
      const std::array inputs{gradients[i + 1], activations[i], weights[i]};
      const std::array outputs{gradients[i], weight_gradients[i]};
      builder.layer({.id = ++id,
                     .name = "autograd::engine::evaluate_function: AddmmBackward0",
                     .inputs = inputs,
                     .outputs = outputs,
                     .microseconds = backward,
                     .stage = Stage::Backward,
                     .tensor_parallel = flagged});
    }
    std::vector<trace::TensorIndex> updated = weights;
    updated.insert(updated.end(), weight_gradients.begin(), weight_gradients.end());
    if (optimizer > 0)
      builder.layer({.id = ++id,
                     .name = "aten::_foreach_addcdiv_",
                     .inputs = updated,
                     .microseconds = optimizer,
                     .stage = Stage::Optimizer});
    return builder.build();
  }

  Time sum() const { return build().time(); }
};

} // namespace triosim::test
