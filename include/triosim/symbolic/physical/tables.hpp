#pragma once

#include <string_view>

/// The tables of modules under the physical rules, in the form that module.hpp reads.
///
/// Batch is the micro-batch of all data-parallel ranks together; it is cut over dp and ep, since ranks that share out
/// the experts have tokens of their own everywhere else. `Edge` is the extent of the sequence on one rank between the
/// parallel parts. Operations cost multiply-adds of the matrix units; element-wise work costs memory traffic alone,
/// which follows from operands and result. Views (alias, slice, reshape) are free. In the backward rows the gradient of
/// the input comes before that of the weights, so that it can be communicated while those are computed.
namespace triosim::symbolic::physical::tables {

inline constexpr std::string_view norm = R"(
let edge = [Batch/(dp*ep), Edge, Dmodel]
x  = input edge
y  = unary(0) x edge
dy = input edge
dx = binary(0) dy edge, x edge
)";

/// `dy` comes from behind, `side` from the branch that was added.
inline constexpr std::string_view residual = R"(
let edge = [Batch/(dp*ep), Edge, Dmodel]
x1   = input edge
x2   = input edge
y    = add x1 edge, x2 edge
dy   = input edge
side = input edge
dx   = add dy edge, side edge
)";

/// Fused attention over the whole sequence: two products forward, four backward, each Seq x Seq x HeadDim for every
/// head. Keys and values are gathered over the context axis, again for the backward pass, and their gradients
/// scattered.
inline constexpr std::string_view attention = R"(
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let heads  = [Batch/(dp*ep), Seq/cp, HeadDim, Head/tp]
let keys   = [Batch/(dp*ep), Seq/cp, HeadDim, 2*KVHead/tp]
let whole  = [Batch/(dp*ep), Seq, HeadDim, 2*KVHead/tp]
let parts  = [Batch/(dp*ep), Seq, HeadDim, 2*KVHead/tp | 1/cp]
let packed = [Batch/(dp*ep), Seq/cp, HeadDim, (Head + 2*KVHead)/tp]
let w_in   = [Dmodel, HeadDim, (Head + 2*KVHead)/tp]
let w_out  = [HeadDim, Head/tp, Dmodel]
x     = input edge
wqkv  = weight w_in
wo    = weight w_out
qkv   = einsum(bsm,mdh->bsdh) x tokens, wqkv w_in
q     = slice(3: Head/tp) qkv packed
kv    = slice(3: 2*KVHead/tp) qkv packed
kv1   = alias kv whole
core  = custom(2*Batch*Seq**2*HeadDim*Head/(dp*ep*cp*tp)) q heads -> heads after kv1
o1    = einsum(bsdh,dhm->bsm) core heads, wo w_out
o     = alias o1 edge
do    = input edge
do1   = alias do tokens
dcore = einsum(bsm,dhm->bsdh) do1 tokens, wo w_out
dwo   = einsum(bsdh,bsm->dhm) core heads, do1 tokens gradient of wo
kv2   = alias kv whole
dq    = custom(4*Batch*Seq**2*HeadDim*Head/(dp*ep*cp*tp)) dcore heads -> heads after q, kv2, core
dkv   = reshape dq heads -> parts
dkv1  = alias dkv keys
dqkv  = slice(3: (Head + 2*KVHead)/tp) dq heads, dkv1 keys
dx1   = einsum(bsdh,mdh->bsm) dqkv packed, wqkv w_in
dx    = alias dx1 edge
dwqkv = einsum(bsm,bsdh->mdh) x tokens, dqkv packed gradient of wqkv
)";

inline constexpr std::string_view feed_forward = R"(
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let inner  = [Batch/(dp*ep), Seq/cp, Dff/tp]
let w_in   = [Dmodel, Dff/tp]
let w_out  = [Dff/tp, Dmodel]
x     = input edge
wup   = weight w_in
wdown = weight w_out
up    = einsum(bsm,mf->bsf) x tokens, wup w_in
act   = unary(0) up inner
down  = einsum(bsf,fm->bsm) act inner, wdown w_out
y     = alias down edge
dy    = input edge
dy1   = alias dy tokens
dact  = einsum(bsm,fm->bsf) dy1 tokens, wdown w_out
dwdown = einsum(bsf,bsm->fm) act inner, dy1 tokens gradient of wdown
dup   = binary(0) dact inner, up inner
dx1   = einsum(bsf,mf->bsm) dup inner, wup w_in
dx    = alias dx1 edge
dwup  = einsum(bsm,bsf->mf) x tokens, dup inner gradient of wup
)";

