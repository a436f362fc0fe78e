#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/measures.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic::physical {

/// The tensors by which a part is connected: what comes in and goes out on the way forward, and the gradients of both
/// on the way back. Without `dy` the part begins the backward pass itself (a loss); without `dx` nobody wants the
/// gradient of what came in (an embedding).
struct Ports {
  std::string x, y, dy, dx;
};

/// Consecutive layers of one kind.
struct Part {
  std::string name;
  Graph graph;
  Ports ports;
  std::uint32_t copies = 1;
  /// Layers that are dealt to the stages of a pipeline, named `name.{i}.`; others stay with the first or last of those.
  bool stacked = false;
};

/// A model that can be trained: parts in order, and the sizes that they name. Tables may use, besides the model's own
/// sizes, Batch (sequences of a micro-batch), the axes dp, tp, cp, ep, and Edge, the extent of the sequence on one rank
/// between parallel parts, which the plan decides.
///
/// Copies share expressions, and lowering adds to them: one model is for one thread.
class Model {
 public:
  Pool& pool() const noexcept { return *pool_; }

  void set(std::string_view size, std::int64_t value) {
    if (value < 1) throw ConfigError{std::string{size}, std::to_string(value), "at least 1"};
    sizes_.emplace_back(pool_->expressions.symbol(size), value);
  }
  const std::vector<std::pair<SymbolId, std::int64_t>>& sizes() const noexcept { return sizes_; }

  /// A layer of its own: an embedding, a head.
  void add(std::string name, Graph graph, Ports ports) {
    append(std::move(name), std::move(graph), std::move(ports), 1, false);
  }
  /// Layers of one kind, to be dealt to the stages. Numbers go on over parts of one name.
  void stack(std::string name, Graph graph, Ports ports, std::uint32_t copies) {
    if (copies == 0) throw ConfigError{name, "0", "at least one layer"};
    append(std::move(name), std::move(graph), std::move(ports), copies, true);
  }
  const std::vector<Part>& parts() const noexcept { return parts_; }

  /// The only weight of the last part is that of the first: counted once, its two gradients added.
  void tie_ends() noexcept { tied_ = true; }
  bool tied() const noexcept { return tied_; }

  /// Parameters that no table mentions (gains and biases): counted, not simulated.
  void set_vector_parameters(double count) { vector_parameters_ = count; }
  double vector_parameters() const noexcept { return vector_parameters_; }

  /// All trainable parameters.
  double parameters() const {
    Sizes sizes;
    for (const auto& [symbol, value] : sizes_)
      sizes.set(symbol, value);
    for (const char* axis : {"dp", "tp", "cp", "ep"})
      sizes.set(pool_->expressions.symbol(axis), 1);
    Measures measures{*pool_, sizes};
    double sum = vector_parameters_;
    for (const Part& part : parts_)
      for (const Tensor& tensor : part.graph.tensors())
        if (tensor.trainable && !(tied_ && &part == &parts_.back()))
          sum += part.copies * measures.elements(tensor.result.shape);
    return sum;
  }

 private:
  void append(std::string name, Graph graph, Ports ports, std::uint32_t copies, bool stacked) {
    if (&graph.pool() != pool_.get()) throw ConfigError{name, "a graph of another pool", "a graph of the model's pool"};
    parts_.push_back({std::move(name), std::move(graph), std::move(ports), copies, stacked});
  }

  std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
  std::vector<std::pair<SymbolId, std::int64_t>> sizes_;
  std::vector<Part> parts_;
  bool tied_ = false;
  double vector_parameters_ = 0;
};

} // namespace triosim::symbolic::physical
