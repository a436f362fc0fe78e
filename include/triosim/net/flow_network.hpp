#pragma once

#include "triosim/net/max_min.hpp"
#include "triosim/net/shared_network.hpp"
#include "triosim/topology/routing.hpp"

namespace triosim::net {

/// Max-min fair sharing of the links of any topology: what congestion control of long messages comes to. Agrees with
/// SimGrid's CM02 model (TCP-gamma 0, no cross-traffic, factors of 1) to 1e-6 and better.
using FlowNetwork = SharedNetwork<MaxMin, topology::ShortestHops>;

/// The same, with messages spread over equally short ways (ECMP).
using SpreadFlowNetwork = SharedNetwork<MaxMin, topology::SpreadHops>;

} // namespace triosim::net
