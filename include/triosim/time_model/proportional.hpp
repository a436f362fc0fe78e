#pragma once

#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <cmath>
#include <optional>

namespace triosim::time_model {

/// The recorded time in proportion to the batch and to the task's share, for every operator, the optimizer's too: the
/// published rule. See Scaled for one that knows better.
struct Proportional {
  std::optional<Time> duration(const Operation& operation) const {
    if (!operation.recorded) return std::nullopt;
    return Time::from_seconds(seconds(operation));
  }

  /// The same unrounded, for rules that ask: (recorded / (traced / simulated)) / parts, in this order. The operation
  /// has a record.
  double seconds(const Operation& operation) const {
    const double whole = static_cast<double>(operation.recorded->picoseconds()) / 1e12;
    const double parts = 1 / operation.share, number = std::round(parts);
    return whole / (1 / operation.batch_ratio) / (std::abs(parts - number) < 1e-9 * parts ? number : parts);
  }
};

} // namespace triosim::time_model
