#include <triosim/error.hpp>
#include <triosim/io/scenario_file.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

TEST_CASE("a scenario is read, and what is wrong is named") {
  const Scenario scenario = io::parse_scenario(
      R"({"devices": [{"rank": 3, "speed": 0.8}], "links": [{"between": [0, 8], "bandwidth": 0.5, "at": "3 ms"}]})",
      "s");
  REQUIRE(scenario.devices.size() == 1);
  CHECK(scenario.devices[0].rank == 3);
  CHECK(scenario.devices[0].speed == 0.8);
  CHECK(scenario.devices[0].at == Time{});
  REQUIRE(scenario.links.size() == 1);
  CHECK(scenario.links[0].b == 8);
  CHECK(scenario.links[0].at == 3_ms);
  CHECK(io::parse_scenario("{}", "s").empty());
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"({"device": []})", "s: found the key \"device\", expected one of devices, links, did you mean \"devices\"?"},
      {R"({"devices": [{"rank": 3}]})", "s: devices[0]: found no \"speed\", expected rank, speed"},
      {R"({"devices": [{"rank": 3, "speed": -1}]})", "s: devices[0].speed: found -1, expected a factor, 0 to 10^6"},
      {R"({"links": [{"between": [3], "bandwidth": 1}]})", "s: links[0].between: found 1 nodes, expected two"},
      {R"({"links": [{"between": [3, 4], "bandwidth": 1, "at": "-1 s"}]})",
       "s: links[0].at: found \"-1 s\", expected zero or more"},
  };
  for (const auto& [text, expected] : wrong) {
    std::string found = "none";
    try {
      io::parse_scenario(text, "s");
    } catch (const TraceError& error) {
      found = error.what();
    }
    CHECK(found == expected);
  }
}
