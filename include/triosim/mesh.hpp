#pragma once

#include "triosim/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim {

/// One way in which ranks differ: "tp", "dp", "pp", ... and how many values it takes.
struct Axis {
  std::string name;
  std::uint32_t size = 1;
};

/// The ranks as a box of named axes. The first axis is the fastest: rank = c0 + size0 * (c1 + size1 * (c2 + ...)).
/// Megatron's order is tp, cp, ep, dp, pp.
class DeviceMesh {
 public:
  DeviceMesh() = default;
  /// Throws `ConfigError` for a size of zero, two axes of one name, or more than 2^31 ranks.
  explicit DeviceMesh(std::vector<Axis> axes) : axes_{std::move(axes)} {
    std::uint64_t stride = 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].size == 0) throw ConfigError{axes_[i].name, "0", "1 or more"};
      for (std::size_t j = 0; j < i; ++j)
        if (axes_[j].name == axes_[i].name) throw ConfigError{"axis", axes_[i].name, "each name once"};
      strides_.push_back(static_cast<std::uint32_t>(stride));
      stride *= axes_[i].size;
      if (stride > 0x7FFFFFFF) throw ConfigError{"mesh", std::to_string(stride), "at most 2147483647 ranks"};
    }
    ranks_ = static_cast<std::uint32_t>(stride);
  }

  std::uint32_t ranks() const noexcept { return ranks_; }
  std::size_t dimensions() const noexcept { return axes_.size(); }
  const Axis& axis(std::size_t i) const { return axes_[i]; }
  std::uint32_t stride(std::size_t i) const { return strides_[i]; }
  std::uint32_t coordinate(std::uint32_t rank, std::size_t i) const { return rank / strides_[i] % axes_[i].size; }

  /// The position of an axis. Throws `ConfigError` where there is none of that name.
  std::size_t index(std::string_view name) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].name == name) return i;
    std::string known;
    for (const Axis& axis : axes_)
      known.append(known.empty() ? "" : ", ").append(axis.name);
    throw ConfigError{"axis", std::string{name}, "one of " + known};
  }

 private:
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t ranks_ = 1;
};

} // namespace triosim
