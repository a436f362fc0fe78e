#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace triosim::report {

/// As many parallel lanes as things overlap: each takes the lowest one that is free.
class Lanes {
 public:
  std::uint32_t take() {
    if (free_.empty()) return used_++;
    std::pop_heap(free_.begin(), free_.end(), std::greater<>{});
    const std::uint32_t lane = free_.back();
    free_.pop_back();
    return lane;
  }
  void give_back(std::uint32_t lane) {
    free_.push_back(lane);
    std::push_heap(free_.begin(), free_.end(), std::greater<>{});
  }
  /// Whether this is the first time that the lane shows.
  bool introduce(std::uint32_t lane) {
    if (introduced_.size() <= lane) introduced_.resize(std::size_t{lane} + 1, false);
    if (introduced_[lane]) return false;
    introduced_[lane] = true;
    return true;
  }

 private:
  std::vector<std::uint32_t> free_;
  std::vector<bool> introduced_;
  std::uint32_t used_ = 0;
};

} // namespace triosim::report
