#pragma once

#include "triosim/symbolic/graph.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::symbolic {

/// Whether a name says "gradient": its last dotted piece begins with the letter d.
inline bool names_gradient(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return !last.empty() && last.front() == 'd';
}

/// Puts all weights of a block into one flat vector, as sharded training does: the optimizer sees one shard of it, the
/// vector is assembled once before the forward pass and once before the backward pass, and the gradients are reduced as
/// one vector. The shard is the whole vector divided by the size `fsdp`, which a later pass sets. (spec of the
/// published generator, section 6; applied whether or not weights are sharded.)
inline void group_weights(Graph& block) {
  Pool& pool = block.pool();
  Expressions& expressions = pool.expressions;
  const auto rows = static_cast<TensorId>(block.size());

  std::vector<TensorId> weights;
  std::vector<TensorId> gradient(rows, no_tensor);
  ExprId total = expressions.number(0);
  for (TensorId id = 0; id < rows; ++id) {
    if (block[id].trainable) {
      weights.push_back(id);
      total = expressions.add(total, pool.elements(block[id].result.shape));
    }
    if (block[id].gradient_of != no_tensor) gradient[block[id].gradient_of] = id;
  }
  std::vector<TensorId> gradients;
  for (TensorId weight : weights) {
    if (gradient[weight] == no_tensor)
      throw ConfigError{"weight", pool.text(block[weight].name), "a gradient in the same block"};
    gradients.push_back(gradient[weight]);
  }
  if (weights.empty()) return;

  const Layout assembled{pool.shape({total}), pool.whole()};
  const Layout sharded{pool.shape({expressions.divide(total, expressions.of("fsdp"))}), pool.whole()};
  const auto row = [&](std::string_view name, Op op, TensorId x1, Layout x1_layout, Layout result) {
    Tensor tensor;
    tensor.name = pool.name(name);
    tensor.op = op;
    tensor.x1 = x1;
    tensor.x1_layout = x1_layout;
    tensor.result = result;
    tensor.cost = expressions.number(0);
    return block.add(tensor);
  };

  const TensorId shard = row("_sharded_weight", Op::input, no_tensor, sharded, sharded);
  block[shard].trainable = true;
  const TensorId whole = row("_assembled_weight", Op::alias, shard, assembled, assembled);
  const TensorId shard_gradient = row("_sharded_grad", Op::alias, shard + 3, sharded, sharded);
  block[shard_gradient].gradient_of = shard;
  const Layout first = block[gradients.front()].result;
  const TensorId whole_gradient =
      row("_assembled_grad", Op::custom, gradients.front(), first, {assembled.shape, first.partial});
  block.set_extra(whole_gradient, std::span{gradients}.subspan(1));

  const auto backward_whole = static_cast<TensorId>(whole_gradient + 1 + weights.size());
  std::vector<TensorId> backward_of(rows, no_tensor);
  for (TensorId weight : weights)
    backward_of[weight] = row("_" + pool.text(block[weight].name) + "_backward", Op::custom, backward_whole, assembled,
                              block[weight].result);
  row("_assembled_weight_backward", Op::alias, shard, assembled, assembled);

  for (TensorId weight : weights) {
    Tensor& tensor = block[weight];
    tensor.op = Op::custom;
    tensor.trainable = false;
    tensor.x1 = whole;
    tensor.x1_layout = assembled;
  }
  for (TensorId id = 0; id < rows; ++id) {
    Tensor& tensor = block[id];
    tensor.gradient_of = no_tensor;
    if (!names_gradient(pool.text(tensor.name))) continue;
    for (TensorId* operand : {&tensor.x1, &tensor.x2})
      if (*operand < rows && backward_of[*operand] != no_tensor) *operand = backward_of[*operand];
  }
}

} // namespace triosim::symbolic
