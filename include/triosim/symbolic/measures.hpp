#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/pool.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace triosim::symbolic {

/// The values of expressions under given sizes, each computed once.
class Measures {
 public:
  Measures(const Pool& pool, const Sizes& sizes) : pool_{&pool}, sizes_{&sizes} {}

  const Pool& pool() const noexcept { return *pool_; }

  /// Throws `ConfigError` where a size is missing.
  double value(ExprId id) {
    if (values_.size() <= index(id))
      values_.resize(pool_->expressions.size(), std::numeric_limits<double>::quiet_NaN());
    double& value = values_[index(id)];
    if (std::isnan(value)) value = pool_->expressions.evaluate(id, *sizes_).to_double();
    return value;
  }
  double elements(ShapeId id) { return value(pool_->elements(id)); }

  /// The value without its fraction. Throws `ConfigError` where it does not fit 63 bits.
  std::int64_t whole(ExprId id) {
    const double exact = value(id);
    if (!(exact > -0x1p63 && exact < 0x1p63))
      throw ConfigError{to_text(pool_->expressions, id), std::to_string(exact), "a count below 2^63"};
    return static_cast<std::int64_t>(exact);
  }
  std::int64_t whole_elements(ShapeId id) { return whole(pool_->elements(id)); }

 private:
  const Pool* pool_;
  const Sizes* sizes_;
  std::vector<double> values_;
};

} // namespace triosim::symbolic
