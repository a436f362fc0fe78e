#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/pool.hpp"
#include "triosim/symbolic/tensor.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// Tensors in order, each made from others of the same graph. The order is the order of emission, not of execution, so
/// a tensor may come before its operands. Graphs that are put together share one `Pool`, which must outlive them.
class Graph {
 public:
  explicit Graph(Pool& pool) : pool_{&pool} {}

  Pool& pool() const noexcept { return *pool_; }
  std::size_t size() const noexcept { return tensors_.size(); }
  const std::vector<Tensor>& tensors() const noexcept { return tensors_; }
  const Tensor& operator[](TensorId id) const { return tensors_[id]; }
  Tensor& operator[](TensorId id) { return tensors_[id]; }

  TensorId add(const Tensor& tensor) {
    tensors_.push_back(tensor);
    return static_cast<TensorId>(tensors_.size() - 1);
  }
  void reserve(std::size_t tensors) { tensors_.reserve(tensors); }

  std::span<const TensorId> extra(const Tensor& tensor) const {
    return std::span{extra_}.subspan(tensor.extra_begin, tensor.extra_end - tensor.extra_begin);
  }
  void set_extra(TensorId id, std::span<const TensorId> producers) {
    tensors_[id].extra_begin = static_cast<std::uint32_t>(extra_.size());
    extra_.insert(extra_.end(), producers.begin(), producers.end());
    tensors_[id].extra_end = static_cast<std::uint32_t>(extra_.size());
  }

  /// The tensor of revision 0 with this name (without scope). Throws `ConfigError` if there is none.
  TensorId find(std::string_view name) const {
    const NameId wanted = pool_->name(name);
    for (TensorId id = 0; id < tensors_.size(); ++id)
      if (tensors_[id].name == wanted && tensors_[id].revision == 0) return id;
    throw ConfigError{"tensor", std::string{name}, "a tensor of the module"};
  }

  /// Adds the tensors of `other`, their names prefixed. What they had as number n is now the result + n.
  TensorId merge(std::string_view prefix, const Graph& other) {
    const TensorId base = append(other);
    for (TensorId id = base; id < tensors_.size() && !prefix.empty(); ++id)
      tensors_[id].name = pool_->name(std::string{prefix} + pool_->text(tensors_[id].name));
    return base;
  }

  /// As `merge`, but the prefix is kept apart as the scope of the tensors: cheap for many copies of a large graph, and
  /// the scope says later to which part of the model a tensor belongs.
  TensorId stack(std::string_view scope, const Graph& other) {
    const TensorId base = append(other);
    const NameId id_of_scope = pool_->name(scope);
    for (TensorId id = base; id < tensors_.size(); ++id)
      tensors_[id].scope = id_of_scope;
    return base;
  }

  /// Makes the placeholder `consumer` the same tensor as `producer`, laid out as the placeholder was declared.
  void link(TensorId consumer, TensorId producer) {
    Tensor& tensor = placeholder(consumer);
    tensor.op = Op::alias;
    tensor.x1 = producer;
  }
  /// Pairs of consumer and producer.
  void link(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
    for (const auto& [consumer, producer] : pairs)
      link(find(consumer), find(producer));
  }

  /// Makes the placeholder the sum of two tensors, both laid out as the placeholder was declared.
  void join(std::string_view name, std::string_view first, std::string_view second) {
    Tensor& tensor = placeholder(find(name));
    tensor.op = Op::add;
    tensor.x1 = find(first);
    tensor.x2 = find(second);
    tensor.x1_layout.partial = pool_->whole();
    tensor.x2_layout = tensor.x1_layout;
    tensor.result = tensor.x1_layout;
    tensor.cost = pool_->elements(tensor.result.shape);
  }

  /// Replaces symbols in all layouts and costs.
  void replace(Substitution by) {
    Replacement replacement{*pool_, std::move(by)};
    for (Tensor& tensor : tensors_)
      apply(replacement, tensor);
  }
  static void apply(Replacement& replacement, Tensor& tensor) {
    tensor.x1_layout = replacement(tensor.x1_layout);
    tensor.x2_layout = replacement(tensor.x2_layout);
    tensor.result = replacement(tensor.result);
    tensor.cost = replacement(tensor.cost);
  }

  /// Appends the full name, such as `mb0.transformer.3.mha.q@0`.
  void append_name(std::string& out, const Tensor& tensor) const {
    if (tensor.op == Op::shadow) out += "shadow_";
    if (tensor.micro_batch != no_micro_batch) out.append("mb").append(std::to_string(tensor.micro_batch)).append(".");
    out.append(pool_->text(tensor.scope)).append(pool_->text(tensor.name));
    out.append("@").append(std::to_string(tensor.revision));
  }
  std::string name_of(TensorId id) const {
    std::string out;
    append_name(out, tensors_[id]);
    return out;
  }

 private:
  Tensor& placeholder(TensorId id) {
    Tensor& tensor = tensors_[id];
    if (tensor.op != Op::input || tensor.trainable)
      throw ConfigError{"link", pool_->text(tensor.name), "an input that is not connected yet"};
    return tensor;
  }

  TensorId append(const Graph& other) {
    if (other.pool_ != pool_) throw ConfigError{"graph", "another pool", "graphs of one pool"};
    const auto base = static_cast<TensorId>(tensors_.size());
    const auto extra_base = static_cast<std::uint32_t>(extra_.size());
    const auto moved = [base](TensorId id) { return id == no_tensor ? no_tensor : id + base; };
    tensors_.insert(tensors_.end(), other.tensors_.begin(), other.tensors_.end());
    for (TensorId id = base; id < tensors_.size(); ++id) {
      Tensor& tensor = tensors_[id];
      tensor.x1 = moved(tensor.x1);
      tensor.x2 = moved(tensor.x2);
      tensor.gradient_of = moved(tensor.gradient_of);
      tensor.extra_begin += extra_base;
      tensor.extra_end += extra_base;
    }
    for (TensorId id : other.extra_)
      extra_.push_back(moved(id));
    return base;
  }

  Pool* pool_;
  std::vector<Tensor> tensors_;
  std::vector<TensorId> extra_;
};

} // namespace triosim::symbolic
