#include <triosim/report/json.hpp>

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <limits>
#include <string>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("numbers are written exactly: what is read back is the double nearest to the picoseconds") {
  const auto scaled = [](std::int64_t value, std::size_t places) {
    std::string out;
    io::append_scaled(out, value, places);
    return out;
  };
  CHECK(scaled(0, 12) == "0");
  CHECK(scaled(1, 12) == "0.000000000001");
  CHECK(scaled(36'000'000, 12) == "0.000036");
  CHECK(scaled(1'000'000'000'000, 12) == "1");
  CHECK(scaled(12'000'000'000'001, 12) == "12.000000000001");
  CHECK(scaled(1'234'567, 6) == "1.234567");
  CHECK(scaled(-1'500'000, 6) == "-1.5");
  CHECK(scaled(42, 0) == "42");
  CHECK(scaled(std::numeric_limits<std::int64_t>::min(), 12) == "-9223372.036854775808");
  CHECK(scaled(std::numeric_limits<std::int64_t>::max(), 12) == "9223372.036854775807");
  CHECK((36_us).seconds() == 0.000036);
}

TEST_CASE("a report as JSON has every field, and odd names do no harm") {
  Report report;
  report.total = 94'038'123_ns;
  report.events = 12;
  report.tasks = 7;
  report.rules = "classic";
  report.phases = {{"forward", 30_ms}, {"a \"quoted\"\nname \x01 \xff", 94'038'123_ns}};
  RankReport rank;
  rank.compute = 90_ms;
  rank.exposed_communication = 4_ms;
  rank.overlapped_communication = 1_ms;
  rank.idle = 38'123_ns;
  rank.finish = 94'038'123_ns;
  rank.peak_memory = Bytes{18'446'744'073'709'551'615u};
  rank.bytes_sent = 3_GB;
  rank.messages_sent = 5;
  report.ranks = {RankReport{}, rank};

  rapidjson::Document json;
  json.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag>(
      report::to_json(report).c_str());
  REQUIRE(!json.HasParseError());
  CHECK(std::string{json["schema"].GetString()} == "triosim.report/1");
  CHECK(json["simulated_time_s"].GetDouble() == 0.094038123);
  CHECK(std::string{json["rules"].GetString()} == "classic");
  CHECK(json["gpus"].GetUint64() == 2);
  CHECK(json["events"].GetUint64() == 12);
  CHECK(json["tasks"].GetUint64() == 7);
  REQUIRE(json["phases"].Size() == 2);
  CHECK(std::string{json["phases"][0]["name"].GetString()} == "forward");
  CHECK(json["phases"][0]["end_s"].GetDouble() == 0.03);
  CHECK(std::string{json["phases"][1]["name"].GetString()} == "a \"quoted\"\nname \x01 \xef\xbf\xbd");
  REQUIRE(json["ranks"].Size() == 2);
  CHECK(json["ranks"][0]["rank"].GetUint64() == 0);
  CHECK(json["ranks"][0]["compute_s"].GetDouble() == 0);
  const auto& one = json["ranks"][1];
  CHECK(one["rank"].GetUint64() == 1);
  CHECK(one["compute_s"].GetDouble() == 0.09);
  CHECK(one["exposed_communication_s"].GetDouble() == 0.004);
  CHECK(one["overlapped_communication_s"].GetDouble() == 0.001);
  CHECK(one["idle_s"].GetDouble() == 0.000038123);
  CHECK(one["finish_s"].GetDouble() == 0.094038123);
  CHECK(one["peak_memory_bytes"].GetUint64() == 18'446'744'073'709'551'615u);
  CHECK(one["bytes_sent"].GetUint64() == 3'000'000'000u);
  CHECK(one["messages_sent"].GetUint64() == 5);
}

TEST_CASE("an empty report is JSON too") {
  rapidjson::Document json;
  json.Parse(report::to_json(Report{}).c_str());
  REQUIRE(!json.HasParseError());
  CHECK(json["gpus"].GetUint64() == 0);
  CHECK(json["phases"].Empty());
  CHECK(json["ranks"].Empty());
}
