#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace triosim::time_model {

/// The roofline (Williams, Waterman, Patterson, CACM 2009): arithmetic at the peak or traffic at the memory's
/// bandwidth, whichever takes longer, and a launch before it. Does not know operations without arithmetic and traffic.
class Roofline {
 public:
  Roofline() = default;
  /// `flops` per second, launches of zero or more. Throws `ConfigError` for a peak or a bandwidth of nothing.
  Roofline(double flops, Bandwidth memory, Time launch = {}) : flops_{flops}, memory_{memory}, launch_{launch} {
    if (!(flops > 0)) throw ConfigError{"peak", std::to_string(flops), "more than 0 FLOP/s"};
    if (!(memory > Bandwidth{})) throw ConfigError{"memory bandwidth", "0", "more than 0"};
  }

  std::optional<Time> duration(const Operation& operation) const {
    if (!(operation.flops.count() > 0) && operation.bytes == Bytes{}) return std::nullopt;
    return launch_ + std::max(Time::from_seconds(operation.flops.count() / flops_), operation.bytes / memory_);
  }

 private:
  double flops_ = 1e12;
  Bandwidth memory_{1e12};
  Time launch_;
};

} // namespace triosim::time_model
