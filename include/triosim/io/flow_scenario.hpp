#pragma once

#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/io/file.hpp"
#include "triosim/net/flow_network.hpp"
#include "triosim/net/message.hpp"
#include "triosim/net/play_messages.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::io {

/// Flows on links, as a study of a network or a comparison with another simulator states them.
struct FlowScenario {
  struct Link {
    Bandwidth bandwidth;
    Time latency;
  };
  struct Flow {
    Time start;
    Bytes bytes;
    /// Links that it crosses, in order, none twice.
    std::vector<std::uint32_t> route;
    /// Flows of the scenario that must have finished first.
    std::vector<std::uint32_t> after;
    /// What somebody else found.
    std::optional<double> recorded_finish_s;
  };

  std::string name;
  std::vector<Link> links;
  std::vector<Flow> flows;
};

namespace flow_scenario_detail {

using Value = rapidjson::Value;

/// The places of the values under way, for errors: `scenarios[2].flows[7].bytes`.
class Reader {
 public:
  explicit Reader(std::string file) : file_{std::move(file)} {}

  std::vector<FlowScenario> read(const std::string& text) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
    if (document.HasParseError())
      throw TraceError::at_byte(file_, document.GetErrorOffset(), "",
                                rapidjson::GetParseError_En(document.GetParseError()));
    std::vector<FlowScenario> scenarios;
    // What else the file says about itself is not ours.
    members(document, {"scenarios"}, true, [&](std::size_t, const Value& value) {
      elements(value, [&](const Value& element) { scenarios.push_back(scenario(element)); });
    });
    if (scenarios.empty()) fail("found no scenario, expected \"scenarios\": a list of one or more");
    return scenarios;
  }

 private:
  FlowScenario scenario(const Value& value) {
    FlowScenario scenario;
    unsigned seen = members(value, {"name", "links", "flows"}, true, [&](std::size_t key, const Value& member) {
      if (key == 0) scenario.name = text(member);
      if (key == 1) elements(member, [&](const Value& v) { scenario.links.push_back(link(v)); });
      if (key == 2) elements(member, [&](const Value& v) { scenario.flows.push_back(flow(v)); });
    });
    require(seen, {"name", "links", "flows"});
    for (std::size_t i = 0; i < scenario.flows.size(); ++i)
      check(scenario, i);
    return scenario;
  }

  FlowScenario::Link link(const Value& value) {
    FlowScenario::Link link;
    const unsigned seen = members(value, {"bw_Bps", "lat_s"}, false, [&](std::size_t key, const Value& member) {
      if (key == 0) link.bandwidth = Bandwidth{number(member, 1e18, "bytes per second, 0 to 1e18")};
      if (key == 1) link.latency = time(member);
    });
    require(seen, {"bw_Bps"});
    return link;
  }

  FlowScenario::Flow flow(const Value& value) {
    FlowScenario::Flow flow;
    const unsigned seen = members(
        value, {"bytes", "route", "start_s", "after", "finish_s"}, false, [&](std::size_t key, const Value& member) {
          if (key == 0) flow.bytes = Bytes{natural(member, std::uint64_t{1} << 62, "whole bytes, 0 to 2^62")};
          if (key == 1) indices(member, flow.route);
          if (key == 2) flow.start = time(member);
          if (key == 3) indices(member, flow.after);
          if (key == 4) flow.recorded_finish_s = number(member, 1e300, "seconds");
        });
    require(seen, {"bytes", "route"});
    return flow;
  }

