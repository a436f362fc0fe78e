#include <triosim/io/flow_scenario.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

std::vector<io::FlowScenario> parse(const std::string& text) {
  return io::parse_flow_scenarios(text, "f.json");
}

// A file with one scenario of two links and the given flows.
std::string with_flows(const std::string& flows) {
  return R"({"scenarios": [{"name": "s", "links": [{"bw_Bps": 1e9, "lat_s": 1e-6}, {"bw_Bps": 0}], "flows": [)" +
         flows + "]}]}";
}

} // namespace

TEST_CASE("scenarios are read: what may be left out, and what else a file says about itself") {
  const auto scenarios = parse(R"({"generator": "by hand", "scenarios": [
    {"name": "two", "topology": "one link", "links": [{"bw_Bps": 1000000000, "lat_s": 2e-6}],
     "flows": [{"bytes": 1e6, "route": [0]}, {"start_s": 0.5, "bytes": 0, "route": [], "after": [0], "finish_s": 1}]}]})");
  REQUIRE(scenarios.size() == 1);
  CHECK(scenarios[0].name == "two");
  CHECK(scenarios[0].links[0].latency == 2_us);
  CHECK(scenarios[0].flows[0].bytes == 1_MB);
  CHECK(scenarios[0].flows[1].after == std::vector<std::uint32_t>{0});
  CHECK(io::play(scenarios[0]) == std::vector<Time>{1002_us, 500_ms});
}

