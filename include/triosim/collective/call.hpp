#pragma once

#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace triosim {

enum class CollectiveType : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Barrier
};

constexpr std::string_view to_string(CollectiveType type) noexcept {
  constexpr std::string_view names[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
                                        "reduce",     "gather",     "scatter",        "barrier"};
  return names[static_cast<std::size_t>(type)];
}

} // namespace triosim

namespace triosim::collective {

/// One collective as its members see it: what a network that knows closed forms is asked about.
struct Call {
  CollectiveType type = CollectiveType::AllReduce;
  std::uint32_t members = 1;
  /// The whole buffer of one member; see `triosim::Collective`.
  Bytes bytes;
};

} // namespace triosim::collective
