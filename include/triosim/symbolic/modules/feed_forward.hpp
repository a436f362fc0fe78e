#pragma once

#include <string_view>

namespace triosim::symbolic::modules {

/// Two matrices. `Span` is the extent of the sequence that passes through (all of it, or an expert's part), `Edge` that
/// at the border. The result of xdown is declared as wide as the inner layer, as published; its consumer says Dmodel.
inline constexpr std::string_view feed_forward = R"(
let edge   = [Batch/dp, Edge, Dmodel]
let tokens = [Batch/dp, Span/cp, Dmodel]
let inner  = [Batch/dp, Span/cp, Dff/tp]
x0      = input edge
wgate   = weight [Dmodel, Dff/tp]
wdown   = weight [Dff/tp, Dmodel]
x00     = alias x0 tokens
xgate   = einsum(bsm,mn->bsn) x00 tokens, wgate [Dmodel, Dff/tp]
xdown1  = einsum(bsm,mn->bsn) xgate inner, wdown [Dff/tp, Dmodel]
xdown   = alias xdown1 [Batch/dp, Edge, Dff]
dxdown  = input edge
dxdown2 = alias dxdown tokens
dwdown  = einsum(bsn,bsm->mn) dxdown2 tokens, xgate inner gradient of wdown
dxgate  = einsum(bsn,mn->bsm) dxdown2 tokens, wdown [Dff/tp, Dmodel]
x01     = alias x0 tokens
dwgate  = einsum(bsn,bsm->mn) dxgate inner, x01 tokens gradient of wgate
dx000   = einsum(bsn,mn->bsm) dxgate inner, wgate [Dmodel, Dff/tp]
dx0     = alias dx000 edge
)";

/// Three matrices: gated.
inline constexpr std::string_view gated_feed_forward = R"(
let edge   = [Batch/dp, Edge, Dmodel]
let tokens = [Batch/dp, Span/cp, Dmodel]
let inner  = [Batch/dp, Span/cp, Dff/tp]
let parts  = [Batch/dp, Span/cp, Dmodel | 1/tp]
let w_in   = [Dmodel, Dff/tp]
let w_out  = [Dff/tp, Dmodel]
x0       = input edge
wup      = weight w_in
wgate    = weight w_in
wdown    = weight w_out
x00      = alias x0 tokens
xup      = einsum(bsm,mn->bsn) x00 tokens, wup w_in
xgate    = einsum(bsm,mn->bsn) x00 tokens, wgate w_in
xupgate  = einsum(bsm,bsm->bsm) xup inner, xgate inner
xdown1   = einsum(bsm,mn->bsn) xupgate inner, wdown w_out
xdown    = alias xdown1 [Batch/dp, Edge, Dff]
dxdown   = input edge
dxdown2  = alias dxdown tokens
dwdown   = einsum(bsn,bsm->mn) dxdown2 tokens, xupgate inner gradient of wdown
dxupgate = einsum(bsn,mn->bsm) dxdown2 tokens, wdown w_out
dxup     = einsum(bsm,bsm->bsm) dxupgate inner, xgate inner
dxgate   = einsum(bsm,bsm->bsm) dxupgate inner, xup inner
x01      = alias x0 tokens
dwup     = einsum(bsn,bsm->mn) dxup inner, x01 tokens gradient of wup
dwgate   = einsum(bsn,bsm->mn) dxgate inner, x01 tokens gradient of wgate
dx00     = einsum(bsn,mn->bsm) dxup inner, wup w_in
dx01     = einsum(bsn,mn->bsm) dxgate inner, wgate w_in
dx000    = add dx00 parts, dx01 parts
dx0      = alias dx000 edge
)";

} // namespace triosim::symbolic::modules
