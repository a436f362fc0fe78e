#include <triosim/units.hpp>

#include <doctest/doctest.h>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("time is an integer count of picoseconds") {
  CHECK(1_us == Time{1'000'000});
  CHECK(Time::from_seconds(0.094038) == 94'038_us);
  CHECK(Time::from_seconds(1e-12 * 0.6) == 1_ps);
  CHECK((3_ns + 2_ns) - 1_ns == 4_ns);
  CHECK((2_ms).seconds() == doctest::Approx(0.002));
  CHECK_THROWS_AS(Time::from_seconds(1e7), ConfigError);
  CHECK_THROWS_AS(Time::from_seconds(std::nan("")), ConfigError);
}

TEST_CASE("bytes over bandwidth is a time; nothing to send takes no time; no bandwidth takes for ever") {
  CHECK(65_GB / 65_GBps == 1_s);
  CHECK(50_GB / 400_Gbps == 1_s);
  CHECK(0_B / Bandwidth{} == Time{});
  CHECK(1_B / Bandwidth{} == Time::infinity());
}

TEST_CASE("units are read from text: GB is 1e9 bytes, GiB is 2^30, Gb is 1e9 bits") {
  CHECK(parse_bandwidth("65 GB/s") == 65_GBps);
  CHECK(parse_bandwidth("400Gb/s") == 50_GBps);
  CHECK(parse_bytes("40 GiB") == 40_GiB);
  CHECK(parse_bytes("25 MB") == 25_MB);
  CHECK(parse_time("1.5 us") == 1500_ns);
  CHECK_THROWS_WITH_AS(parse_bytes("40"), "bytes: found \"40\", expected a number with a unit, such as 80 GB or 40 GiB",
                       ConfigError);
  CHECK_THROWS_AS(parse_bandwidth("-1 GB/s"), ConfigError);
  CHECK_THROWS_AS(parse_time("nan s"), ConfigError);
  CHECK_THROWS_AS(parse_bytes("1e30 B"), ConfigError);
}
