#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/physical/layer.hpp"
#include "triosim/symbolic/physical/model.hpp"
#include "triosim/symbolic/redistribution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace triosim::symbolic::physical {

namespace layer_detail {

constexpr bool is_view(Op op) noexcept {
  return op == Op::alias || op == Op::slice || op == Op::reshape;
}
constexpr bool multiplies(Op op) noexcept {
  return op == Op::einsum || op == Op::custom;
}

/// Cheapest first: what shrinks the buffer, then what keeps it, then what makes it grow.
constexpr int rank_of(CollectiveType type) noexcept {
  switch (type) {
  case CollectiveType::ReduceScatter:
    return 0;
  case CollectiveType::AllToAll:
    return 1;
  case CollectiveType::AllReduce:
    return 2;
  default:
    return 3;
  }
}

class Lowering {
 public:
  Lowering(const Part& part, const Graph& graph, Measures& measures, Redistribution& redistribution, const Plan& plan)
      : part_{part}, graph_{graph}, measures_{measures}, redistribution_{redistribution}, plan_{plan},
        sources_(graph.size()), is_forward_(graph.size(), false), state_(graph.size(), unseen), base_(graph.size()),
        gradient_(graph.size(), no_tensor) {}

  Layer run() {
    const TensorId x = port(part_.ports.x), y = port(part_.ports.y);
    x_ = x, dy_ = port(part_.ports.dy);
    if (y == no_tensor) throw ConfigError{part_.name, "no output", "a port y"};
    std::vector<TensorId> stack{y};
    is_forward_[y] = true;
    while (!stack.empty()) {
      const TensorId id = stack.back();
      stack.pop_back();
      each_operand(id, [&](TensorId operand) {
        if (is_forward_[operand]) return;
        is_forward_[operand] = true;
        stack.push_back(operand);
      });
    }
    for (TensorId id = 0; id < graph_.size(); ++id)
      if (graph_[id].gradient_of != no_tensor) gradient_[graph_[id].gradient_of] = id;
    for (TensorId id = 0; id < graph_.size(); ++id)
      if (is_forward_[id]) visit(id);
    layer_.forward = layer_.tasks.size();
    for (TensorId id = 0; id < graph_.size(); ++id)
      visit(id);

    layer_.y = sources_[y];
    if (const TensorId dx = port(part_.ports.dx); dx != no_tensor) layer_.dx = sources_[dx];
    if (x != no_tensor) layer_.x_bytes = bytes(graph_[x].result);
    group_weights();
    find_kept();
    find_repeated();
    return std::move(layer_);
  }

 private:
  enum : std::uint8_t { unseen, open, done };

  TensorId port(const std::string& name) const { return name.empty() ? no_tensor : graph_.find(name); }
  double bytes(const Layout& layout) { return measures_.elements(layout.shape) * plan_.precision.value; }

  template <class Use>
  void each_operand(TensorId id, Use use) const {
    const Tensor& tensor = graph_[id];
    if (tensor.x1 != no_tensor) use(tensor.x1);
    if (tensor.x2 != no_tensor) use(tensor.x2);
    for (TensorId extra : graph_.extra(tensor))
      use(extra);
  }

  /// Operands first; rows may stand in any order. The walk keeps its own stack, so a long module is no danger.
  void visit(TensorId root) {
    std::vector<TensorId> stack{root};
    while (!stack.empty()) {
      const TensorId id = stack.back();
      if (state_[id] == done) {
        stack.pop_back();
        continue;
      }
      const bool first = state_[id] == unseen;
      state_[id] = open;
      bool ready = true;
      each_operand(id, [&](TensorId operand) {
        if (state_[operand] == done) return;
        if (!first || state_[operand] == open)
          throw ConfigError{part_.name + "." + graph_.name_of(operand), "itself among its operands", "no circle"};
        stack.push_back(operand);
        ready = false;
      });
      if (!ready) continue;
      stack.pop_back();
      state_[id] = done;
      make(id);
    }
  }

