#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/tensor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// An operation before it is placed in a graph. `argument` depends on the operation:
///  * einsum: `bsm,mnh->bsnh`, one letter for each dimension of the first operand, the second, the result;
///  * unary, binary: operations per element; custom: the cost;
///  * broadcast, slice: `dimension: factor` and `dimension: size`, dimensions counted from 0; concat: the dimension.
struct Application {
  Op op = Op::input;
  std::string_view argument = {};
  std::optional<Layout> x1 = {}, x2 = {};
  /// Of reshape and custom, which have no result of their own.
  std::optional<Layout> given = {};
};

struct Outcome {
  Layout result;
  ExprId cost;
};

namespace operators_detail {

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

inline Outcome einsum(Pool& pool, const Application& operation) {
  const auto fail = [&](const std::string& expected) {
    return ConfigError{"einsum", std::string{operation.argument}, expected};
  };
  const std::string_view text = trimmed(operation.argument);
  const std::size_t comma = text.find(','), arrow = text.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || arrow < comma)
    throw fail("letters such as bsm,mn->bsn");
  const std::string_view first = trimmed(text.substr(0, comma));
  const std::string_view second = trimmed(text.substr(comma + 1, arrow - comma - 1));
  const std::string_view last = trimmed(text.substr(arrow + 2));
  if (operation.x1->partial != pool.whole() || operation.x2->partial != pool.whole())
    throw fail("operands that are complete, not partial sums");

  std::vector<std::pair<char, ExprId>> sizes;
  const auto size_of = [&](char letter) -> std::optional<ExprId> {
    for (const auto& [known, size] : sizes)
      if (known == letter) return size;
    return std::nullopt;
  };
  for (const auto& [letters, layout] : {std::pair{first, *operation.x1}, std::pair{second, *operation.x2}}) {
    const std::vector<ExprId>& dimensions = pool.dimensions(layout.shape);
    if (letters.size() != dimensions.size())
      throw fail("one letter for each dimension of [" + pool.shape_text(layout.shape) + "]");
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const auto known = size_of(letters[i]);
      if (known && *known != dimensions[i])
        throw fail(std::string{"one size for letter "} + letters[i] + ", not " + to_text(pool.expressions, *known) +
                   " and " + to_text(pool.expressions, dimensions[i]));
      if (!known) sizes.emplace_back(letters[i], dimensions[i]);
    }
  }

  std::vector<ExprId> shape, reduced;
  ExprId cost = pool.expressions.number(1);
  for (char letter : last) {
    const auto size = size_of(letter);
    if (!size) throw fail(std::string{"letter "} + letter + " in an operand");
    shape.push_back(*size);
    cost = pool.expressions.multiply(cost, *size);
  }
  for (std::size_t i = 0; i < first.size(); ++i)
    if (last.find(first[i]) == std::string_view::npos) {
      reduced.push_back(pool.dimensions(operation.x1->shape)[i]);
      cost = pool.expressions.multiply(cost, reduced.back());
    }
  return {{pool.shape(std::move(shape)), pool.shape(std::move(reduced))}, cost};
}

/// `dimension: value` -> the two, checked against the shape.
inline std::pair<std::size_t, std::string_view> dimension_and_value(Pool& pool, const Application& operation,
                                                                    bool has_value) {
  const std::size_t colon = operation.argument.find(':');
  const std::string_view digits = trimmed(operation.argument.substr(0, colon));
  const std::size_t dimensions = pool.dimensions(operation.x1->shape).size();
  std::size_t dimension = dimensions;
  if (digits.size() == 1 && text_detail::is_digit(digits[0])) dimension = static_cast<std::size_t>(digits[0] - '0');
  if (dimension >= dimensions || (colon == std::string_view::npos) == has_value)
    throw ConfigError{"dimension", std::string{operation.argument},
                      "0 to " + std::to_string(dimensions - 1) + (has_value ? ", a colon, and an expression" : "")};
  return {dimension, has_value ? operation.argument.substr(colon + 1) : std::string_view{}};
}

inline Outcome with_dimension(Pool& pool, const Application& operation, std::size_t dimension, ExprId size) {
  std::vector<ExprId> dimensions = pool.dimensions(operation.x1->shape);
  dimensions[dimension] = size;
  const ShapeId shape = pool.shape(std::move(dimensions));
  return {{shape, operation.x1->partial}, pool.elements(shape)};
}

} // namespace operators_detail

/// The layout of the result of an operation, and what it costs. Throws `ConfigError` where operands and argument do not
/// fit.
inline Outcome infer(Pool& pool, const Application& operation) {
  namespace detail = operators_detail;
  const auto need = [&](bool condition, const char* expected) {
    if (!condition) throw ConfigError{"operation", std::string{letters(operation.op)}, expected};
  };
  Expressions& expressions = pool.expressions;
  const bool two =
      operation.op == Op::add || operation.op == Op::binary || operation.op == Op::einsum || operation.op == Op::concat;
  need(operation.x1.has_value(), "an operand");
  need(!two || operation.x2.has_value(), "two operands");
  need(!operation.x2.has_value() || two || operation.op == Op::slice, "one operand");
  const bool gives = operation.op == Op::reshape || operation.op == Op::custom;
  need(gives == operation.given.has_value(), gives ? "-> and a result" : "no result of its own");
  const Layout x1 = *operation.x1;
  switch (operation.op) {
  case Op::input:
  case Op::alias:
  case Op::shadow:
    return {x1, expressions.number(0)};
  case Op::add:
    return {x1, pool.elements(x1.shape)};
  case Op::unary:
  case Op::binary:
    return {x1, expressions.multiply(pool.parse(operation.argument), pool.elements(x1.shape))};
  case Op::einsum:
    return detail::einsum(pool, operation);
  case Op::reshape:
    return {*operation.given, pool.elements(operation.given->shape)};
  case Op::custom:
    return {*operation.given, pool.parse(operation.argument)};
  case Op::broadcast: {
    const auto [dimension, factor] = detail::dimension_and_value(pool, operation, true);
    const ExprId old = pool.dimensions(x1.shape)[dimension];
    return detail::with_dimension(pool, operation, dimension, expressions.multiply(old, pool.parse(factor)));
  }
  case Op::slice: {
    const auto [dimension, size] = detail::dimension_and_value(pool, operation, true);
    return detail::with_dimension(pool, operation, dimension, pool.parse(size));
  }
  case Op::concat: {
    const auto [dimension, nothing] = detail::dimension_and_value(pool, operation, false);
    need(pool.dimensions(operation.x2->shape).size() > dimension, "two operands of as many dimensions");
    const ExprId joined =
        expressions.add(pool.dimensions(x1.shape)[dimension], pool.dimensions(operation.x2->shape)[dimension]);
    return detail::with_dimension(pool, operation, dimension, joined);
  }
  }
  throw ConfigError{"operation", std::string{letters(operation.op)}, "a known operation"};
}

} // namespace triosim::symbolic