/// Gate and up projection are one matrix of twice the width.
inline constexpr std::string_view gated_feed_forward = R"(
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let inner  = [Batch/(dp*ep), Seq/cp, Dff/tp]
let both   = [Batch/(dp*ep), Seq/cp, 2*Dff/tp]
let w_in   = [Dmodel, 2*Dff/tp]
let w_out  = [Dff/tp, Dmodel]
x     = input edge
wup   = weight w_in
wdown = weight w_out
up    = einsum(bsm,mf->bsf) x tokens, wup w_in
act   = custom(0) up both -> inner
down  = einsum(bsf,fm->bsm) act inner, wdown w_out
y     = alias down edge
dy    = input edge
dy1   = alias dy tokens
dact  = einsum(bsm,fm->bsf) dy1 tokens, wdown w_out
dwdown = einsum(bsf,bsm->fm) act inner, dy1 tokens gradient of wdown
dup   = custom(0) dact inner -> both after up
dx1   = einsum(bsf,mf->bsm) dup both, wup w_in
dx    = alias dx1 edge
dwup  = einsum(bsm,bsf->mf) x tokens, dup both gradient of wup
)";

/// A mixture of gated experts. Every token goes to KExperts of them, evenly; the experts are cut over ep and each of
/// them over tp. Tokens are sorted by expert, exchanged over ep, gathered over tp, and go back the same way.
inline constexpr std::string_view experts = R"(
let edge    = [Batch/(dp*ep), Edge, Dmodel]
let scores  = [Batch/(dp*ep), Edge, Experts]
let sorted  = [Experts, Batch*Edge*KExperts/(Experts*dp*ep), Dmodel]
let arrived = [Experts/ep, Batch*Edge*KExperts/(Experts*dp), Dmodel]
let tokens  = [Experts/ep, Batch*Seq*KExperts/(Experts*dp*cp), Dmodel]
let inner   = [Experts/ep, Batch*Seq*KExperts/(Experts*dp*cp), ExpertDff/tp]
let both    = [Experts/ep, Batch*Seq*KExperts/(Experts*dp*cp), 2*ExpertDff/tp]
let w_route = [Dmodel, Experts]
let w_in    = [Experts/ep, Dmodel, 2*ExpertDff/tp]
let w_out   = [Experts/ep, ExpertDff/tp, Dmodel]
x        = input edge
wrouter  = weight w_route
wup      = weight w_in
wdown    = weight w_out
route    = einsum(bsm,me->bse) x edge, wrouter w_route
dispatch = custom(0) x edge -> sorted after route
xa       = alias dispatch arrived
up       = einsum(etm,emf->etf) xa tokens, wup w_in
act      = custom(0) up both -> inner
down     = einsum(etf,efm->etm) act inner, wdown w_out
ya       = alias down arrived
yb       = alias ya sorted
y        = custom(0) yb sorted -> edge after route
dy       = input edge
dyb      = custom(0) dy edge -> sorted after route
dya      = alias dyb arrived
dact     = einsum(etm,efm->etf) dya tokens, wdown w_out
dwdown   = einsum(etf,etm->efm) act inner, dya tokens gradient of wdown
dup      = custom(0) dact inner -> both after up
dx1      = einsum(etf,emf->etm) dup both, wup w_in
dx2      = alias dx1 arrived
dx3      = alias dx2 sorted
dwup     = einsum(etm,etf->emf) xa tokens, dup both gradient of wup
droute   = custom(0) dy edge -> scores after yb, route
dx4      = einsum(bse,me->bsm) droute scores, wrouter w_route
dx       = custom(0) dx3 sorted -> edge after dx4
dwrouter = einsum(bsm,bse->me) x edge, droute scores gradient of wrouter
)";

/// Rows are looked up in the part of the vocabulary that a rank of the tensor axis has; the others' rows count as zero.
inline constexpr std::string_view embedding = R"(
let ids    = [Batch/(dp*ep), Seq/cp]
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let sums   = [Batch/(dp*ep), Seq/cp, Dmodel | Dvocal/tp]
x  = input ids
w  = weight [Dvocal/tp, Dmodel]
y1 = custom(0) x ids -> sums
y  = alias y1 edge
dy = input edge
dw = custom(0) dy tokens -> [Dvocal/tp, Dmodel | Batch*Seq/(dp*ep*cp)] gradient of w
)";

/// Norm, a head whose vocabulary is cut over the tensor axis, and cross entropy, for which the ranks exchange no logits
/// but two numbers for each token.
inline constexpr std::string_view head = R"(
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let logits = [Batch/(dp*ep), Seq/cp, Dvocal/tp]
let sums   = [Batch/(dp*ep), Seq/cp, 2 | Dvocal/tp]
let stats  = [Batch/(dp*ep), Seq/cp, 2]
let matrix = [Dmodel, Dvocal/tp]
x      = input edge
w      = weight matrix
norm   = unary(0) x edge
logit  = einsum(bsm,mv->bsv) norm tokens, w matrix
sum    = custom(0) logit logits -> sums
stat   = alias sum stats
loss   = custom(0) logit logits -> stats after stat
dlogit = custom(0) logit logits -> logits after loss
dx1    = einsum(bsv,mv->bsm) dlogit logits, w matrix
dnorm  = alias dx1 edge
dx     = binary(0) dnorm edge, x edge
dw     = einsum(bsm,bsv->mv) norm tokens, dlogit logits gradient of w
)";

} // namespace triosim::symbolic::physical::tables
