#pragma once

#include "triosim/trace/dataflow.hpp"
#include "triosim/trace/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triosim::trace {

/// How sure a derived fact is.
enum class Evidence : std::uint8_t {
  /// Not known; nothing was guessed.
  None,
  /// By the kind of operator, the sizes, and that the backward pass runs in reverse.
  Order,
  /// By a tensor that both sides name, or that lies in the same place in memory.
  Tensor,
};

/// A parameter of the model.
struct Weight {
  /// The tensor that the optimizer updates.
  TensorIndex tensor = no_tensor;
  /// The forward layers that read it: more than one where weights are tied or layers are repeated.
  std::vector<LayerIndex> users;
  /// The optimizer updates it. True for every weight if the trace shows no optimizer that touches one.
  bool trained = true;
  /// The tensor that the optimizer reads as its gradient, or that the backward pass writes; `no_tensor` if the trace
  /// does not show it.
  TensorIndex gradient = no_tensor;
  /// The backward layer after which the gradient is complete; `no_layer` if it could not be found.
  LayerIndex gradient_layer = no_layer;
  /// How sure `gradient_layer` is.
  Evidence evidence = Evidence::None;
};

/// The weights of a trace, in the order in which the forward pass first reads them, without their gradients (see
/// `find_gradients`). A weight is a tensor that a forward layer reads, that no forward or backward layer writes, and
/// that the optimizer reads too, or that some row calls weight or bias. A view of such a tensor (same storage and size)
/// stands for it. Sure for traces with an optimizer; without one it depends on the names of arguments.
inline std::vector<Weight> find_weights(const Trace& trace) {
  const std::size_t tensors = trace.tensors().size();
  const std::vector<std::uint32_t> place = places(trace);
  std::vector<char> written(tensors, 0), updated(tensors, 0), backward_place(tensors, 0), temporary(tensors, 0);
  for (const Layer& layer : trace.layers()) {
    if (layer.stage == Stage::Optimizer) {
      for (const TensorIndex t : layer.inputs)
        if (temporary[t] == 0) updated[t] = 1;
      for (const TensorIndex t : layer.outputs)
        if (updated[t] == 0) temporary[t] = 1;
    } else {
      for (const TensorIndex t : layer.outputs) {
        written[t] = 1;
        if (layer.stage == Stage::Backward) backward_place[place[t]] = 1;
      }
    }
  }
  std::vector<TensorIndex> updated_at(tensors, no_tensor);
  for (std::size_t t = tensors; t-- > 0;)
    if (updated[t] != 0 && written[t] == 0 && backward_place[place[t]] == 0)
      updated_at[place[t]] = static_cast<TensorIndex>(t);

  std::vector<Weight> weights;
  std::vector<std::uint32_t> number(tensors, static_cast<std::uint32_t>(-1));
  bool any_updated = false;
  for (std::size_t i = 0; i < trace.layers().size(); ++i) {
    if (trace.layer(i).stage != Stage::Forward) continue;
    for (TensorIndex t : trace.layer(i).inputs) {
      const Tensor& tensor = trace.tensor(t);
      if (written[t] != 0 || tensor.bytes == Bytes{}) continue;
      if (updated[t] == 0 && updated_at[place[t]] != no_tensor) t = updated_at[place[t]];
      const bool named = tensor.types.contains(TensorType::Weight) || tensor.types.contains(TensorType::Bias);
      if (updated[t] == 0 && !named) continue;
      if (number[t] == static_cast<std::uint32_t>(-1)) {
        number[t] = static_cast<std::uint32_t>(weights.size());
        weights.emplace_back().tensor = t;
        weights.back().trained = updated[t] != 0;
        any_updated = any_updated || updated[t] != 0;
      }
      std::vector<LayerIndex>& users = weights[number[t]].users;
      if (users.empty() || users.back() != i) users.push_back(static_cast<LayerIndex>(i));
    }
  }
  if (!any_updated)
    for (Weight& weight : weights)
      weight.trained = true;
  return weights;
}

} // namespace triosim::trace