  // That the flow refers to links and flows that there are.
  void check(const FlowScenario& scenario, std::size_t i) {
    const std::size_t outer = path_.size();
    path_ += ".flows[" + std::to_string(i) + "]";
    const auto below = [&](const std::vector<std::uint32_t>& numbers, std::size_t end, const char* key) {
      for (const std::uint32_t n : numbers)
        if (n >= end) {
          path_ += std::string{"."} + key;
          fail("found " + std::to_string(n) + ", expected a number below " + std::to_string(end));
        }
    };
    below(scenario.flows[i].route, scenario.links.size(), "route");
    below(scenario.flows[i].after, scenario.flows.size(), "after");
    std::vector<std::uint32_t> sorted = scenario.flows[i].route;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      path_ += ".route";
      fail("found link " + std::to_string(*twice) + " twice, expected each once at most");
    }
    path_.resize(outer);
  }

  // ---- values ------------------------------------------------------------------------------------------------------
  static std::string shown(const Value& value) {
    if (value.IsNull()) return "null";
    if (value.IsBool()) return value.GetBool() ? "true" : "false";
    if (value.IsArray()) return "a list";
    if (value.IsObject()) return "an object";
    if (value.IsString()) return excerpt({value.GetString(), value.GetStringLength()});
    if (value.IsInt64()) return std::to_string(value.GetInt64());
    if (value.IsUint64()) return std::to_string(value.GetUint64());
    char digits[32];
    return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%g", value.GetDouble()))};
  }
  [[noreturn]] void fail(std::string_view problem) const { throw TraceError::at_line(file_, 0, path_, problem); }
  [[noreturn]] void refuse(const Value& value, std::string_view expected) const {
    fail("found " + shown(value) + ", expected " + std::string{expected});
  }

  double number(const Value& value, double most, std::string_view expected) const {
    if (!value.IsNumber() || !(value.GetDouble() >= 0 && value.GetDouble() <= most)) refuse(value, expected);
    return value.GetDouble();
  }
  Time time(const Value& value) const { return Time::from_seconds(number(value, 1e6, "seconds, 0 to 1e6")); }
  std::uint64_t natural(const Value& value, std::uint64_t most, std::string_view expected) const {
    if (value.IsUint64()) {
      if (value.GetUint64() > most) refuse(value, expected);
      return value.GetUint64();
    }
    // 1e6 and 1000000.0 are whole numbers too.
    const double real = number(value, static_cast<double>(most), expected);
    const auto whole = static_cast<std::uint64_t>(real);
    if (static_cast<double>(whole) != real || whole > most) refuse(value, expected);
    return whole;
  }
  std::string text(const Value& value) const {
    if (!value.IsString()) refuse(value, "a text");
    return {value.GetString(), value.GetStringLength()};
  }
  void indices(const Value& value, std::vector<std::uint32_t>& into) {
    elements(value, [&](const Value& element) {
      into.push_back(static_cast<std::uint32_t>(natural(element, 0xFFFFFFFE, "a number of a list, from 0")));
    });
  }

  template <class Use>
  void elements(const Value& value, Use&& use) {
    if (!value.IsArray()) refuse(value, "a list");
    const std::size_t outer = path_.size();
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      path_ += "[" + std::to_string(i) + "]";
      use(value[i]);
      path_.resize(outer);
    }
  }

  // Calls `use(place in keys, value)` for the members of an object; tells which were there, a bit for each.
  template <class Use>
  unsigned members(const Value& value, std::initializer_list<std::string_view> keys, bool others, Use&& use) {
    if (!value.IsObject()) refuse(value, "an object");
    const std::size_t outer = path_.size();
    unsigned seen = 0;
    for (auto member = value.MemberBegin(); !(member == value.MemberEnd()); ++member) {
      const std::string_view key{member->name.GetString(), member->name.GetStringLength()};
      const auto found = std::find(keys.begin(), keys.end(), key);
      if (found == keys.end()) {
        if (others) continue;
        fail("found the key " + excerpt(key) + ", expected one of " + list(keys));
      }
      path_.append(outer == 0 ? "" : ".").append(key);
      const auto place = static_cast<std::size_t>(found - keys.begin());
      if ((seen >> place & 1u) != 0) fail("found twice, expected once");
      seen |= 1u << place;
      use(place, member->value);
      path_.resize(outer);
    }
    return seen;
  }
  // That the first of the keys given to `members` were all there.
  void require(unsigned seen, std::initializer_list<std::string_view> keys) const {
    std::size_t place = 0;
    for (const std::string_view key : keys)
      if ((seen >> place++ & 1u) == 0) fail("found no " + excerpt(key) + ", expected " + list(keys));
  }
  static std::string list(std::initializer_list<std::string_view> keys) {
    std::string text;
    for (const std::string_view key : keys)
      text.append(text.empty() ? "" : ", ").append(key);
    return text;
  }

  std::string file_;
  std::string path_;
};

} // namespace flow_scenario_detail

/// Reads scenarios from JSON: {"scenarios": [{"name", "links": [{"bw_Bps", "lat_s"}], "flows": [{"start_s", "bytes",
/// "route", "after", "finish_s"}]}]}; lat_s, start_s, after and finish_s may be left out. Strict within links and
/// flows; what else a file or a scenario says about itself is passed over. Throws `TraceError`.
inline std::vector<FlowScenario> parse_flow_scenarios(const std::string& text, std::string file) {
  return flow_scenario_detail::Reader{std::move(file)}.read(text);
}
inline std::vector<FlowScenario> read_flow_scenarios(const std::string& path) {
  return parse_flow_scenarios(read_file(path), path);
}

/// When each flow finishes on the max-min flow network. Throws `Deadlock` that names the flows that never do: they
/// wait for each other, or a link of theirs has no bandwidth.
inline std::vector<Time> play(const FlowScenario& scenario) {
  topology::Graph graph{2};
  for (const FlowScenario::Link& link : scenario.links)
    graph.add_link(0, 1, link.bandwidth, link.latency);
  net::FlowNetwork net{std::move(graph)};
  net::Timetable table;
  std::vector<net::FlowNetwork::RouteIndex> routes;
  for (const FlowScenario::Flow& flow : scenario.flows) {
    table.add(flow.start);
    routes.push_back(net.add_route(flow.route));
  }
  for (std::uint32_t i = 0; i < scenario.flows.size(); ++i)
    for (const std::uint32_t other : scenario.flows[i].after)
      table.after(i, other);
  std::vector<Time> finish = net::play_messages(net, std::move(table), [&](std::uint32_t i, auto& port) {
    net.send_over(routes[i], {0, 1, scenario.flows[i].bytes, i}, port);
  });

  std::vector<std::string> stuck;
  for (std::size_t i = 0; i < finish.size(); ++i) {
    if (finish[i] < Time::infinity()) continue;
    const FlowScenario::Flow& flow = scenario.flows[i];
    std::string line = "flow " + std::to_string(i) + " of " + excerpt(scenario.name);
    const auto other = std::find_if(flow.after.begin(), flow.after.end(),
                                    [&](std::uint32_t a) { return finish[a] == Time::infinity(); });
    stuck.push_back(other != flow.after.end() ? line + " waits for flow " + std::to_string(*other)
                                              : line + " is not done in 100 days: a link of its route has too little "
                                                       "bandwidth");
  }
  if (!stuck.empty()) throw Deadlock{std::move(stuck)};
  return finish;
}

} // namespace triosim::io
