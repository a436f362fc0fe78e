#pragma once

#include <string_view>

/// The tables of modules, in the form that module.hpp reads. Batch, Seq, Dmodel, ... are sizes of the model; dp, tp,
/// cp, ep are the parallel axes. Each module holds its forward rows and its backward rows; a name that begins with `d`
/// is a gradient. The order of rows is the order of emission in a trace.
///
/// Free symbols: `Edge` is the extent of the sequence on one rank at the borders of a block.
namespace triosim::symbolic::modules {

inline constexpr std::string_view norm = R"(
let tokens = [Batch/dp, Edge, Dmodel]
x  = input tokens
y  = unary(5) x tokens
dy = input tokens
dx = unary(5) dy tokens
)";

inline constexpr std::string_view residual = R"(
let tokens = [Batch/dp, Edge, Dmodel]
x1  = input tokens
x2  = input tokens
y   = add x1 tokens, x2 tokens
dy  = input tokens
dx1 = alias dy tokens
dx2 = alias dy tokens
)";

inline constexpr std::string_view loss = R"(
let tokens = [Batch/dp, Edge, Dmodel]
y    = input tokens
loss = unary(5) y tokens
dy   = unary(5) loss tokens
)";

/// An embedding, or a head, as a product with a matrix In x Out. `InShare` is the part of In that one rank holds.
inline constexpr std::string_view embedding = R"(
let before = [Batch/dp, Edge, InShare]
let result = [Batch/dp, Edge, Out]
let matrix = [InShare, Out]
x  = input before
w  = weight matrix
y  = einsum(bsm,mn->bsn) x before, w matrix
dy = input result
dw = einsum(bsn,bsm->mn) dy result, x before gradient of w
dx = einsum(bsn,mn->bsm) dy result, w matrix
)";

} // namespace triosim::symbolic::modules
