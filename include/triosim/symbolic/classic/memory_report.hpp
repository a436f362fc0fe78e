#pragma once

#include "triosim/symbolic/classic/descriptors.hpp"
#include "triosim/symbolic/classic/step.hpp"

#include <cstdint>
#include <vector>

namespace triosim::symbolic::classic {

/// What the published memory table adds up for a stage. Everything is a plain sum over tensors, without lifetimes, and
/// without mixed precision it counts elements; see the physical rules for what a device really holds.
struct MemorySums {
  double weights = 0, optimizer = 0, activations = 0, gradients = 0;
  double total() const noexcept { return weights + optimizer + activations + gradients; }
};

inline std::vector<MemorySums> memory_report(const Step& step) {
  const Options& options = step.options();
  Descriptors descriptors{step.graph(), step.measures(), options.weight_sharded && options.dp > 1,
                          options.mixed_precision};
  std::vector<MemorySums> sums;
  for (const std::vector<TensorId>& tensors : step.staged().stages) {
    MemorySums sum;
    for (TensorId id : tensors) {
      const Tensor& tensor = step.graph()[id];
      const NameClass name = descriptors.name_class(tensor);
      const auto described = [&] { return descriptors.size(step.graph()[descriptors.described(id)]).value; };
      if (name.assembled) continue;
      if (tensor.trainable) {
        const double n = step.measures().elements(tensor.result.shape);
        sum.weights += options.mixed_precision ? Descriptors::base_bytes(n, true) : 4 * n;
        sum.optimizer += 4 * n;
      } else if (tensor.gradient_of != no_tensor && tensor.micro_batch != no_micro_batch && name.sharded_grad) {
        sum.gradients += described();
      } else if (!name.backward_view && !name.gradient) {
        sum.activations += described();
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

} // namespace triosim::symbolic::classic
