#pragma once

#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/scenario.hpp"
#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace triosim::io {

namespace scenario_file_detail {

class Reader {
 public:
  using Value = JsonWalk::Value;

  Reader(std::string_view text, std::string file) : walk_{text, std::move(file)} {}

  Scenario read() {
    Scenario scenario;
    walk_.members(walk_.root(), {"devices", "links"}, JsonWalk::Others::refuse,
                  [&](std::size_t key, const Value& value) {
                    if (key == 0) walk_.elements(value, [&](const Value& v) { scenario.devices.push_back(device(v)); });
                    if (key == 1) walk_.elements(value, [&](const Value& v) { scenario.links.push_back(link(v)); });
                  });
    return scenario;
  }

 private:
  Scenario::DeviceChange device(const Value& value) {
    Scenario::DeviceChange change;
    const auto seen = walk_.members(value, {"rank", "speed", "at"}, JsonWalk::Others::refuse,
                                    [&](std::size_t key, const Value& member) {
                                      if (key == 0) change.rank = number(member, "a rank");
                                      if (key == 1) change.speed = walk_.number(member, 0, 1e6, "a factor, 0 to 10^6");
                                      if (key == 2) change.at = time(member);
                                    });
    walk_.require(seen, {"rank", "speed"});
    return change;
  }
  Scenario::LinkChange link(const Value& value) {
    Scenario::LinkChange change;
    const auto seen = walk_.members(value, {"between", "bandwidth", "at"}, JsonWalk::Others::refuse,
                                    [&](std::size_t key, const Value& member) {
                                      if (key == 0) {
                                        std::size_t ends = 0;
                                        walk_.elements(member, [&](const Value& end) {
                                          if (ends < 2)
                                            (ends == 0 ? change.a : change.b) = number(end, "a node of the topology");
                                          ++ends;
                                        });
                                        if (ends != 2)
                                          walk_.fail("found " + std::to_string(ends) + " nodes, expected two");
                                      }
                                      if (key == 1)
                                        change.bandwidth = walk_.number(member, 0, 1e6, "a factor, 0 to 10^6");
                                      if (key == 2) change.at = time(member);
                                    });
    walk_.require(seen, {"between", "bandwidth"});
    return change;
  }
  std::uint32_t number(const Value& value, std::string_view what) {
    return static_cast<std::uint32_t>(walk_.natural(value, 0, 1u << 28, what));
  }
  Time time(const Value& value) {
    const Time at = walk_.quantity(value, parse_time);
    if (at < Time{}) walk_.refuse(value, "zero or more");
    return at;
  }

  JsonWalk walk_;
};

} // namespace scenario_file_detail

/// Reads {"devices": [{"rank", "speed", "at"}], "links": [{"between": [a, b], "bandwidth", "at"}]}: speeds and
/// bandwidths are factors, 0 is a failure; times such as "3 ms", 0 where there is none. Throws `TraceError`.
inline Scenario parse_scenario(std::string_view text, std::string file) {
  return scenario_file_detail::Reader{text, std::move(file)}.read();
}
inline Scenario read_scenario(const std::string& path) {
  return parse_scenario(read_file(path), path);
}

} // namespace triosim::io
