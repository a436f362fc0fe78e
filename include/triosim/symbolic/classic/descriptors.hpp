#pragma once

#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/passes/group_weights.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::symbolic::classic {

/// What a name says about a tensor; the published tests look at names.
struct NameClass {
  bool assembled = false;     ///< the flat vector of a block's weights or gradients
  bool sharded_grad = false;  ///< a block's shard of the gradients
  bool backward_view = false; ///< a weight as the backward pass sees it
  bool gradient = false;      ///< the last dotted piece begins with d
};

inline NameClass classify(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return {has("_assembled_weight") || has("_assembled_grad"), has("_sharded_grad"), has("_backward"),
          names_gradient(name)};
}

/// A size that is printed as a float or as an integer.
struct DescribedSize {
  double value;
  bool integer;
};

/// How the inputs and outputs of nodes are described: a name with the shape's text after it, and a size. Sizes are
/// element counts, or bytes of a kind with mixed precision: 6 an element of a weight, 2 of anything else; four for each
/// element of a weight are added for the optimizer. Gradients and gathered weights count nothing where weights are
/// sharded.
class Descriptors {
 public:
  Descriptors(const Graph& graph, Measures& measures, bool shards_weights, bool mixed_precision)
      : graph_{graph}, measures_{measures}, shards_weights_{shards_weights}, mixed_precision_{mixed_precision} {}

  /// The tensor that stands for `id`: a view is described as what it views.
  TensorId described(TensorId id) const { return graph_[id].op == Op::alias ? graph_[id].x1 : id; }

  void append_name(std::string& out, TensorId id) {
    const Tensor& tensor = graph_[id];
    graph_.append_name(out, tensor);
    out += shape(tensor.result.shape).text;
  }

  /// Takes the place of `classify` for the tensors of the graph.
  const NameClass& name_class(const Tensor& tensor) {
    const std::size_t at = index(tensor.name);
    if (known_names_.size() <= at) known_names_.resize(at + 1);
    NameEntry& entry = known_names_[at];
    if (!entry.known) entry = {true, classify(graph_.pool().text(tensor.name))};
    return entry.what;
  }

  DescribedSize size(const Tensor& tensor) {
    const NameClass& name = name_class(tensor);
    if (shards_weights_ && (name.assembled || name.backward_view || name.gradient)) return {0, true};
    const double n = measures_.elements(tensor.result.shape);
    const double optimizer = tensor.trainable ? 4 * n : 0;
    if (!mixed_precision_ || n == 0) return {n + optimizer, false};
    return {base_bytes(n, tensor.trainable) + optimizer, !tensor.trainable};
  }

  static double base_bytes(double elements, bool weight) { return std::trunc((weight ? 1.5 : 0.5) * elements) * 4; }

 private:
  struct ShapeEntry {
    bool known = false;
    std::string text;
  };
  struct NameEntry {
    bool known = false;
    NameClass what;
  };

  ShapeEntry& shape(ShapeId id) {
    if (shapes_.size() <= index(id)) shapes_.resize(graph_.pool().shape_count());
    ShapeEntry& entry = shapes_[index(id)];
    if (!entry.known) entry = {true, graph_.pool().shape_text(id)};
    return entry;
  }

  const Graph& graph_;
  Measures& measures_;
  bool shards_weights_, mixed_precision_;
  std::vector<ShapeEntry> shapes_;
  std::vector<NameEntry> known_names_;
};

} // namespace triosim::symbolic::classic
