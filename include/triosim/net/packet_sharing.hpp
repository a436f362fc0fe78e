#pragma once

#include "triosim/net/equal_split.hpp"
#include "triosim/net/shared_network.hpp"
#include "triosim/topology/least_bandwidth.hpp"
#include "triosim/topology/routing.hpp"

namespace triosim::net {

/// Each link divides its bandwidth equally among the messages on it, and what one of them cannot use is left unused.
using PacketSharing = SharedNetwork<EqualSplit, topology::ShortestHops>;

namespace classic {

/// The published TrioSim's packet-switching network, number for number: equal division, the least sum of
/// bandwidths as the route, no latency.
using PacketSharing = SharedNetwork<EqualSplit, topology::LeastBandwidth, NoLatency>;

} // namespace classic

} // namespace triosim::net
