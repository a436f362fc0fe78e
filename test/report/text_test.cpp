#include <triosim/report/text.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("quantities for people have four digits and a unit that fits") {
  using report::readable;
  CHECK(readable(Time{}) == "0 s");
  CHECK(readable(7_ps) == "7 ps");
  CHECK(readable(1_us) == "1.000 us");
  CHECK(readable(Time{94'038'200'000}) == "94.04 ms");
  CHECK(readable(Time{999'949'000}) == "999.9 us");
  CHECK(readable(Time{999'950'000}) == "1.000 ms");
  CHECK(readable(Time{9'999'400'000}) == "9.999 ms");
  CHECK(readable(Time{9'999'600'000}) == "10.00 ms");
  CHECK(readable(5'000_s) == "5000 s");
  CHECK(readable(Time{-94'038'200'000}) == "-94.04 ms");
  CHECK(readable(Time::infinity()) == "for ever");
  CHECK(readable(0_B) == "0 B");
  CHECK(readable(999_B) == "999 B");
  CHECK(readable(1_KB) == "1.000 KB");
  CHECK(readable(17'034_MB) == "17.03 GB");
  CHECK(readable(Bytes{18'446'744'073'709'551'615u}) == "18.45 EB");
  CHECK(readable(std::uint64_t{0}) == "0");
  CHECK(readable(std::uint64_t{999}) == "999");
  CHECK(readable(std::uint64_t{1'000}) == "1,000");
  CHECK(readable(std::uint64_t{1'234'567}) == "1,234,567");
  CHECK(report::percent(1_us, 3_us) == "33.3%");
  CHECK(report::percent(1_us, Time{}) == "-");
}

namespace {

RankReport rank(Time compute, Time exposed, Time overlapped, Time idle) {
  RankReport rank;
  rank.compute = compute;
  rank.exposed_communication = exposed;
  rank.overlapped_communication = overlapped;
  rank.idle = idle;
  rank.finish = compute + exposed;
  rank.bytes_sent = 12'500_MB;
  rank.messages_sent = 1'234;
  return rank;
}

} // namespace

TEST_CASE("ranks that did the same share a row, and the shares are those of the report") {
  Report report;
  report.total = 100_ms;
  report.events = 54'321;
  report.tasks = 1'280;
  const RankReport busy = rank(80_ms, 15_ms, 5_ms, 5_ms), lazy = rank(40_ms, 10_ms, 0_ms, 50_ms);
  for (int i = 0; i < 10; ++i)
    report.ranks.push_back(i == 4 || i == 5 ? lazy : busy);
  report.phases = {{"forward", 30_ms}, {"backward", 100_ms}};
  CHECK(report::to_text(report) == R"(time of the step  100.0 ms
GPUs              10
rules             physical
tasks, events     1,280, 54,321

where the time goes, over all GPUs
  compute                 72.0%
  communication, exposed  14.0%
  idle                    14.0%
  22.2% of communication is under compute

phase      ends at     takes
forward   30.00 ms  30.00 ms  30.0%
backward  100.0 ms  70.00 ms  70.0%

ranks      compute          exposed         overlapped      idle           finish  messages      sent
0-3, 6-9  80.00 ms  80.0%  15.00 ms  15.0%    5.000 ms  5.000 ms   5.0%  95.00 ms     1,234  12.50 GB
4-5       40.00 ms  40.0%  10.00 ms  10.0%         0 s  50.00 ms  50.0%  50.00 ms     1,234  12.50 GB
)");
}

TEST_CASE("peak memory is shown where it was measured, and too many rows end in a count") {
  Report report;
  report.total = 1_ms;
  for (std::uint64_t i = 0; i < 100; ++i) {
    report.ranks.push_back(rank(1_ms, 0_ms, 0_ms, 0_ms));
    report.ranks.back().peak_memory = Bytes{i * 1'000'000'000 / 2 * 2};
  }
  const std::string text = report::to_text(report, {4});
  CHECK(text.find("peak memory") != std::string::npos);
  CHECK(text.find("2.000 GB") != std::string::npos);
  CHECK(text.find("3.000 GB") == std::string::npos);
  CHECK(text.find("and 97 more ranks, each unlike those above\n") != std::string::npos);
  CHECK(report::to_text(report, {0}).find("and 100 more ranks") != std::string::npos);
}

TEST_CASE("scattered ranks are named by their first runs") {
  Report report;
  for (std::uint32_t i = 0; i < 1'024; ++i)
    report.ranks.push_back(rank(i % 2 == 0 ? 1_ms : 2_ms, 0_ms, 0_ms, 0_ms));
  const std::string text = report::to_text(report);
  CHECK(text.find("\n0, 2, 4 and 509 more ") != std::string::npos);
  CHECK(text.find("\n1, 3, 5 and 509 more ") != std::string::npos);
}

TEST_CASE("a report without ranks and time is still readable") {
  CHECK(report::to_text(Report{}) == "time of the step  0 s\nGPUs              0\nrules             physical\n"
                                     "tasks, events     0, 0\n");
}
