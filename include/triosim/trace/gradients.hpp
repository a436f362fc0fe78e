#pragma once

#include "triosim/trace/dataflow.hpp"
#include "triosim/trace/pairing.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/trace/weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triosim::trace {

namespace detail {

/// Finds the gradients of weights; see `find_gradients`.
class GradientFinder {
 public:
  GradientFinder(const Trace& trace, std::span<Weight> weights, const Pairing& pairing)
      : trace_{trace}, weights_{weights}, pairing_{pairing}, place_{places(trace)},
        writer_(trace.tensors().size(), no_layer), weight_of_(trace.tensors().size(), nobody) {
    for (std::size_t w = 0; w < weights.size(); ++w)
      weight_of_[weights[w].tensor] = static_cast<std::uint32_t>(w);
    for (std::size_t i = 0; i < trace.layers().size(); ++i)
      if (trace.layer(i).stage == Stage::Optimizer) {
        optimizer_.push_back(static_cast<LayerIndex>(i));
      } else if (trace.layer(i).stage == Stage::Backward) {
        for (const TensorIndex t : trace.layer(i).outputs)
          if (trace.tensor(t).bytes != Bytes{}) writer_[place_[t]] = static_cast<LayerIndex>(i);
      }
  }

  /// The optimizer lists the weights of a group and, in the same order, their gradients: the block of tensors of the
  /// same sizes of which most are known to come from the backward layers of these weights.
  void by_optimizer() {
    std::vector<std::uint32_t> group;
    for (const Layer& layer : trace_.layers()) {
      if (layer.stage != Stage::Optimizer) continue;
      group.clear();
      for (std::size_t i = 0; i <= layer.inputs.size(); ++i) {
        const std::uint32_t w = i < layer.inputs.size() ? weight_of_[layer.inputs[i]] : nobody;
        if (w != nobody) {
          group.push_back(w);
          continue;
        }
        // One by one there is no order to go by.
        if (group.size() > 1 && weights_[group.front()].gradient == no_tensor) match(group);
        group.clear();
      }
    }
  }

  /// A backward layer writes a tensor of the shape of a weight that its forward layer reads, and no other does.
  void by_shape() {
    for (Weight& weight : weights_) {
      if (!weight.trained || weight.gradient != no_tensor) continue;
      const Tensor& w = trace_.tensor(weight.tensor);
      for (const LayerIndex b : backward_of(weight)) {
        TensorIndex found = no_tensor;
        std::size_t count = 0;
        for (const TensorIndex t : trace_.layer(b).outputs) {
          const Tensor& tensor = trace_.tensor(t);
          if (place_[t] == place_[weight.tensor] || tensor.elements != w.elements) continue;
          if (!std::equal(tensor.shape.begin(), tensor.shape.end(), w.shape.begin(), w.shape.end())) continue;
          found = t;
          ++count;
        }
        if (count == 1) weight.gradient = found;
      }
    }
  }

  /// The layer after which nothing is added to the gradient any more.
  void complete() {
    for (Weight& weight : weights_) {
      if (!weight.trained) continue;
      const std::vector<LayerIndex> candidates = backward_of(weight);
      if (!candidates.empty()) {
        weight.gradient_layer = candidates.back();
        weight.evidence = Evidence::Order;
        for (const LayerIndex b : candidates)
          weight.evidence = std::max(weight.evidence, pairing_.evidence[b]);
      }
      if (weight.gradient == no_tensor) continue;
      const LayerIndex writer = writer_[place_[weight.gradient]];
      if (writer == no_layer || origin(weight, weight.gradient) == Origin::Other) continue;
      weight.gradient_layer = candidates.empty() ? writer : std::max(writer, candidates.back());
      weight.evidence = Evidence::Tensor;
    }
  }

 private:
  static constexpr auto nobody = static_cast<std::uint32_t>(-1);
  // Groups times layers: thousands of groups are an odd optimizer, and quadratic.
  static constexpr std::size_t most_looked_at = 20'000'000;

