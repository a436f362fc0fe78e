#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/exact.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// A named size: Batch, Seq, tp. A number within one `Expressions`.
enum class SymbolId : std::uint32_t {};
/// An expression in named sizes. Equal expressions have equal numbers within one `Expressions`.
enum class ExprId : std::uint32_t {};

constexpr std::uint32_t index(SymbolId id) noexcept {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t index(ExprId id) noexcept {
  return static_cast<std::uint32_t>(id);
}

/// What replaces each symbol. All replacements happen at once: {a: b, b: a} swaps.
using Substitution = std::vector<std::pair<SymbolId, ExprId>>;

/// The values of the named sizes.
class Sizes {
 public:
  void set(SymbolId symbol, std::int64_t value) {
    if (values_.size() <= index(symbol)) values_.resize(index(symbol) + 1);
    values_[index(symbol)] = value;
  }
  std::optional<std::int64_t> get(SymbolId symbol) const {
    return index(symbol) < values_.size() ? values_[index(symbol)] : std::nullopt;
  }

 private:
  std::vector<std::optional<std::int64_t>> values_;
};

/// All expressions of a study. An expression is kept in one canonical form, so that equality is equality of numbers:
///  * a product: a rational coefficient times powers of symbols and of sums, or
///  * a sum of two or more products with different factors.
/// Products of sums are not expanded and sums are not factored; a number times a sum alone is multiplied through, and a
/// sum that is a factor among others has no common number and begins with a plus. The arithmetic is exact. Numbers
/// written in an expression must fit 64 bits, else `ConfigError`.
class Expressions {
 public:
  struct Factor {
    bool is_sum;        // else a symbol
    std::uint32_t base; // SymbolId or ExprId
    std::int32_t exponent;
    friend auto operator<=>(const Factor&, const Factor&) = default;
  };
  struct Node {
    std::int64_t numerator = 0, denominator = 1; // of a product; in lowest terms
    std::vector<Factor> factors;                 // of a product, sorted by (is_sum, base)
    std::vector<ExprId> terms;                   // of a sum, highest powers first; empty means a product
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  SymbolId symbol(std::string_view name) {
    const auto found = symbol_of_.find(name);
    if (found != symbol_of_.end()) return found->second;
    const auto id = static_cast<SymbolId>(symbols_.size());
    symbols_.emplace_back(name);
    symbol_of_.emplace(name, id);
    return id;
  }
  const std::string& name(SymbolId id) const { return symbols_[index(id)]; }
  std::size_t symbol_count() const noexcept { return symbols_.size(); }
  std::size_t size() const noexcept { return nodes_.size(); }
  const Node& node(ExprId id) const { return nodes_[index(id)]; }

  ExprId number(std::int64_t numerator, std::int64_t denominator = 1) { return product(numerator, denominator, {}); }
  ExprId of(SymbolId id) { return product(1, 1, {{false, index(id), 1}}); }
  ExprId of(std::string_view name) { return of(symbol(name)); }

  ExprId multiply(ExprId a, ExprId b) {
    if (is_sum(a) && is_number(b)) return scale(a, b);
    if (is_sum(b) && is_number(a)) return scale(b, a);
    const Node x = as_product(a), y = as_product(b);
    const std::int64_t cross1 = std::gcd(x.numerator, y.denominator), cross2 = std::gcd(y.numerator, x.denominator);
    std::vector<Factor> factors;
    auto i = x.factors.begin(), j = y.factors.begin();
    const auto before = [](const Factor& p, const Factor& q) {
      return std::pair{p.is_sum, p.base} < std::pair{q.is_sum, q.base};
    };
    while (i != x.factors.end() || j != y.factors.end()) {
      if (j == y.factors.end() || (i != x.factors.end() && before(*i, *j))) {
        factors.push_back(*i++);
      } else if (i == x.factors.end() || before(*j, *i)) {
        factors.push_back(*j++);
      } else {
        const std::int32_t exponent = i->exponent + j->exponent;
        if (exponent != 0) factors.push_back({i->is_sum, i->base, exponent});
        ++i, ++j;
      }
    }
    return product(times(x.numerator / cross1, y.numerator / cross2),
                   times(x.denominator / cross2, y.denominator / cross1), std::move(factors));
  }

  /// `exponent` may be negative: power(x, -1) is 1/x. Throws `ConfigError` for 1/0.
  ExprId power(ExprId base, std::int32_t exponent) {
    if (exponent == 0) return number(1);
    if (exponent > max_exponent || exponent < -max_exponent)
      throw ConfigError{"exponent", std::to_string(exponent), "at most 64"};
    Node node = as_product(base);
    if (exponent < 0) {
      if (node.numerator == 0) throw ConfigError{"expression", "1/0", "a divisor other than zero"};
      std::swap(node.numerator, node.denominator);
      if (node.denominator < 0) node.numerator = -node.numerator, node.denominator = -node.denominator;
    }
    std::int64_t numerator = 1, denominator = 1;
    for (std::int32_t i = 0; i < std::abs(exponent); ++i) {
      numerator = times(numerator, node.numerator);
      denominator = times(denominator, node.denominator);
    }
    for (Factor& factor : node.factors) {
      factor.exponent *= exponent;
      if (std::abs(factor.exponent) > max_exponent)
        throw ConfigError{"exponent", std::to_string(factor.exponent), "at most 64"};
    }
    return product(numerator, denominator, std::move(node.factors));
  }
  ExprId divide(ExprId a, ExprId b) { return multiply(a, power(b, -1)); }
  ExprId negate(ExprId a) { return multiply(number(-1), a); }

  ExprId add(ExprId a, ExprId b) {
    std::vector<ExprId> terms;
    for (ExprId side : {a, b})
      if (is_sum(side))
        terms.insert(terms.end(), node(side).terms.begin(), node(side).terms.end());
      else
        terms.push_back(side);
    return sum(terms);
  }
  ExprId subtract(ExprId a, ExprId b) { return add(a, negate(b)); }

  bool contains(ExprId id, SymbolId symbol) const {
    const Node& n = node(id);
    for (ExprId term : n.terms)
      if (contains(term, symbol)) return true;
    for (const Factor& f : n.factors)
      if (f.is_sum ? contains(static_cast<ExprId>(f.base), symbol) : f.base == index(symbol)) return true;
    return false;
  }

  ExprId substitute(ExprId id, const Substitution& by) {
    const Node n = node(id); // a copy: nodes_ grows below
    if (!n.terms.empty()) {
      std::vector<ExprId> terms;
      for (ExprId term : n.terms) {
        const ExprId replaced = substitute(term, by);
        if (is_sum(replaced))
          terms.insert(terms.end(), node(replaced).terms.begin(), node(replaced).terms.end());
        else
          terms.push_back(replaced);
      }
      return sum(terms);
    }
    ExprId result = number(n.numerator, n.denominator);
    for (const Factor& f : n.factors) {
      ExprId base = f.is_sum ? substitute(static_cast<ExprId>(f.base), by) : of(static_cast<SymbolId>(f.base));
      if (!f.is_sum)
        for (const auto& [symbol, replacement] : by)
          if (index(symbol) == f.base) base = replacement;
      result = multiply(result, power(base, f.exponent));
    }
    return result;
  }

  /// The exact value. Throws `ConfigError` where a symbol has no value or a divisor is zero.
  Rational evaluate(ExprId id, const Sizes& sizes) const {
    const Node& n = node(id);
    if (!n.terms.empty()) {
      Rational sum{Natural{}, Natural{1}, false};
      for (ExprId term : n.terms)
        sum = sum + evaluate(term, sizes);
      return sum;
    }
    Rational value = rational(n.numerator) * rational(n.denominator).inverse();
    for (const Factor& f : n.factors) {
      Rational base = f.is_sum ? evaluate(static_cast<ExprId>(f.base), sizes)
                               : rational(value_of(static_cast<SymbolId>(f.base), sizes));
      if (f.exponent < 0) {
        if (base.numerator.is_zero())
          throw ConfigError{f.is_sum ? "divisor" : symbols_[f.base], "0", "a size above zero, as it divides another"};
        base = base.inverse();
      }
      for (std::int32_t i = 0; i < std::abs(f.exponent); ++i)
        value = value * base;
    }
    return value;
  }

  bool is_sum(ExprId id) const { return !node(id).terms.empty(); }
  bool is_number(ExprId id) const { return !is_sum(id) && node(id).factors.empty(); }

 private:
  static constexpr std::int32_t max_exponent = 64;

  static Rational rational(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return {Natural{value < 0 ? 0 - bits : bits}, Natural{1}, value < 0};
  }

  std::int64_t value_of(SymbolId symbol, const Sizes& sizes) const {
    if (const auto value = sizes.get(symbol)) return *value;
    throw ConfigError{name(symbol), "nothing", "a size, as the model uses it"};
  }

  static std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    // The least number of all is left out: it has no absolute value.
    if (__builtin_mul_overflow(a, b, &result) || result == std::numeric_limits<std::int64_t>::min())
      throw ConfigError{"number", std::to_string(a) + "*" + std::to_string(b), "a number of at most 64 bits"};
    return result;
  }
  static std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result) || result == std::numeric_limits<std::int64_t>::min())
      throw ConfigError{"number", std::to_string(a) + "+" + std::to_string(b), "a number of at most 64 bits"};
    return result;
  }

  /// A sum becomes a factor in its primitive form, so that 2*(x + y)/a and (2*x + 2*y)/a are the same product.
  Node as_product(ExprId id) {
    if (!is_sum(id)) return node(id);
    const std::vector<ExprId> terms = node(id).terms;
    std::int64_t numerator = 0, denominator = 1;
    for (ExprId term : terms) {
      const Node& n = node(term);
      numerator = std::gcd(numerator, n.numerator);
      denominator = times(denominator / std::gcd(denominator, n.denominator), n.denominator);
    }
    if (node(terms.front()).numerator < 0) numerator = -numerator;
    const ExprId primitive = numerator == 1 && denominator == 1 ? id : scale(id, number(denominator, numerator));
    return {numerator, denominator, {{true, index(primitive), 1}}, {}};
  }

  ExprId product(std::int64_t numerator, std::int64_t denominator, std::vector<Factor> factors) {
    if (denominator == 0) throw ConfigError{"expression", "1/0", "a divisor other than zero"};
    if (numerator == 0) return intern({0, 1, {}, {}});
    const std::int64_t common = std::gcd(numerator, denominator);
    if (denominator < 0) numerator = times(numerator, -1), denominator = times(denominator, -1);
    Node result{numerator / common, denominator / common, std::move(factors), {}};
    // A bare sum is the sum itself, and a number times it is multiplied through.
    if (result.factors.size() == 1 && result.factors[0].is_sum && result.factors[0].exponent == 1) {
      const auto id = static_cast<ExprId>(result.factors[0].base);
      if (result.numerator == 1 && result.denominator == 1) return id;
      return scale(id, number(result.numerator, result.denominator));
    }
    return intern(std::move(result));
  }

  ExprId scale(ExprId sum_id, ExprId by) {
    std::vector<ExprId> terms;
    const std::vector<ExprId> old = node(sum_id).terms;
    for (ExprId term : old)
      terms.push_back(multiply(term, by));
    return sum(terms);
  }

  /// `terms` are products. Like ones are collected, the rest put in order.
  ExprId sum(std::vector<ExprId> terms) {
    std::vector<Node> collected;
    for (ExprId term : terms) {
      const Node& n = node(term);
      if (n.numerator == 0) continue;
      const auto like = std::find_if(collected.begin(), collected.end(),
                                     [&](const Node& other) { return other.factors == n.factors; });
      if (like == collected.end()) {
        collected.push_back(n);
        continue;
      }
      const std::int64_t common = std::gcd(like->denominator, n.denominator);
      like->numerator =
          plus(times(like->numerator, n.denominator / common), times(n.numerator, like->denominator / common));
      like->denominator = times(like->denominator, n.denominator / common);
    }
    Node result{0, 1, {}, {}};
    for (Node& n : collected)
      if (n.numerator != 0) result.terms.push_back(product(n.numerator, n.denominator, std::move(n.factors)));
    if (result.terms.empty()) return number(0);
    if (result.terms.size() == 1) return result.terms[0];
    std::sort(result.terms.begin(), result.terms.end(), [&](ExprId a, ExprId b) { return goes_before(a, b); });
    return intern(std::move(result));
  }

  /// Symbols in alphabetical order, then sums; the first in which two products differ decides, the higher power first.
  bool goes_before(ExprId a, ExprId b) const {
    const auto sorted = [&](ExprId id) {
      std::vector<Factor> factors = node(id).factors;
      std::sort(factors.begin(), factors.end(), [&](const Factor& x, const Factor& y) { return alphabetical(x, y); });
      return factors;
    };
    const std::vector<Factor> x = sorted(a), y = sorted(b);
    for (std::size_t i = 0; i < x.size() || i < y.size(); ++i) {
      if (i == x.size()) return y[i].exponent < 0;
      if (i == y.size()) return x[i].exponent > 0;
      if (alphabetical(x[i], y[i])) return x[i].exponent > 0;
      if (alphabetical(y[i], x[i])) return y[i].exponent < 0;
      if (x[i].exponent != y[i].exponent) return x[i].exponent > y[i].exponent;
    }
    return false;
  }
  bool alphabetical(const Factor& x, const Factor& y) const {
    if (x.is_sum != y.is_sum) return y.is_sum;
    return x.is_sum ? x.base < y.base : symbols_[x.base] < symbols_[y.base];
  }

  ExprId intern(Node node) {
    const auto [where, is_new] = id_of_.emplace(std::move(node), static_cast<ExprId>(nodes_.size()));
    if (is_new) nodes_.push_back(where->first);
    return where->second;
  }

  std::vector<std::string> symbols_;
  std::map<std::string, SymbolId, std::less<>> symbol_of_;
  std::vector<Node> nodes_;
  std::map<Node, ExprId> id_of_;
};

} // namespace triosim::symbolic
