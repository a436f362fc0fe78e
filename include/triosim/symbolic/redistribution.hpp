#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/pool.hpp"
#include "triosim/task_graph/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// What has to happen along one parallel axis before an operand can be consumed.
struct AxisStep {
  std::uint8_t axis; ///< position in the list of axes
  CollectiveType type;
};

/// Derives communication from layouts. Along each axis a tensor is replicated, partitioned (the axis divides a
/// dimension) or partial (a hidden dimension contains the axis); what producer and consumer say decides:
///
///     produced     consumed: replicated   partitioned                          partial
///     replicated   nothing                nothing (a local cut)                impossible
///     partitioned  all-gather             nothing, or all-to-all when the      impossible
///                                         dimension is another one
///     partial      all-reduce             reduce-scatter                       nothing
///
/// One step per axis at most, in the order of the axes.
class Redistribution {
 public:
  /// `axes` are all parallel axes; only those of `active` (by position) have more than one rank.
  Redistribution(Pool& pool, std::vector<SymbolId> axes, std::vector<std::uint8_t> active)
      : pool_{&pool}, axes_{std::move(axes)}, active_{std::move(active)} {}

  /// Throws `ConfigError` where a consumer asks for a partial sum that was never made.
  std::span<const AxisStep> operator()(const Layout& produced, const Layout& consumed) {
    if (produced == consumed) return {};
    const std::uint32_t from = number(produced), to = number(consumed);
    const auto [where, is_new] =
        known_.emplace(std::uint64_t{from} << 32 | to, std::pair{static_cast<std::uint32_t>(steps_.size()), 0u});
    if (is_new) {
      for (std::size_t i = 0; i < active_.size(); ++i)
        step(i, states_[from * active_.size() + i], states_[to * active_.size() + i], produced, consumed);
      where->second.second = static_cast<std::uint32_t>(steps_.size()) - where->second.first;
    }
    return std::span{steps_}.subspan(where->second.first, where->second.second);
  }

 private:
  enum class Kind : std::uint8_t { replicated, partitioned, partial };
  struct State {
    Kind kind = Kind::replicated;
    ExprId key{}; ///< of partitioned: the dimension, other axes taken as 1
  };

  std::uint32_t number(const Layout& layout) {
    const std::uint64_t both = std::uint64_t{index(layout.shape)} << 32 | index(layout.partial);
    const auto [where, is_new] = numbers_.emplace(both, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new)
      for (std::uint8_t axis : active_)
        states_.push_back(state(layout, axis));
    return where->second;
  }

  State state(const Layout& layout, std::uint8_t axis) {
    Expressions& expressions = pool_->expressions;
    for (ExprId dimension : pool_->dimensions(layout.shape)) {
      if (!expressions.contains(dimension, axes_[axis])) continue;
      Substitution others;
      for (std::size_t other = 0; other < axes_.size(); ++other)
        if (other != axis) others.emplace_back(axes_[other], expressions.number(1));
      return {Kind::partitioned, expressions.substitute(dimension, others)};
    }
    for (ExprId dimension : pool_->dimensions(layout.partial))
      if (expressions.contains(dimension, axes_[axis])) return {Kind::partial, {}};
    return {};
  }

  void step(std::size_t i, const State& from, const State& to, const Layout& produced, const Layout& consumed) {
    const std::uint8_t axis = active_[i];
    const auto add = [&](CollectiveType type) { steps_.push_back({axis, type}); };
    if (to.kind == Kind::partial) {
      if (from.kind != Kind::partial)
        throw ConfigError{"layout", "a complete [" + pool_->shape_text(produced.shape) + "]",
                          "a partial sum over " + pool_->expressions.name(axes_[axis]) + " for [" +
                              pool_->shape_text(consumed.shape) + "]"};
    } else if (from.kind == Kind::partial) {
      add(to.kind == Kind::partitioned ? CollectiveType::ReduceScatter : CollectiveType::AllReduce);
    } else if (from.kind == Kind::partitioned) {
      if (to.kind == Kind::replicated) add(CollectiveType::AllGather);
      if (to.kind == Kind::partitioned && to.key != from.key) add(CollectiveType::AllToAll);
    }
  }

  Pool* pool_;
  std::vector<SymbolId> axes_;
  std::vector<std::uint8_t> active_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // never iterated, as the one below
  std::vector<State> states_;                                // of each layout, for each active axis
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> known_;
  std::vector<AxisStep> steps_;
};

} // namespace triosim::symbolic
