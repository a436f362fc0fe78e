#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <optional>
#include <string>

namespace triosim::time_model {

/// The same time for every task: for closed forms, for schedules on paper, and as the last of FirstOf.
class Constant {
 public:
  Constant() = default;
  /// Throws `ConfigError` for a negative time.
  explicit Constant(Time time) : time_{time} {
    if (time < Time{}) throw ConfigError{"constant time", std::to_string(time.seconds()) + " s", "zero or more"};
  }

  std::optional<Time> duration(const Operation&) const { return time_; }

 private:
  Time time_;
};

} // namespace triosim::time_model
