#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"

#include <vector>

namespace triosim::symbolic {

/// Appends, for each weight, its next revision: the weight plus its gradient, both laid out as the weight is and
/// complete. What the gradient still lacks (a sum over ranks) is thereby communicated here, once a step.
inline void update_weights(Graph& graph) {
  const auto rows = static_cast<TensorId>(graph.size());
  std::vector<TensorId> gradient(rows, no_tensor); // the last one wins: merged gradients come after their parts
  for (TensorId id = 0; id < rows; ++id)
    if (graph[id].gradient_of != no_tensor) gradient[graph[id].gradient_of] = id;
  for (TensorId id = 0; id < rows; ++id) {
    if (!graph[id].trainable) continue;
    if (gradient[id] == no_tensor) throw ConfigError{"weight", graph.name_of(id), "a gradient in the model"};
    Tensor tensor = graph[id];
    ++tensor.revision;
    tensor.op = Op::add;
    tensor.x1 = id;
    tensor.x2 = gradient[id];
    tensor.x1_layout = tensor.x2_layout = tensor.result = {graph[id].result.shape, graph.pool().whole()};
    tensor.cost = graph.pool().elements(tensor.result.shape);
    graph.add(tensor);
  }
}

} // namespace triosim::symbolic
