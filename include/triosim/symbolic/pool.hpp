#pragma once

#include "triosim/symbolic/expression.hpp"
#include "triosim/symbolic/expression_text.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace triosim::symbolic {

/// A list of dimensions, by number: equal lists have equal numbers within one `Pool`.
enum class ShapeId : std::uint32_t {};
/// A text, by number.
enum class NameId : std::uint32_t {};

constexpr std::uint32_t index(ShapeId id) noexcept {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t index(NameId id) noexcept {
  return static_cast<std::uint32_t>(id);
}

/// How the elements of a tensor lie on the ranks: the dimensions of one rank's part, and the dimensions over which the
/// part is still a sum to be completed. A parallel axis in a divisor of `shape` says that the dimension is cut over
/// that axis; an axis in `partial` says that the ranks along it hold summands.
struct Layout {
  ShapeId shape{};
  ShapeId partial{};
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

/// What graphs share: expressions, shapes and names, each stored once.
class Pool {
 public:
  Pool() {
    whole_ = shape({expressions.number(1)});
    empty_name_ = name("");
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Expressions expressions;

  ExprId parse(std::string_view text) { return parse_expression(expressions, text); }

  ShapeId shape(std::vector<ExprId> dimensions) {
    const auto [where, is_new] = shape_of_.emplace(std::move(dimensions), static_cast<ShapeId>(shapes_.size()));
    if (is_new) {
      ExprId elements = expressions.number(1);
      for (ExprId dimension : where->first)
        elements = expressions.multiply(elements, dimension);
      shapes_.push_back({where->first, elements});
    }
    return where->second;
  }
  const std::vector<ExprId>& dimensions(ShapeId id) const { return shapes_[index(id)].dimensions; }
  /// The number of elements: the product of the dimensions.
  ExprId elements(ShapeId id) const { return shapes_[index(id)].elements; }
  std::size_t shape_count() const noexcept { return shapes_.size(); }
  /// The list of hidden dimensions that says: nothing is left to be summed.
  ShapeId whole() const noexcept { return whole_; }

  /// Dimensions joined by commas.
  std::string shape_text(ShapeId id) const {
    std::string text;
    for (ExprId dimension : dimensions(id)) {
      if (!text.empty()) text += ',';
      text += to_text(expressions, dimension);
    }
    return text;
  }

  NameId name(std::string_view text) {
    const auto found = name_of_.find(std::string{text});
    if (found != name_of_.end()) return found->second;
    const auto id = static_cast<NameId>(names_.size());
    names_.push_back(&name_of_.emplace(text, id).first->first);
    return id;
  }
  const std::string& text(NameId id) const { return *names_[index(id)]; }
  NameId empty_name() const noexcept { return empty_name_; }

 private:
  struct Shape {
    std::vector<ExprId> dimensions;
    ExprId elements;
  };

  std::vector<Shape> shapes_;
  std::map<std::vector<ExprId>, ShapeId> shape_of_;
  std::vector<const std::string*> names_;
  std::unordered_map<std::string, NameId> name_of_; // never iterated
  ShapeId whole_{};
  NameId empty_name_{};
};

/// Replaces symbols in many expressions and shapes, each distinct one once.
class Replacement {
 public:
  Replacement(Pool& pool, Substitution by) : pool_{pool}, by_{std::move(by)} {}

  ExprId operator()(ExprId id) {
    if (expressions_.size() <= index(id)) expressions_.resize(index(id) + 1, unknown);
    if (expressions_[index(id)] != unknown) return static_cast<ExprId>(expressions_[index(id)]);
    const ExprId replaced = pool_.expressions.substitute(id, by_);
    expressions_[index(id)] = index(replaced);
    return replaced;
  }
  ShapeId operator()(ShapeId id) {
    if (shapes_.size() <= index(id)) shapes_.resize(index(id) + 1, unknown);
    if (shapes_[index(id)] != unknown) return static_cast<ShapeId>(shapes_[index(id)]);
    std::vector<ExprId> dimensions = pool_.dimensions(id);
    for (ExprId& dimension : dimensions)
      dimension = (*this)(dimension);
    const ShapeId replaced = pool_.shape(std::move(dimensions));
    shapes_[index(id)] = index(replaced);
    return replaced;
  }
  Layout operator()(Layout layout) { return {(*this)(layout.shape), (*this)(layout.partial)}; }

 private:
  static constexpr std::uint32_t unknown = static_cast<std::uint32_t>(-1);
  Pool& pool_;
  Substitution by_;
  std::vector<std::uint32_t> expressions_, shapes_;
};

} // namespace triosim::symbolic
