#pragma once

#include "triosim/error.hpp"

#include <cstdint>
#include <string>

namespace triosim::strategy {

/// The batch that was traced and the one to simulate, in samples. Data-parallel strategies give `simulated` to each
/// rank; tensor and pipeline parallel ranks share it.
struct Batch {
  std::uint32_t traced = 1;
  std::uint32_t simulated = 1;

  double ratio() const { return static_cast<double>(simulated) / static_cast<double>(traced); }

  /// Throws `ConfigError` for a batch of nothing.
  void validate() const {
    if (traced == 0) throw ConfigError{"batch of the trace", "0", "1 or more"};
    if (simulated == 0) throw ConfigError{"batch to simulate", "0", "1 or more"};
  }
};

} // namespace triosim::strategy
