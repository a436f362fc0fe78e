#include <triosim/report/csv.hpp>

#include <doctest/doctest.h>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("a row for each rank, exact to the picosecond") {
  Report report;
  report.ranks.resize(2);
  report.ranks[1] = {1_us, 2_ns, 3_ps, Time{}, 4_s, 5_GB, 6_B, 7};
  CHECK(
      report::to_csv(report) ==
      "rank,compute_s,exposed_communication_s,overlapped_communication_s,idle_s,finish_s,peak_memory_bytes,bytes_sent,"
      "messages_sent\n0,0,0,0,0,0,0,0,0\n1,0.000001,0.000000002,0.000000000003,0,4,5000000000,6,7\n");
}
