#pragma once

#include <string_view>

namespace triosim::symbolic::modules {

/// What lies around the experts of a mixture: router, dispatch, combination.
inline constexpr std::string_view expert_frame = R"(
let edge   = [Batch/dp, Edge, Dmodel]
let slices = [Batch/dp, Edge, Dmodel/ep]
let copies = [Batch/dp, Edge*KExperts, Dmodel/ep]
let routed = [Batch/dp, Edge*KExperts/ep, Dmodel]
let scores = [Batch/dp, Edge, KExperts]
let column = [Batch/dp, Edge*KExperts, 1]
x         = input edge
wrouter   = weight [Dmodel/ep, KExperts]
yrouter   = einsum(bsm,mn->bsn) x edge, wrouter [Dmodel, KExperts]
yrouter2  = reshape yrouter scores -> column
x1        = broadcast(1: KExperts) x slices
xrouted   = alias x1 routed
yrouted   = input routed
y1        = alias yrouted copies
yrouter3  = slice(2: Dmodel/ep) yrouter2 column
y2        = binary(1) y1 copies, yrouter3 copies
y         = broadcast(1: 1/KExperts) y2 copies
dy        = input slices
dy2       = broadcast(1: KExperts) dy slices
dy1       = binary(1) dy2 copies, yrouter3 copies
dyrouter3 = binary(1) dy2 copies, y1 copies
dyrouter2 = slice(2: 1) dyrouter3 copies
dyrouted  = alias dy1 routed
dyrouter  = reshape dyrouter2 column -> scores
dwrouter  = einsum(bsn,bsm->mn) dyrouter scores, x slices gradient of wrouter
dx01      = einsum(bsn,mn->bsm) dyrouter scores, wrouter [Dmodel/ep, KExperts]
dxrouted  = input routed
dx1       = alias dxrouted copies
dx02      = broadcast(1: 1/KExperts) dx1 copies
dx        = add dx01 slices, dx02 slices
)";

/// What lies around one expert: its share of the routed tokens is cut out and put back.
inline constexpr std::string_view expert_wrapper = R"(
let routed = [Batch/dp, Edge*KExperts/ep, Dmodel]
let own    = [Batch/dp, Edge*KExperts/(Experts*ep), Dmodel]
x         = input routed
x_expert  = slice(1: Edge*KExperts/(Experts*ep)) x routed
dx_expert = input own
dx        = slice(1: Edge*KExperts/ep) dx_expert own
y_expert  = input own
y         = slice(1: Edge*KExperts/ep) y_expert own
dy        = input routed
dy_expert = slice(1: Edge*KExperts/(Experts*ep)) dy routed
)";

} // namespace triosim::symbolic::modules
