#pragma once

#include "triosim/symbolic/pool.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace triosim::symbolic {

/// What makes a tensor out of its operands.
enum class Op : std::uint8_t {
  input,     ///< comes from elsewhere: an input, or a weight when `trainable`
  alias,     ///< the operand itself, perhaps laid out anew
  shadow,    ///< the operand, received from another stage
  add,       ///< sum of two
  unary,     ///< element by element, of one
  binary,    ///< element by element, of two
  einsum,    ///< contraction of two
  reshape,   ///< the same elements under another shape
  broadcast, ///< one dimension multiplied by a factor (repeated, or reduced where the factor is below one)
  slice,     ///< one dimension set to another size (cut, or filled from a second operand)
  concat,    ///< two joined along a dimension
  custom     ///< anything else: cost and result are given
};

/// The letters by which published traces call them.
constexpr std::string_view letters(Op op) noexcept {
  constexpr std::array<std::string_view, 12> names{"T", "I", "S", "A",     "E", "E2",
                                                   "M", "R", "B", "SLICE", "C", "CUSTOM"};
  return names[static_cast<std::size_t>(op)];
}

/// A tensor of a `Graph`, by its place there.
using TensorId = std::uint32_t;
constexpr TensorId no_tensor = static_cast<TensorId>(-1);
constexpr std::uint32_t no_micro_batch = static_cast<std::uint32_t>(-1);

/// One row of a graph: a tensor, how it is made, and how it lies on the ranks.
///
/// Its full name is `mb{micro_batch}.` (if any), then `scope`, then `name`, then `@revision`. The layouts of the
/// operands say how *this* operation wants them; where that differs from how they were produced, ranks must
/// communicate.
struct Tensor {
  NameId name{};
  NameId scope{};
  std::uint32_t micro_batch = no_micro_batch;
  std::uint16_t revision = 0;
  Op op = Op::input;
  bool trainable = false;
  TensorId x1 = no_tensor;
  TensorId x2 = no_tensor;
  /// The weight whose gradient this is.
  TensorId gradient_of = no_tensor;
  /// Further producers, as a range of the graph's list: only waited for, never communicated.
  std::uint32_t extra_begin = 0, extra_end = 0;
  Layout x1_layout, x2_layout;
  Layout result;
  /// Operations to be done: multiply-adds for einsum, one an element for most others, nothing for views.
  ExprId cost{};
};

} // namespace triosim::symbolic
