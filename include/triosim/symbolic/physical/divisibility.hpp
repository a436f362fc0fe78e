#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/physical/plan.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim::symbolic::physical {

/// The divisors of `n` around `near`, as a text such as "1, 2, 4, 8"; at most a dozen.
inline std::string divisors_near(std::uint64_t n, std::uint64_t near) {
  std::vector<std::uint64_t> below, above;
  const std::uint64_t most = std::uint64_t{1} << 20; // nobody has more ranks along one axis
  for (std::uint64_t d = 1; d <= n && d <= most && above.size() < 3; ++d)
    if (n % d == 0) (d <= near ? below : above).push_back(d);
  std::string text;
  for (std::size_t i = below.size() > 9 ? below.size() - 9 : 0; i < below.size(); ++i)
    text.append(text.empty() ? "" : ", ").append(std::to_string(below[i]));
  for (const std::uint64_t d : above)
    text.append(text.empty() ? "" : ", ").append(std::to_string(d));
  return text;
}

/// Which layers each virtual stage has: `first[v]` to `first[v + 1]`. Equal runs; or, where that makes them equal, the
/// embedding and the head count as a layer each, so that the first and last run are shorter by one. Throws
/// `ConfigError`.
inline std::vector<std::uint32_t> deal_layers(std::uint32_t layers, std::uint32_t stages) {
  const bool ends_count = layers % stages != 0 && (layers + 2) % stages == 0 && (layers + 2) / stages > 1;
  if (layers % stages != 0 && !ends_count)
    throw ConfigError{"pp", std::to_string(stages) + (stages > layers ? " stages" : " stages (times chunks)"),
                      "a divisor of the " + std::to_string(layers) + " layers (" + divisors_near(layers, stages) +
                          ") or of " + std::to_string(layers + 2) + ", with embedding and head as a layer each (" +
                          divisors_near(layers + 2, stages) + ")"};
  std::vector<std::uint32_t> first{0};
  for (std::uint32_t v = 0; v < stages; ++v) {
    std::uint32_t count = (layers + (ends_count ? 2 : 0)) / stages;
    if (ends_count) count -= (v == 0 ? 1u : 0u) + (v + 1 == stages ? 1u : 0u);
    first.push_back(first.back() + count);
  }
  return first;
}

namespace divisibility_detail {

/// The axis to blame for a dimension that is no whole number, and which sizes of it would do.
inline void explain(const Pool& pool, ExprId dimension, const Sizes& sizes, const Plan& plan) {
  const Expressions::Node& node = pool.expressions.node(dimension);
  std::string blamed;
  for (const Expressions::Factor& factor : node.factors) {
    if (factor.exponent >= 0) continue;
    // An average, such as tokens of an expert, may be a fraction: only axes cut.
    if (factor.is_sum) return;
    const std::string& name = pool.expressions.name(static_cast<SymbolId>(factor.base));
    bool is_axis = false;
    for (std::string_view axis : spatial_axes)
      is_axis = is_axis || axis == name;
    if (!is_axis) return;
    if (plan.size(name) > 1 && (blamed.empty() || name == "tp")) blamed = name;
  }
  if (blamed.empty()) return;
  Sizes without = sizes;
  for (std::size_t i = 0; i < pool.expressions.symbol_count(); ++i)
    if (pool.expressions.name(static_cast<SymbolId>(i)) == blamed) without.set(static_cast<SymbolId>(i), 1);
  const double rest = pool.expressions.evaluate(dimension, without).to_double();
  const std::string fits = rest == std::floor(rest) && rest < 0x1p53
                               ? divisors_near(static_cast<std::uint64_t>(rest), plan.size(blamed))
                               : "none, unless another axis changes too";
  throw ConfigError{blamed, std::to_string(plan.size(blamed)),
                    "a size for which " + to_text(pool.expressions, dimension) + " is whole: " + fits};
}

} // namespace divisibility_detail

/// Every dimension that is cut must be cut into whole numbers. Throws `ConfigError` that names an axis and what would
/// fit.
inline void check_divisibility(const Graph& graph, Measures& measures, const Sizes& sizes, const Plan& plan) {
  const Pool& pool = graph.pool();
  std::vector<bool> seen(pool.shape_count());
  const auto check = [&](ShapeId shape) {
    if (seen[index(shape)]) return;
    seen[index(shape)] = true;
    for (ExprId dimension : pool.dimensions(shape)) {
      const double value = measures.value(dimension);
      if (value != std::floor(value)) divisibility_detail::explain(pool, dimension, sizes, plan);
    }
  };
  for (const Tensor& tensor : graph.tensors()) {
    check(tensor.result.shape);
    if (tensor.x1 != no_tensor) check(tensor.x1_layout.shape);
    if (tensor.x2 != no_tensor) check(tensor.x2_layout.shape);
  }
}

} // namespace triosim::symbolic::physical
