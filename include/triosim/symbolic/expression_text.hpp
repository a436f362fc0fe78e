#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic {

namespace text_detail {

constexpr bool begins_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// sum = term (("+"|"-") term)*;  term = power (("*"|"/") power)*;  power = atom ["**" integer];
/// atom = integer | name | "(" sum ")" | "-" atom
class ExpressionParser {
 public:
  ExpressionParser(Expressions& expressions, std::string_view text) : expressions_{expressions}, text_{text} {}

  ExprId parse() {
    const ExprId result = sum();
    if (skip_blanks(); at_ != text_.size()) fail("an operator or the end");
    return result;
  }

 private:
  ExprId sum() {
    ExprId result = term();
    for (;;) {
      if (accept("+"))
        result = expressions_.add(result, term());
      else if (accept("-"))
        result = expressions_.subtract(result, term());
      else
        return result;
    }
  }

  ExprId term() {
    ExprId result = power();
    for (;;) {
      if (accept("*"))
        result = expressions_.multiply(result, power());
      else if (accept("/"))
        result = expressions_.divide(result, power());
      else
        return result;
    }
  }

  ExprId power() {
    const ExprId base = atom();
    if (!accept("**")) return base;
    const bool negative = accept("-");
    const std::int64_t exponent = integer();
    if (exponent > 64) fail("an exponent of at most 64");
    return expressions_.power(base, static_cast<std::int32_t>(negative ? -exponent : exponent));
  }

  ExprId atom() {
    if (accept("-")) return nested([&] { return expressions_.negate(atom()); });
    if (accept("("))
      return nested([&] {
        const ExprId inner = sum();
        if (!accept(")")) fail("a closing parenthesis");
        return inner;
      });
    skip_blanks();
    if (at_ < text_.size() && is_digit(text_[at_])) return expressions_.number(integer());
    const std::size_t begin = at_;
    if (at_ < text_.size() && begins_name(text_[at_]))
      while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_])))
        ++at_;
    if (begin == at_) fail("a number, a name or an opening parenthesis");
    return expressions_.of(text_.substr(begin, at_ - begin));
  }

  template <class Inner>
  ExprId nested(Inner inner) {
    if (++depth_ > 200) fail("at most 200 levels of parentheses");
    const ExprId result = inner();
    --depth_;
    return result;
  }

  std::int64_t integer() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (code != std::errc{}) fail("a whole number of at most 63 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }

  bool accept(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    if (token == "*" && text_.substr(at_, 2) == "**") return false;
    at_ += token.size();
    return true;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw ConfigError{"expression", std::string{text_},
                      std::string{expected} + " at column " + std::to_string(at_ + 1)};
  }

  Expressions& expressions_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace text_detail

/// Reads texts such as `3*Head/tp` and `(Head + 2*KVHead)/tp`; unknown names become symbols. Throws `ConfigError`.
inline ExprId parse_expression(Expressions& expressions, std::string_view text) {
  return text_detail::ExpressionParser{expressions, text}.parse();
}

namespace text_detail {

inline bool has_small_numbers(const Expressions& expressions, ExprId sum) {
  for (ExprId term : expressions.node(sum).terms)
    if (std::abs(expressions.node(term).numerator) >= std::int64_t{1} << 40) return false;
  return true;
}

/// The text of `id` times the whole number `by`.
inline std::string multiple_text(const Expressions& expressions, ExprId id, std::int64_t by) {
  const Expressions::Node& node = expressions.node(id);
  std::string text;
  for (ExprId term : node.terms) {
    std::string piece = multiple_text(expressions, term, by);
    const bool negative = piece.front() == '-';
    if (!text.empty()) text += negative ? " - " : " + ";
    text.append(piece, negative && !text.empty() ? 1 : 0);
  }
  if (!node.terms.empty()) return text;

  const std::int64_t common = std::gcd(by, node.denominator);
  std::int64_t numerator = node.numerator * (by / common);
  std::vector<std::pair<std::string, std::int32_t>> symbols, sums;
  std::size_t above_factors = 0;
  for (const auto& factor : node.factors)
    above_factors += factor.exponent > 0 ? 1u : 0u;
  for (const auto& factor : node.factors) {
    if (!factor.is_sum) {
      symbols.emplace_back(expressions.name(static_cast<SymbolId>(factor.base)), factor.exponent);
      continue;
    }
    // A number beside one sum alone is multiplied through: (2*a + 2*b)/c rather than 2*(a + b)/c.
    const bool alone = factor.exponent == 1 && above_factors == 1 && std::abs(numerator) < (std::int64_t{1} << 20) &&
                       has_small_numbers(expressions, static_cast<ExprId>(factor.base));
    const std::int64_t inside = alone ? std::exchange(numerator, numerator < 0 ? -1 : 1) : 1;
    sums.emplace_back("(" + multiple_text(expressions, static_cast<ExprId>(factor.base), std::abs(inside)) + ")",
                      factor.exponent);
  }
  std::sort(symbols.begin(), symbols.end());
  symbols.insert(symbols.end(), sums.begin(), sums.end());

  const auto side = [&](std::int64_t coefficient, int sign) {
    std::string out;
    int count = 0;
    const auto part = [&](const std::string& piece) {
      if (count++ != 0) out += '*';
      out += piece;
    };
    if (coefficient != 1) part(std::to_string(coefficient));
    for (const auto& [base, exponent] : symbols)
      if (exponent * sign > 0) part(exponent * sign == 1 ? base : base + "**" + std::to_string(exponent * sign));
    return std::pair{out, count};
  };
  const auto [above, above_count] = side(std::abs(numerator), 1);
  const auto [below, below_count] = side(node.denominator / common, -1);
  text = numerator < 0 ? "-" : "";
  text += above_count == 0 ? "1" : above;
  if (below_count == 1) text += "/" + below;
  if (below_count > 1) text += "/(" + below + ")";
  return text;
}

} // namespace text_detail

/// The canonical text: coefficient, symbols in alphabetical order, sums; a slash and the same for what divides, in
/// parentheses unless it is a single factor. Terms of a sum go by falling powers. Parsing it gives the expression back.
inline std::string to_text(const Expressions& expressions, ExprId id) {
  return text_detail::multiple_text(expressions, id, 1);
}

} // namespace triosim::symbolic
