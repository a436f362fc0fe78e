#pragma once

#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/physical/divisibility.hpp"
#include "triosim/symbolic/physical/layer.hpp"
#include "triosim/symbolic/physical/lower_layer.hpp"
#include "triosim/symbolic/physical/model.hpp"
#include "triosim/symbolic/physical/plan.hpp"
#include "triosim/symbolic/redistribution.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace triosim::symbolic::physical {

/// One layer of the model: which part it is a copy of, and its name.
struct LayerOfModel {
  std::uint32_t part = 0;
  std::string name;
};

/// A model under a plan before it is unrolled: each kind of layer lowered once, and which virtual stage has which
/// layers. Virtual stage v is chunk v / pp of stage v mod pp.
struct Lowered {
  std::vector<Layer> kinds; ///< of each part of the model
  std::vector<LayerOfModel> layers;
  std::vector<std::uint32_t> first; ///< layer with which each virtual stage begins, and the number of layers

  const Layer& kind(std::uint32_t layer) const { return kinds[layers[layer].part]; }
  std::uint32_t virtual_stages() const noexcept { return static_cast<std::uint32_t>(first.size() - 1); }
};

namespace lowered_detail {

inline bool mentions(const Pool& pool, ShapeId shape, SymbolId symbol) {
  for (ExprId dimension : pool.dimensions(shape))
    if (pool.expressions.contains(dimension, symbol)) return true;
  return false;
}

} // namespace lowered_detail

/// Throws `ConfigError` for a plan that the model does not fit; the message says what would.
inline Lowered lower_model(const Model& model, const Plan& plan) {
  plan.validate();
  Pool& pool = model.pool();
  Expressions& expressions = pool.expressions;
  if (model.parts().empty()) throw ConfigError{"model", "no parts", "at least one layer"};

  Sizes sizes;
  for (const auto& [symbol, value] : model.sizes())
    sizes.set(symbol, value);
  sizes.set(expressions.symbol("Batch"), plan.micro_batch);
  std::vector<SymbolId> axes;
  std::vector<std::uint8_t> active;
  for (std::size_t i = 0; i < spatial_axes.size(); ++i) {
    axes.push_back(expressions.symbol(spatial_axes[i]));
    sizes.set(axes.back(), plan.size(spatial_axes[i]));
    if (plan.size(spatial_axes[i]) > 1) active.push_back(static_cast<std::uint8_t>(i));
  }
  const ExprId edge = pool.parse(plan.split_sequence ? "Seq/(cp*tp)" : "Seq/cp");

  Lowered lowered;
  std::vector<Graph> graphs;
  bool has_experts = false;
  for (const Part& part : model.parts()) {
    Graph graph = part.graph;
    graph.replace({{expressions.symbol("Edge"), edge}});
    for (const Tensor& tensor : graph.tensors())
      has_experts = has_experts || lowered_detail::mentions(pool, tensor.result.shape, expressions.symbol("Experts"));
    graphs.push_back(std::move(graph));
  }
  if (plan.ep > 1 && !has_experts) throw ConfigError{"ep", std::to_string(plan.ep), "1, as the model has no experts"};
  if (has_experts && plan.tp > 1 && !plan.split_sequence)
    throw ConfigError{"tpsp", "false", "true, as experts under tensor parallelism need the sequence split"};

  if (model.tied())
    for (const Part* part : {&model.parts().front(), &model.parts().back()}) {
      std::size_t weights = 0;
      for (const Tensor& tensor : part->graph.tensors())
        weights += tensor.trainable ? 1u : 0u;
      if (weights != 1)
        throw ConfigError{part->name, std::to_string(weights) + " weights",
                          "one weight, as it is tied to another part's"};
    }
  Measures measures{pool, sizes};
  Redistribution redistribution{pool, axes, active};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    check_divisibility(graphs[i], measures, sizes, plan);
    lowered.kinds.push_back(lower_layer(model.parts()[i], graphs[i], measures, redistribution, plan));
  }
  // Keys and values of one head stay together, so their common extent is not all that must divide.
  for (const auto& [symbol, value] : model.sizes())
    if (symbol == expressions.symbol("KVHead") && value % plan.tp != 0)
      throw ConfigError{"tp", std::to_string(plan.tp),
                        "a divisor of the " + std::to_string(value) + " heads of keys and values"};

  std::uint32_t stacked = 0, before = 0;
  for (std::uint32_t i = 0; i < model.parts().size(); ++i) {
    const Part& part = model.parts()[i];
    for (std::uint32_t copy = 0; copy < part.copies; ++copy)
      lowered.layers.push_back({i, part.stacked ? part.name + "." + std::to_string(stacked + copy) : part.name});
    if (part.stacked) stacked += part.copies;
    if (stacked == 0) before += part.copies;
  }
  if (stacked == 0) {
    if (plan.pp * plan.chunks != 1)
      throw ConfigError{"pp", std::to_string(plan.pp), "1, as the model has no stacked layers"};
    lowered.first = {0, static_cast<std::uint32_t>(lowered.layers.size())};
    return lowered;
  }
  lowered.first = deal_layers(stacked, plan.pp * plan.chunks);
  for (std::uint32_t& first : lowered.first)
    first += before;
  lowered.first.front() = 0;
  lowered.first.back() = static_cast<std::uint32_t>(lowered.layers.size());
  return lowered;
}

} // namespace triosim::symbolic::physical
