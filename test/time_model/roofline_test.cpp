#include <triosim/error.hpp>
#include <triosim/time_model/roofline.hpp>

#include <doctest/doctest.h>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("arithmetic or traffic, whichever is longer, after a launch") {
  const time_model::Roofline roof{100e12, 1000_GBps, 2_us};
  Operation operation;
  CHECK_FALSE(roof.duration(operation));
  operation.flops = Flops{1e9};
  CHECK(roof.duration(operation) == 12_us);
  operation.bytes = 50_MB;
  CHECK(roof.duration(operation) == 52_us);
  CHECK_THROWS_AS((time_model::Roofline{0, 1_GBps}), ConfigError);
  CHECK_THROWS_AS((time_model::Roofline{1, Bandwidth{}}), ConfigError);
}