  // In order of execution.
  std::vector<LayerIndex> backward_of(const Weight& weight) {
    if (backward_.empty()) {
      backward_.resize(trace_.layers().size());
      for (std::size_t i = 0; i < pairing_.forward_of.size(); ++i)
        if (pairing_.forward_of[i] != no_layer) backward_[pairing_.forward_of[i]].push_back(static_cast<LayerIndex>(i));
    }
    std::vector<LayerIndex> result;
    for (const LayerIndex user : weight.users)
      result.insert(result.end(), backward_[user].begin(), backward_[user].end());
    std::sort(result.begin(), result.end());
    return result;
  }

  void match(std::span<const std::uint32_t> group) {
    std::span<const TensorIndex> best;
    std::ptrdiff_t best_score = 0;
    for (const LayerIndex optimizer : optimizer_) {
      const Layer& layer = trace_.layer(optimizer);
      if (looked_at_++ > most_looked_at) return;
      if (layer.inputs.size() % group.size() != 0) continue;
      for (std::size_t at = 0; at < layer.inputs.size(); at += group.size()) {
        const auto block = layer.inputs.subspan(at, group.size());
        ++looked_at_;
        const std::ptrdiff_t points = score(group, block);
        if (points > best_score) {
          best_score = points;
          best = block;
        }
      }
    }
    for (std::size_t i = 0; i < best.size(); ++i)
      weights_[group[i]].gradient = best[i];
  }

  enum class Origin { Unknown, Own, Other };

  // Who wrote a gradient last? Memory is handed out again, so another weight's layer may have written there before a
  // layer that the trace does not show.
  Origin origin(const Weight& weight, TensorIndex gradient) const {
    const LayerIndex writer = writer_[place_[gradient]];
    if (writer == no_layer || pairing_.forward_of[writer] == no_layer) return Origin::Unknown;
    const bool own = std::binary_search(weight.users.begin(), weight.users.end(), pairing_.forward_of[writer]);
    return own ? Origin::Own : Origin::Other;
  }

  // How many entries more come from the right backward layer than from a wrong one; 0 if the sizes do not fit.
  std::ptrdiff_t score(std::span<const std::uint32_t> group, std::span<const TensorIndex> block) const {
    std::ptrdiff_t points = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Weight& weight = weights_[group[i]];
      if (weight_of_[block[i]] != nobody) return 0;
      if (trace_.tensor(block[i]).elements != trace_.tensor(weight.tensor).elements) return 0;
      switch (origin(weight, block[i])) {
      case Origin::Own:
        ++points;
        break;
      case Origin::Other:
        --points;
        break;
      case Origin::Unknown:
        break;
      }
    }
    return points;
  }

  const Trace& trace_;
  std::span<Weight> weights_;
  const Pairing& pairing_;
  std::vector<std::uint32_t> place_;
  std::vector<LayerIndex> writer_; // by place: the last backward layer that writes it
  std::vector<std::uint32_t> weight_of_;
  std::vector<std::vector<LayerIndex>> backward_;
  std::vector<LayerIndex> optimizer_;
  std::size_t looked_at_ = 0;
};

} // namespace detail

/// Fills in `gradient`, `gradient_layer` and `evidence` of the weights.
///
/// The gradient tensor is what the optimizer lists at the place of the weight; where it lists weights one by one, the
/// output of the weight's backward layer that has the weight's shape. The layer is the last backward layer that writes
/// that tensor or belongs to a forward layer that reads the weight: tied weights are complete with the last of them.
/// Sure (`Evidence::Tensor`) if the two sides share a tensor. On the published traces every trained weight has both.
inline void find_gradients(const Trace& trace, std::span<Weight> weights, const Pairing& pairing) {
  detail::GradientFinder finder{trace, weights, pairing};
  finder.by_optimizer();
  finder.by_shape();
  finder.complete();
}

} // namespace triosim::trace
