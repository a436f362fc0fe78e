#pragma once

namespace triosim::memory {

/// Every tensor is where it is needed and nothing is counted. Costs nothing.
struct Unbounded {
  static constexpr bool keeps_account = false;
};

} // namespace triosim::memory
