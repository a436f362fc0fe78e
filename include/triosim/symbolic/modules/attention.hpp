#pragma once

#include <string_view>

namespace triosim::symbolic::modules {

/// The projections around attention. Packed is the extent of the heads of query, key and value together, PackedKV that
/// of key and value, and Shared that of key alone: Head/tp with a key for each head, KVHead/tp with grouped keys.
inline constexpr std::string_view attention = R"(
let edge   = [Batch/dp, Edge, Dmodel]
let tokens = [Batch/dp, Seq/cp, Dmodel]
let heads  = [Batch/dp, Seq/cp, Dmodel/Head, Head/tp]
let keys   = [Batch/dp, Seq/cp, Dmodel/Head, Shared]
let pairs  = [Batch/dp, Seq/cp, Dmodel/Head, PackedKV]
let packed = [Batch/dp, Seq/cp, Dmodel/Head, Packed]
let w_in   = [Dmodel, Dmodel/Head, Packed]
let w_out  = [Dmodel/Head, Head/tp, Dmodel]
x     = input edge
wqkv  = weight w_in
qkv   = einsum(bsm,mnh->bsnh) x tokens, wqkv w_in
q     = slice(3: Head/tp) qkv packed
k     = slice(3: Shared) qkv packed
v     = slice(3: Shared) qkv packed
attn  = input heads
wo    = weight w_out
o1    = einsum(bsmh,mhn->bsn) attn heads, wo w_out
o     = alias o1 edge
do    = input edge
do1   = alias do tokens
dattn = einsum(bsn,mhn->bsmh) do1 tokens, wo w_out
dwo   = einsum(bsn,bsmh->mhn) do1 tokens, attn heads gradient of wo
dv    = input keys
dk    = input keys
dq    = input heads
dkv   = slice(3: PackedKV) dv keys, dk keys
dqkv  = slice(3: Packed) dkv pairs, dq heads
dwqkv = einsum(bsnh,bsm->mnh) dqkv packed, x tokens gradient of wqkv
dx1   = einsum(bsnh,mnh->bsm) dqkv packed, wqkv w_in
dx    = alias dx1 edge
)";

/// The fused attention kernel with a key for each head. Keys and values are gathered over the context axis.
inline constexpr std::string_view attention_kernel = R"(
let heads = [Batch/dp, Seq/cp, Dmodel/Head, Head/tp]
let whole = [Batch/dp, Seq, Dmodel/Head, Head/tp]
let parts = [Batch/dp, Seq, Dmodel/Head, Head/tp | 1/cp]
q    = input heads
k    = input heads
v    = input heads
k1   = alias k whole
v1   = alias v whole
qkv  = custom(3*Batch*Seq*Dmodel/(dp*cp*tp)) q heads -> heads after k1, v1
dqkv = input heads
dq   = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> heads
dk   = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> parts
dv   = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> parts
)";

/// The same with grouped keys. The gradients of keys and values come out for every head and are cut afterwards.
inline constexpr std::string_view grouped_attention_kernel = R"(
let heads  = [Batch/dp, Seq/cp, Dmodel/Head, Head/tp]
let keys   = [Batch/dp, Seq/cp, Dmodel/Head, KVHead/tp]
let whole  = [Batch/dp, Seq, Dmodel/Head, KVHead/tp]
let parts  = [Batch/dp, Seq, Dmodel/Head, Head/tp | 1/cp]
q    = input heads
k    = input keys
v    = input keys
k1   = alias k whole
v1   = alias v whole
qkv  = custom(3*Batch*Seq*Dmodel/(dp*cp*tp)) q heads -> heads after k1, v1
dqkv = input heads
dq   = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> heads
dk1  = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> parts
dv1  = custom(6*Batch*Seq*Dmodel/(dp*cp*tp)) dqkv heads -> parts
dk   = slice(3: KVHead/tp) dk1 heads
dv   = slice(3: KVHead/tp) dv1 heads
)";

} // namespace triosim::symbolic::modules
