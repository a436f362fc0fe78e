#pragma once

#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>

namespace triosim::net {

using MessageId = std::uint32_t;

/// So many bytes from one node of the topology to another.
struct Message {
  topology::NodeId source = 0;
  topology::NodeId destination = 0;
  Bytes bytes;
  /// Chosen by the sender; unique among the messages in flight.
  MessageId id = 0;
};

} // namespace triosim::net
