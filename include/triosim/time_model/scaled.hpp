#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace triosim::time_model {

/// The recorded time brought to another batch size. Forward and backward work is proportional to the batch but for a
/// fixed part (launches, the reading of weights); the optimizer touches weights, whose size no batch changes:
///
///     forward, backward   recorded x share x (fixed + (1 - fixed) x batch_ratio)
///     optimizer           recorded x share
///
/// With `fixed = 0` (the default) time is proportional to the batch, which is good for large kernels and too short for
/// small batches: kernels have a floor. Two traces at two batch sizes tell the fixed part.
class Scaled {
 public:
  Scaled() = default;
  /// Throws `ConfigError` unless 0 <= fixed <= 1.
  explicit Scaled(double fixed) : fixed_{fixed} {
    if (!(fixed >= 0 && fixed <= 1)) throw ConfigError{"fixed part", std::to_string(fixed), "0 to 1"};
  }

  std::optional<Time> duration(const Operation& operation) const {
    if (!operation.recorded) return std::nullopt;
    const double batch = operation.stage == Stage::Optimizer ? 1.0 : fixed_ + (1.0 - fixed_) * operation.batch_ratio;
    return Time{std::llround(static_cast<double>(operation.recorded->picoseconds()) * operation.share * batch)};
  }

 private:
  double fixed_ = 0;
};

} // namespace triosim::time_model
