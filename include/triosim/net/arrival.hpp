#pragma once

#include "triosim/units.hpp"

namespace triosim::net {

/// `takes` after `now`; `Time::infinity()` for what takes for ever or longer than time can be counted.
constexpr Time arrival(Time now, Time takes) noexcept {
  return takes >= Time::infinity() - now ? Time::infinity() : now + takes;
}

} // namespace triosim::net
