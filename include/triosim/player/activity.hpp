#pragma once

#include "triosim/report/report.hpp"
#include "triosim/units.hpp"

#include <cstdint>

namespace triosim::player {

/// Divides the time of one rank into compute, exposed and overlapped communication, and idleness, as it passes.
class Activity {
 public:
  void compute(bool on, Time now) {
    pass(now);
    computing_ = on;
  }
  /// One more (or one less) thing of this rank is on the wires.
  void communicate(bool more, Time now) {
    pass(now);
    wires_ += more ? 1u : ~0u;
  }
  void finish(Time total) { pass(total); }

  void write(RankReport& report) const {
    report.compute = compute_;
    report.exposed_communication = exposed_;
    report.overlapped_communication = overlapped_;
    report.idle = idle_;
  }

 private:
  void pass(Time now) {
    const Time passed = now - last_;
    last_ = now;
    if (computing_) {
      compute_ += passed;
      if (wires_ > 0) overlapped_ += passed;
    } else if (wires_ > 0) {
      exposed_ += passed;
    } else {
      idle_ += passed;
    }
  }

  Time last_, compute_, exposed_, overlapped_, idle_;
  std::uint32_t wires_ = 0;
  bool computing_ = false;
};

} // namespace triosim::player
