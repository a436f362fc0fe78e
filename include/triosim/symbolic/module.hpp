#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/operators.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// What the free symbols of a module stand for, as texts: {"Width", "4*Dmodel"}.
using Parameters = std::initializer_list<std::pair<std::string_view, std::string_view>>;

namespace module_detail {

/// One statement a line, `#` begins a comment:
///
///     let LAYOUT = [dimension, dimension, ... | hidden, ...]
///     NAME = input LAYOUT
///     NAME = weight LAYOUT
///     NAME = OPERATION[(ARGUMENT)] OPERAND LAYOUT[, OPERAND LAYOUT] [-> LAYOUT] [after NAME, ...] [gradient of NAME]
///
/// A layout is written out in brackets or is a name given by `let`. After the bar stand the dimensions over which the
/// operand is a partial sum. Operands must be defined above.
class Parser {
 public:
  Parser(Pool& pool, std::string_view module, std::string_view text) : graph_{pool}, module_{module}, text_{text} {}

  Graph parse() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      rest_ = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++line_;
      rest_ = rest_.substr(0, rest_.find('#'));
      if (blank()) continue;
      try {
        statement();
      } catch (const ConfigError& error) {
        fail(error.what());
      }
    }
    return std::move(graph_);
  }

 private:
  void statement() {
    const std::string_view name = word("a name");
    if (name == "let") {
      const std::string_view layout_name = word("a name");
      expect("=");
      layouts_.insert_or_assign(layout_name, layout());
      finish();
      return;
    }
    expect("=");
    Tensor tensor;
    tensor.name = graph_.pool().name(name);
    if (!tensors_.emplace(name, static_cast<TensorId>(graph_.size())).second) fail_at(name, "defined twice");
    const std::string_view kind = word("an operation");
    if (kind == "input" || kind == "weight") {
      tensor.trainable = kind == "weight";
      tensor.x1_layout = layout();
      const Outcome outcome = infer(graph_.pool(), {Op::input, {}, tensor.x1_layout, {}, {}});
      tensor.result = outcome.result;
      tensor.cost = outcome.cost;
      graph_.add(tensor);
    } else {
      operation(tensor, kind);
    }
    finish();
  }

  void operation(Tensor tensor, std::string_view kind) {
    Application made;
    made.op = tensor.op = op_of(kind);
    if (next_is('(')) made.argument = parenthesised();
    tensor.x1 = operand();
    made.x1 = tensor.x1_layout = layout();
    if (accept(",")) {
      tensor.x2 = operand();
      made.x2 = tensor.x2_layout = layout();
    }
    if (accept("->")) made.given = layout();
    const Outcome outcome = infer(graph_.pool(), made);
    tensor.result = outcome.result;
    tensor.cost = outcome.cost;
    std::vector<TensorId> extra;
    if (accept("after")) do
        extra.push_back(operand());
      while (accept(","));
    if (accept("gradient")) {
      expect("of");
      tensor.gradient_of = operand();
    }
    const TensorId id = graph_.add(tensor);
    if (!extra.empty()) graph_.set_extra(id, extra);
  }

  Op op_of(std::string_view kind) const {
    static constexpr std::pair<std::string_view, Op> names[] = {
        {"alias", Op::alias},   {"add", Op::add},         {"unary", Op::unary},         {"binary", Op::binary},
        {"einsum", Op::einsum}, {"reshape", Op::reshape}, {"broadcast", Op::broadcast}, {"slice", Op::slice},
        {"concat", Op::concat}, {"custom", Op::custom}};
    for (const auto& [name, op] : names)
      if (name == kind) return op;
    fail_at(kind,
            "expected input, weight, alias, add, unary, binary, einsum, reshape, broadcast, slice, concat or custom");
  }

  TensorId operand() {
    const std::string_view name = word("a tensor");
    const auto found = tensors_.find(name);
    if (found == tensors_.end() || found->second == graph_.size()) fail_at(name, "expected a tensor defined above");
    return found->second;
  }

  Layout layout() {
    if (!next_is('[')) {
      const std::string_view name = word("a layout");
      const auto found = layouts_.find(name);
      if (found == layouts_.end()) fail_at(name, "expected a layout in brackets or a name given by let");
      return found->second;
    }
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) fail_at("layout", "expected a closing bracket");
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const std::size_t bar = inside.find('|');
    Pool& pool = graph_.pool();
    const ShapeId shape = dimensions(inside.substr(0, bar));
    return {shape, bar == std::string_view::npos ? pool.whole() : dimensions(inside.substr(bar + 1))};
  }

  ShapeId dimensions(std::string_view list) {
    std::vector<ExprId> result;
    for (;;) {
      const std::size_t comma = list.find(',');
      result.push_back(graph_.pool().parse(list.substr(0, comma)));
      if (comma == std::string_view::npos) return graph_.pool().shape(std::move(result));
      list.remove_prefix(comma + 1);
    }
  }

  std::string_view parenthesised() {
    int depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '(') ++depth;
      if (rest_[i] == ')' && --depth == 0) {
        const std::string_view inside = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        return inside;
      }
    }
    fail_at("argument", "expected a closing parenthesis");
  }

  bool blank() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
    return rest_.empty();
  }
  bool next_is(char c) { return !blank() && rest_.front() == c; }
  bool accept(std::string_view token) {
    if (blank() || rest_.substr(0, token.size()) != token) return false;
    const bool is_word = text_detail::begins_name(token.front());
    if (is_word && rest_.size() > token.size() && in_word(rest_[token.size()])) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail_at(token, "expected here, found \"" + std::string{rest_} + "\"");
  }
  static bool in_word(char c) { return text_detail::begins_name(c) || text_detail::is_digit(c) || c == '.'; }
  std::string_view word(std::string_view expected) {
    blank();
    std::size_t length = 0;
    while (length < rest_.size() && in_word(rest_[length]))
      ++length;
    if (length == 0)
      fail_at("statement", "expected " + std::string{expected} + ", found \"" + std::string{rest_} + "\"");
    const std::string_view result = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return result;
  }
  void finish() {
    if (!blank()) fail_at("statement", "expected the end of the line, found \"" + std::string{rest_} + "\"");
  }

  [[noreturn]] void fail_at(std::string_view field, std::string_view problem) const {
    throw TraceError::at_line("module " + std::string{module_}, line_, std::string{field}, problem);
  }
  [[noreturn]] void fail(std::string_view problem) const { fail_at("", problem); }

  Graph graph_;
  std::string_view module_, text_, rest_;
  std::size_t line_ = 0;
  std::map<std::string_view, TensorId> tensors_;
  std::map<std::string_view, Layout> layouts_;
};

} // namespace module_detail

/// A module from its table, its free symbols replaced by `parameters`. Throws `TraceError` with the line that is wrong.
inline Graph parse_module(Pool& pool, std::string_view name, std::string_view table, Parameters parameters = {}) {
  Graph graph = module_detail::Parser{pool, name, table}.parse();
  Substitution by;
  for (const auto& [symbol, text] : parameters)
    by.emplace_back(pool.expressions.symbol(symbol), pool.parse(text));
  if (!by.empty()) graph.replace(std::move(by));
  return graph;
}

} // namespace triosim::symbolic
