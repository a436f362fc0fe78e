#pragma once

#include "triosim/error.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim {

/// What does not stay as it is while a step runs: devices that are slower or faster than others, or fail; links that
/// lose bandwidth, or fail. Part of the machine (Cluster).
struct Scenario {
  /// From `at` on the device computes at `speed` times its speed; 0: it has failed. At 0 s: it is of another kind.
  struct DeviceChange {
    Time at;
    std::uint32_t rank = 0;
    double speed = 1;
  };
  /// From `at` on all links between two nodes, both ways, have `bandwidth` times what they were built with; 0: they
  /// have failed, and routes stay.
  struct LinkChange {
    Time at;
    std::uint32_t a = 0, b = 0;
    double bandwidth = 1;
  };

  std::vector<DeviceChange> devices;
  std::vector<LinkChange> links;

  bool empty() const noexcept { return devices.empty() && links.empty(); }
};

/// When the work of devices ends whose speed changes. Made once for a run; asked for each compute task.
class Pace {
 public:
  Pace() = default;
  /// Throws `ConfigError` for devices that do not exist, and speeds below 0.
  Pace(const Scenario& scenario, std::uint32_t ranks) {
    if (scenario.devices.empty()) return;
    changes_.resize(ranks);
    for (const Scenario::DeviceChange& change : scenario.devices) {
      if (change.rank >= ranks)
        throw ConfigError{"rank of a device change", std::to_string(change.rank), "below " + std::to_string(ranks)};
      if (!(change.speed >= 0 && change.speed <= 1e6) || change.at < Time{})
        throw ConfigError{"speed of a device", std::to_string(change.speed), "0 to 10^6, at 0 s or later"};
      changes_[change.rank].push_back({change.at, change.speed});
    }
    for (auto& list : changes_)
      std::stable_sort(list.begin(), list.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  }

  /// The end of work that would take `work` at full speed; infinity where the device fails before.
  Time end(std::uint32_t rank, Time start, Time work) const {
    if (changes_.empty() || changes_[rank].empty()) return start + work;
    double left = static_cast<double>(work.picoseconds()), speed = 1;
    Time now = start;
    for (const Change& change : changes_[rank]) {
      if (change.at > now) {
        const double possible = static_cast<double>((change.at - now).picoseconds()) * speed;
        if (possible >= left) break;
        left -= possible;
        now = change.at;
      }
      speed = change.speed;
    }
    if (!(left > 0)) return now;
    if (!(speed > 0)) return Time::infinity();
    const double takes = left / speed;
    return takes < 9e18 - static_cast<double>(now.picoseconds()) ? now + Time{std::llround(takes)} : Time::infinity();
  }

 private:
  struct Change {
    Time at;
    double speed;
  };
  std::vector<std::vector<Change>> changes_; // of each rank; empty where none changes
};

} // namespace triosim