TEST_CASE("a flow starts when those it waits for have finished, and not before its time") {
  const auto scenario = parse(with_flows(R"({"bytes": 1000000, "route": [0]},
    {"bytes": 1000000, "route": [0], "after": [0]}, {"bytes": 1000000, "route": [0], "start_s": 1, "after": [0, 1]})"))
      [0];
  CHECK(io::play(scenario) == std::vector<Time>{1001_us, 2002_us, 1_s + 1001_us});
}

TEST_CASE("what is wrong is named with its place") {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "f.json: byte 0: The document is empty."},
      {"{\"scenarios\": [", "f.json: byte 15: Invalid value."},
      {"[]", "f.json: found a list, expected an object"},
      {"{}", "f.json: found no scenario, expected \"scenarios\": a list of one or more"},
      {R"({"scenarios": 3})", "f.json: scenarios: found 3, expected a list"},
      {R"({"scenarios": [{"links": [], "flows": []}]})",
       "f.json: scenarios[0]: found no \"name\", expected name, links, flows"},
      {R"({"scenarios": [{"name": "a", "name": "b"}]})", "f.json: scenarios[0].name: found twice, expected once"},
      {R"({"scenarios": [{"name": 7}]})", "f.json: scenarios[0].name: found 7, expected a text"},
      {R"({"scenarios": [{"links": [{"bw_Bps": -1}]}]})",
       "f.json: scenarios[0].links[0].bw_Bps: found -1, expected bytes per second, 0 to 1e18"},
      {R"({"scenarios": [{"links": [{"lat_s": 1}]}]})",
       "f.json: scenarios[0].links[0]: found no \"bw_Bps\", expected bw_Bps"},
      {R"({"scenarios": [{"links": [{"bw_bps": 1}]}]})",
       "f.json: scenarios[0].links[0]: found the key \"bw_bps\", expected one of bw_Bps, lat_s"},
      {with_flows(R"({"bytes": 1.5, "route": [0]})"),
       "f.json: scenarios[0].flows[0].bytes: found 1.5, expected whole bytes, 0 to 2^62"},
      {with_flows(R"({"bytes": 1e30, "route": [0]})"),
       "f.json: scenarios[0].flows[0].bytes: found 1e+30, expected whole bytes, 0 to 2^62"},
      {with_flows(R"({"bytes": true, "route": [0]})"),
       "f.json: scenarios[0].flows[0].bytes: found true, expected whole bytes, 0 to 2^62"},
      {with_flows(R"({"bytes": 1, "route": [0, 2]})"),
       "f.json: scenarios[0].flows[0].route: found 2, expected a number below 2"},
      {with_flows(R"({"bytes": 1, "route": [0, -1]})"),
       "f.json: scenarios[0].flows[0].route[1]: found -1, expected a number of a list, from 0"},
      {with_flows(R"({"bytes": 1, "route": [0, 1, 0]})"),
       "f.json: scenarios[0].flows[0].route: found link 0 twice, expected each once at most"},
      {with_flows(R"({"bytes": 1, "route": [0], "after": [1]})"),
       "f.json: scenarios[0].flows[0].after: found 1, expected a number below 1"},
      {with_flows(R"({"bytes": 1, "route": [0], "start_s": 1e300})"),
       "f.json: scenarios[0].flows[0].start_s: found 1e+300, expected seconds, 0 to 1e6"},
      {with_flows(R"({"bytes": 1, "route": [0], "start": 1})"),
       "f.json: scenarios[0].flows[0]: found the key \"start\", expected one of bytes, route, start_s, after, "
       "finish_s"},
      {with_flows(R"({"bytes": 1, "route": [0], "start_s": 1e999})"), "Number too big to be stored in double."},
      {std::string(100'000, '['), "f.json: byte 100000: Invalid value."},
  };
  for (const auto& entry : wrong) {
    const std::string &text = entry.first, &expected = entry.second;
    INFO(text.substr(0, 200));
    std::string message = "nothing";
    try {
      parse(text);
    } catch (const TraceError& error) {
      message = error.what();
    }
    CHECK(message.find(expected) != std::string::npos);
  }
  CHECK_THROWS_AS(io::read_flow_scenarios("/nowhere/f.json"), TraceError);
}

TEST_CASE("flows that never finish are named, with what they wait for") {
  const auto scenario = parse(with_flows(R"({"bytes": 1, "route": [1]}, {"bytes": 1, "route": [0], "after": [2]},
    {"bytes": 1, "route": [0], "after": [1]}, {"bytes": 1, "route": [0], "after": [0]}, {"bytes": 1, "route": [0]})"))
      [0];
  std::vector<std::string> stuck;
  try {
    io::play(scenario);
  } catch (const Deadlock& deadlock) {
    stuck = deadlock.stuck();
  }
  CHECK(stuck == std::vector<std::string>{
                     "flow 0 of \"s\" is not done in 100 days: a link of its route has too little bandwidth",
                     "flow 1 of \"s\" waits for flow 2", "flow 2 of \"s\" waits for flow 1",
                     "flow 3 of \"s\" waits for flow 0"});
}

TEST_CASE("times beyond what can be counted are for ever, not an overflow") {
  const auto scenario = parse(R"({"scenarios": [{"name": "s", "links": [{"bw_Bps": 1e9, "lat_s": 1e6}], "flows": [
    {"start_s": 1e6, "bytes": 1, "route": [0]}, {"bytes": 4611686018427387904, "route": [0]},
    {"bytes": 4000000000000000, "route": [0], "after": [0]}, {"bytes": 4000000000000000, "route": [0], "after": [2]},
    {"bytes": 1, "route": [0], "after": [3]}, {"bytes": 1, "route": [0], "after": [4]}]}]})")[0];
  CHECK_THROWS_AS(io::play(scenario), Deadlock);
}

TEST_CASE("finish times agree with SimGrid's to 1e-6") {
  const char* given = std::getenv("TRIOSIM_SHARED");
  const std::filesystem::path shared =
      given ? std::filesystem::path{given} : std::filesystem::path{TRIOSIM_SOURCE_DIR}.parent_path() / "shared";
  const auto file = shared / "golden/flow/simgrid.json";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: no recorded scenarios here");
    return;
  }
  for (const auto& scenario : io::read_flow_scenarios(file.string())) {
    INFO(scenario.name);
    const auto finish = io::play(scenario);
    for (std::size_t i = 0; i < finish.size(); ++i)
      CHECK(std::abs(finish[i].seconds() - *scenario.flows[i].recorded_finish_s) <=
            1e-6 * *scenario.flows[i].recorded_finish_s);
  }
}