  void make(TensorId id) {
    const Tensor& tensor = graph_[id];
    base_[id] = id;
    if (tensor.op == Op::input) {
      if (id == x_) sources_[id] = {from_before};
      if (id == dy_) sources_[id] = {from_behind};
      if (id != x_ && id != dy_ && !tensor.trainable)
        throw ConfigError{part_.name + "." + graph_.name_of(id), "an open input", "a port, or a link to a tensor"};
      return;
    }
    std::vector<Source> waits;
    const auto wait_for = [&](const std::vector<Source>& sources) {
      for (Source source : sources)
        if (std::find(waits.begin(), waits.end(), source) == waits.end()) waits.push_back(source);
    };
    const bool first_moved = operand(id, tensor.x1, tensor.x1_layout, wait_for);
    const bool moved = operand(id, tensor.x2, tensor.x2_layout, wait_for) || first_moved;
    for (TensorId extra : graph_.extra(tensor))
      wait_for(sources_[extra]);
    if (is_view(tensor.op)) {
      sources_[id] = std::move(waits);
      if (!moved && tensor.x2 == no_tensor) base_[id] = base_[tensor.x1];
      return;
    }

    LayerTask task;
    task.name = graph_.pool().text(tensor.name);
    if (multiplies(tensor.op)) task.flops = 2 * measures_.value(tensor.cost);
    double traffic = 0;
    if (tensor.x1 != no_tensor) traffic += bytes(tensor.x1_layout);
    if (tensor.x2 != no_tensor) traffic += bytes(tensor.x2_layout);
    for (TensorId extra : graph_.extra(tensor))
      traffic += bytes(graph_[extra].result);
    // Gradients of weights are added up over the micro-batches where they lie: from the second on they are read as
    // well.
    if (tensor.gradient_of != no_tensor)
      traffic +=
          measures_.elements(tensor.result.shape) * plan_.precision.gradient * (plan_.micro_batches() > 1 ? 2 : 1);
    else
      traffic += bytes(tensor.result);
    task.bytes = traffic;
    each_operand(id, [&](TensorId used) { task.uses_weight = task.uses_weight || graph_[base_[used]].trainable; });
    task.core = tensor.op == Op::custom && task.flops > 0 && !task.uses_weight;
    sources_[id] = {add(std::move(task), waits)};
  }

  /// Collects what an operand waits for; true where it had to be communicated.
  template <class WaitFor>
  bool operand(TensorId consumer, TensorId id, const Layout& wanted, WaitFor wait_for) {
    if (id == no_tensor) return false;
    const std::span<const AxisStep> steps = redistribution_(graph_[id].result, wanted);
    if (steps.empty()) {
      wait_for(sources_[id]);
      return false;
    }
    // Two consumers of one layout share what was communicated, within a pass.
    const auto key = std::tuple{id, wanted, is_forward_[consumer]};
    const auto known = moved_.find(key);
    if (known != moved_.end()) {
      wait_for({known->second});
      return true;
    }
    std::vector<AxisStep> sorted(steps.begin(), steps.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const AxisStep& a, const AxisStep& b) { return rank_of(a.type) < rank_of(b.type); });
    std::vector<Source> waits = sources_[id];
    double size = bytes(graph_[id].result);
    Source last = 0;
    for (std::size_t i = 0; i < sorted.size();) {
      LayerTask task;
      task.kind = TaskKind::Collective;
      task.collective = sorted[i].type;
      double ranks = 1;
      // The same collective over several axes is one over their product, but for exchanges, whose axes differ in what
      // they exchange.
      do {
        task.axes = static_cast<AxisSet>(task.axes | (1u << sorted[i].axis));
        ranks *= plan_.size(spatial_axes[sorted[i].axis]);
        ++i;
      } while (i < sorted.size() && sorted[i].type == task.collective && task.collective != CollectiveType::AllToAll);
      if (task.collective == CollectiveType::AllGather) size *= ranks;
      task.bytes = size;
      if (task.collective == CollectiveType::ReduceScatter) size /= ranks;
      task.name = graph_.pool().text(graph_[id].name) + " " + std::string{to_string(task.collective)};
      last = add(std::move(task), waits);
      waits = {last};
    }
    moved_.emplace(key, last);
    wait_for({last});
    return true;
  }

