#pragma once

#include "triosim/trace/dataflow.hpp"
#include "triosim/trace/gradients.hpp"
#include "triosim/trace/pairing.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/trace/weights.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::trace {

/// What a tensor is to the model, whatever an operator calls it.
enum class TensorRole : std::uint8_t {
  /// No layer names it.
  Unused,
  /// A parameter, or a view of one.
  Weight,
  /// The gradient of a parameter, or a view of one.
  WeightGradient,
  /// Kept by the optimizer from step to step (moments).
  OptimizerState,
  /// Made by the optimizer and dropped again.
  OptimizerTemporary,
  /// Of the size of a channel or a single number: running and saved statistics, counters, the loss.
  Buffer,
  /// Read by the forward pass and made by nobody: samples and labels.
  Data,
  /// All else: what the forward pass hands on or saves, and the gradients of that.
  Activation,
};

/// Whether a tensor has one entry for each sample, so that its size follows the batch.
constexpr bool scales_with_batch(TensorRole role) noexcept {
  return role == TensorRole::Activation || role == TensorRole::Data;
}

/// Everything that is derived from a trace, with how sure it is.
struct Analysis {
  /// In the order of the forward pass, with their gradients. See `find_weights` and `find_gradients`.
  std::vector<Weight> weights;
  /// See `pair_backward`.
  Pairing pairing;
  /// One entry for each tensor. Weights and what the optimizer alone touches are sure; that the rest scales with the
  /// batch is a rule, to which statistics (by the name of the argument) and single numbers are the exceptions.
  std::vector<TensorRole> roles;

  /// The parameters, and those of them that are trained: as many bytes of gradients.
  Bytes weight_bytes, trained_bytes;
  /// What the optimizer keeps from step to step; gradients too, where nothing tells them from it.
  Bytes optimizer_bytes;
  /// What the forward pass leaves for the backward pass: all that backward layers read and do not write themselves, but
  /// for weights; a place in memory counts once. An upper bound of the saved activations, as samples count.
  Bytes saved_activation_bytes;

  /// Trained weights whose gradient could not be laid to a backward layer.
  std::vector<TensorIndex> unpaired_weights() const {
    std::vector<TensorIndex> result;
    for (const Weight& weight : weights)
      if (weight.trained && weight.gradient_layer == no_layer) result.push_back(weight.tensor);
    return result;
  }
};

namespace detail {

inline std::vector<TensorRole> find_roles(const Trace& trace, std::span<const Weight> weights) {
  const std::vector<std::uint32_t> place = places(trace);
  const std::vector<Lifetime> life = lifetimes(trace);
  const std::size_t tensors = trace.tensors().size();
  std::vector<char> in_model(tensors, 0), in_optimizer(tensors, 0);
  std::vector<char> made_storage; // by storage: a layer fills it before it is read
  for (std::size_t t = 0; t < tensors; ++t) {
    const std::uint32_t storage = trace.tensor(static_cast<TensorIndex>(t)).storage;
    if (storage == no_storage || !life[t].written() || life[t].given()) continue;
    if (storage >= made_storage.size()) made_storage.resize(storage + std::size_t{1}, 0);
    made_storage[storage] = 1;
  }
  for (const Layer& layer : trace.layers())
    for (const auto list : {layer.inputs, layer.outputs})
      for (const TensorIndex t : list)
        (layer.stage == Stage::Optimizer ? in_optimizer : in_model)[t] = 1;
  std::vector<char> weight_place(tensors, 0), gradient_place(tensors, 0);
  for (const Weight& weight : weights) {
    weight_place[place[weight.tensor]] = 1;
    if (weight.gradient != no_tensor) gradient_place[place[weight.gradient]] = 1;
  }
  const auto in_forward = [&](TensorIndex t) {
    const LayerIndex first = std::min(life[t].first_read, life[t].first_write);
    return trace.layer(first).stage == Stage::Forward;
  };
  const auto role = [&](TensorIndex t) {
    const Tensor& tensor = trace.tensor(t);
    if (weight_place[place[t]] != 0) return TensorRole::Weight;
    if (in_model[t] == 0 && in_optimizer[t] == 0) return TensorRole::Unused;
    if (gradient_place[place[t]] != 0 && !in_forward(t)) return TensorRole::WeightGradient;
    if (in_model[t] == 0) return life[t].given() ? TensorRole::OptimizerState : TensorRole::OptimizerTemporary;
    if (tensor.elements <= 1) return TensorRole::Buffer;
    for (const TensorType type :
         {TensorType::RunningMean, TensorType::RunningVar, TensorType::SaveMean, TensorType::SaveVar})
      if (tensor.types.contains(type)) return TensorRole::Buffer;
    const bool made = tensor.storage < made_storage.size() && made_storage[tensor.storage] != 0;
    return life[t].given() && in_forward(t) && !made ? TensorRole::Data : TensorRole::Activation;
  };
  std::vector<TensorRole> roles(tensors);
  for (std::size_t t = 0; t < tensors; ++t)
    roles[t] = role(static_cast<TensorIndex>(t));
  return roles;
}

inline Bytes saved_bytes(const Trace& trace, std::span<const TensorRole> roles) {
  const std::vector<std::uint32_t> place = places(trace);
  std::vector<char> made(trace.tensors().size(), 0), counted(trace.tensors().size(), 0);
  for (const Layer& layer : trace.layers())
    if (layer.stage == Stage::Backward)
      for (const TensorIndex t : layer.outputs)
        made[t] = 1;
  Bytes sum;
  for (const Layer& layer : trace.layers()) {
    if (layer.stage != Stage::Backward) continue;
    for (const TensorIndex t : layer.inputs) {
      const bool saved = made[t] == 0 && (scales_with_batch(roles[t]) || roles[t] == TensorRole::Buffer);
      if (!saved || trace.tensor(t).types.contains(TensorType::GradOutput) || counted[place[t]] != 0) continue;
      counted[place[t]] = 1;
      sum += trace.tensor(t).bytes;
    }
  }
  return sum;
}

} // namespace detail

/// Derives all of it. A pure function; near linear in the size of the trace.
inline Analysis analyse(const Trace& trace) {
  Analysis result;
  result.weights = find_weights(trace);
  result.pairing = pair_backward(trace, result.weights);
  find_gradients(trace, result.weights, result.pairing);
  result.roles = detail::find_roles(trace, result.weights);
  for (const Weight& weight : result.weights) {
    const Bytes bytes = trace.tensor(weight.tensor).bytes;
    result.weight_bytes += bytes;
    if (weight.trained) result.trained_bytes += bytes;
  }
  for (std::size_t t = 0; t < result.roles.size(); ++t)
    if (result.roles[t] == TensorRole::OptimizerState)
      result.optimizer_bytes += trace.tensor(static_cast<TensorIndex>(t)).bytes;
  result.saved_activation_bytes = detail::saved_bytes(trace, result.roles);
  return result;
}

} // namespace triosim::trace
