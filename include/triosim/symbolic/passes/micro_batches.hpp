#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::symbolic {

/// `count` copies of the model, one for each micro-batch, around one set of weights: names `mb{i}.`, and Batch becomes
/// MicroBatch. The gradients of each weight are merged into one tensor that has the gradient's name without prefix.
/// Order: the copies, the merged gradients in the order of the gradients, the weights in the order of the model.
inline Graph micro_batches(const Graph& model, std::uint32_t count) {
  if (count == 0) throw ConfigError{"micro_batch", "no micro-batch", "a divisor of the batch"};
  Pool& pool = model.pool();
  Replacement per_micro_batch{pool, {{pool.expressions.symbol("Batch"), pool.expressions.of("MicroBatch")}}};

  std::vector<TensorId> place(model.size());
  std::vector<TensorId> weights, gradients;
  TensorId rows = 0;
  for (TensorId id = 0; id < model.size(); ++id) {
    if (model[id].trainable)
      weights.push_back(id);
    else
      place[id] = rows++;
    if (model[id].gradient_of != no_tensor) gradients.push_back(id);
  }
  const std::size_t merged = std::size_t{rows} * count;
  if (merged + gradients.size() + weights.size() >= no_tensor)
    throw ConfigError{"micro_batch", std::to_string(count) + " micro-batches", "fewer than 4 billion tensors"};
  for (std::size_t i = 0; i < weights.size(); ++i)
    place[weights[i]] = static_cast<TensorId>(merged + gradients.size() + i);

  Graph graph{pool};
  graph.reserve(merged + gradients.size() + 2 * weights.size());
  std::vector<TensorId> producers;
  for (std::uint32_t copy = 0; copy < count; ++copy) {
    const TensorId base = copy * rows;
    const auto moved = [&](TensorId id) {
      if (id == no_tensor) return no_tensor;
      return model[id].trainable ? place[id] : base + place[id];
    };
    for (const Tensor& original : model.tensors()) {
      if (original.trainable) continue;
      Tensor tensor = original;
      tensor.micro_batch = copy;
      tensor.x1 = moved(tensor.x1);
      tensor.x2 = moved(tensor.x2);
      tensor.gradient_of = moved(tensor.gradient_of);
      tensor.extra_begin = tensor.extra_end = 0;
      Graph::apply(per_micro_batch, tensor);
      const TensorId id = graph.add(tensor);
      producers.clear();
      for (TensorId producer : model.extra(original))
        producers.push_back(moved(producer));
      if (!producers.empty()) graph.set_extra(id, producers);
    }
  }

  for (TensorId gradient : gradients) {
    const TensorId first = place[gradient];
    Tensor tensor = graph[first];
    tensor.micro_batch = no_micro_batch;
    tensor.op = Op::custom;
    tensor.x1 = first;
    tensor.x2 = no_tensor;
    tensor.x1_layout = tensor.result;
    tensor.x2_layout = Layout{};
    tensor.cost = pool.elements(tensor.result.shape);
    const TensorId id = graph.add(tensor);
    producers.clear();
    for (std::uint32_t copy = 1; copy < count; ++copy)
      producers.push_back(copy * rows + first);
    graph.set_extra(id, producers);
  }
  for (TensorId weight : weights) {
    Tensor tensor = model[weight];
    Graph::apply(per_micro_batch, tensor);
    graph.add(tensor);
  }
  return graph;
}

} // namespace triosim::symbolic