  Source add(LayerTask task, const std::vector<Source>& waits) {
    task.begin = static_cast<std::uint32_t>(layer_.waits.size());
    layer_.waits.insert(layer_.waits.end(), waits.begin(), waits.end());
    task.end = static_cast<std::uint32_t>(layer_.waits.size());
    layer_.tasks.push_back(std::move(task));
    return static_cast<Source>(layer_.tasks.size() - 1);
  }

  void group_weights() {
    std::map<AxisSet, WeightGroup> groups;
    for (TensorId id = 0; id < graph_.size(); ++id) {
      if (!graph_[id].trainable) continue;
      const std::string name = part_.name + "." + graph_.name_of(id);
      if (gradient_[id] == no_tensor)
        throw ConfigError{name, "no gradient", "a row that is the gradient of this weight"};
      AxisSet axes = 0;
      for (const AxisStep& step : redistribution_(graph_[gradient_[id]].result, graph_[id].result)) {
        if (step.type != CollectiveType::AllReduce)
          throw ConfigError{name, std::string{to_string(step.type)} + " of its gradient",
                            "a gradient that is cut as the weight is"};
        axes = static_cast<AxisSet>(axes | (1u << step.axis));
      }
      WeightGroup& group = groups[axes];
      group.axes = axes;
      group.elements += measures_.elements(graph_[id].result.shape);
      for (Source source : sources_[gradient_[id]])
        if (source < layer_.tasks.size()) group.gradients.push_back(source);
    }
    for (auto& [axes, group] : groups)
      layer_.weights.push_back(std::move(group));
  }

  /// What the backward pass reads of the forward pass, each buffer once.
  void find_kept() {
    std::vector<bool> counted(graph_.size(), false);
    for (TensorId id = 0; id < graph_.size(); ++id) {
      if (is_forward_[id]) continue;
      each_operand(id, [&](TensorId operand) {
        const TensorId kept = base_[operand];
        if (!is_forward_[kept] || graph_[kept].trainable || counted[kept]) return;
        counted[kept] = true;
        layer_.kept_bytes += bytes(graph_[kept].result);
        for (Source source : sources_[kept])
          if (source < layer_.tasks.size() && layer_.tasks[source].core)
            layer_.core_bytes += bytes(graph_[kept].result);
      });
    }
    if (x_ != no_tensor && !counted[x_]) layer_.kept_bytes += layer_.x_bytes;
  }

  void find_repeated() {
    layer_.again_core.assign(layer_.forward, false);
    layer_.again_full.assign(layer_.forward, false);
    for (std::size_t i = layer_.forward; i < layer_.tasks.size(); ++i)
      for (Source source : layer_.waits_of(layer_.tasks[i]))
        if (source < layer_.forward) {
          layer_.again_full[source] = true;
          layer_.again_core[source] = layer_.tasks[source].core;
        }
    for (std::size_t i = layer_.forward; i-- > 0;)
      for (Source source : layer_.waits_of(layer_.tasks[i])) {
        if (source >= layer_.forward) continue;
        if (layer_.again_full[i]) layer_.again_full[source] = true;
        if (layer_.again_core[i] && layer_.tasks[source].kind == TaskKind::Collective) layer_.again_core[source] = true;
      }
  }

  const Part& part_;
  const Graph& graph_;
  Measures& measures_;
  Redistribution& redistribution_;
  const Plan& plan_;
  Layer layer_;
  TensorId x_ = no_tensor, dy_ = no_tensor;
  std::vector<std::vector<Source>> sources_;
  std::vector<bool> is_forward_;
  std::vector<std::uint8_t> state_;
  std::vector<TensorId> base_; // the buffer in which a view lies
  std::vector<TensorId> gradient_;
  std::map<std::tuple<TensorId, Layout, bool>, Source> moved_;
};

} // namespace layer_detail

/// Lowers one layer for one rank. `graph` is the part's graph with `Edge` replaced; `redistribution` knows the axes of
/// `spatial_axes` that have more than one rank. Throws `ConfigError` for a part that is not closed.
inline Layer lower_layer(const Part& part, const Graph& graph, Measures& measures, Redistribution& redistribution,
                         const Plan& plan) {
  return layer_detail::Lowering{part, graph, measures, redistribution, plan}.run();
}

} // namespace triosim::symbolic::physical
