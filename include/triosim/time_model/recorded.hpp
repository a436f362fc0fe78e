#pragma once

#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <cmath>
#include <optional>

namespace triosim::time_model {

/// What the trace says: the recorded time, or the task's share of it where ranks divide the operator.
/// Knows nothing of other batch sizes than the trace's (see Scaled), and nothing of operators without a record.
struct Recorded {
  std::optional<Time> duration(const Operation& operation) const {
    if (!operation.recorded || operation.batch_ratio != 1) return std::nullopt;
    if (operation.share == 1) return operation.recorded;
    return Time{std::llround(static_cast<double>(operation.recorded->picoseconds()) * operation.share)};
  }
};

} // namespace triosim::time_model
