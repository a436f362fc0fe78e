#pragma once

#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/net/flow_network.hpp"
#include "triosim/net/message.hpp"
#include "triosim/net/play_messages.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

class Reader {
 public:
  using Value = JsonWalk::Value;

  Reader(const std::string& text, std::string file) : walk_{text, std::move(file)} {}

  std::vector<FlowScenario> read() {
    std::vector<FlowScenario> scenarios;
    // What else the file says about itself is not ours.
    walk_.members(walk_.root(), {"scenarios"}, JsonWalk::Others::pass_over, [&](std::size_t, const Value& value) {
      walk_.elements(value, [&](const Value& element) { scenarios.push_back(scenario(element)); });
    });
    if (scenarios.empty()) walk_.fail("found no scenario, expected \"scenarios\": a list of one or more");
    return scenarios;
  }

 private:
  FlowScenario scenario(const Value& value) {
    FlowScenario scenario;
    const auto seen = walk_.members(
        value, {"name", "links", "flows"}, JsonWalk::Others::pass_over, [&](std::size_t key, const Value& member) {
          if (key == 0) scenario.name = walk_.text(member);
          if (key == 1) walk_.elements(member, [&](const Value& v) { scenario.links.push_back(link(v)); });
          if (key == 2) walk_.elements(member, [&](const Value& v) { scenario.flows.push_back(flow(v)); });
        });
    walk_.require(seen, {"name", "links", "flows"});
    for (std::size_t i = 0; i < scenario.flows.size(); ++i)
      walk_.at(".flows[" + std::to_string(i) + "]", [&] { check(scenario, scenario.flows[i]); });
    return scenario;
  }

  FlowScenario::Link link(const Value& value) {
    FlowScenario::Link link;
    const auto seen =
        walk_.members(value, {"bw_Bps", "lat_s"}, JsonWalk::Others::refuse, [&](std::size_t key, const Value& member) {
          if (key == 0) link.bandwidth = Bandwidth{walk_.number(member, 0, 1e18, "bytes per second, 0 to 1e18")};
          if (key == 1) link.latency = time(member);
        });
    walk_.require(seen, {"bw_Bps"});
    return link;
  }

  FlowScenario::Flow flow(const Value& value) {
    FlowScenario::Flow flow;
    const auto seen = walk_.members(value, {"bytes", "route", "start_s", "after", "finish_s"}, JsonWalk::Others::refuse,
                                    [&](std::size_t key, const Value& member) {
                                      if (key == 0)
                                        flow.bytes = Bytes{
                                            walk_.natural(member, 0, std::uint64_t{1} << 62, "whole bytes, 0 to 2^62")};
                                      if (key == 1) indices(member, flow.route);
                                      if (key == 2) flow.start = time(member);
                                      if (key == 3) indices(member, flow.after);
                                      if (key == 4) flow.recorded_finish_s = walk_.number(member, 0, 1e300, "seconds");
                                    });
    walk_.require(seen, {"bytes", "route"});
    return flow;
  }

  // That the flow refers to links and flows that there are.
  void check(const FlowScenario& scenario, const FlowScenario::Flow& flow) {
    const auto below = [&](const std::vector<std::uint32_t>& numbers, std::size_t end, const char* key) {
      for (const std::uint32_t n : numbers)
        if (n >= end)
          walk_.at(key, [&] {
            walk_.fail("found " + std::to_string(n) + ", expected a number below " + std::to_string(end));
          });
    };
    below(flow.route, scenario.links.size(), ".route");
    below(flow.after, scenario.flows.size(), ".after");
    std::vector<std::uint32_t> sorted = flow.route;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      walk_.at(".route",
               [&] { walk_.fail("found link " + std::to_string(*twice) + " twice, expected each once at most"); });
  }

  Time time(const Value& value) const { return Time::from_seconds(walk_.number(value, 0, 1e6, "seconds, 0 to 1e6")); }
  void indices(const Value& value, std::vector<std::uint32_t>& into) {
    walk_.elements(value, [&](const Value& element) {
      into.push_back(static_cast<std::uint32_t>(walk_.natural(element, 0, 0xFFFFFFFE, "a number of a list, from 0")));
    });
  }

  JsonWalk walk_;
};

} // namespace flow_scenario_detail

/// Reads scenarios from JSON: {"scenarios": [{"name", "links": [{"bw_Bps", "lat_s"}], "flows": [{"start_s", "bytes",
/// "route", "after", "finish_s"}]}]}; lat_s, start_s, after and finish_s may be left out. Strict within links and
/// flows; what else a file or a scenario says about itself is passed over. Throws `TraceError`.
inline std::vector<FlowScenario> parse_flow_scenarios(const std::string& text, std::string file) {
  return flow_scenario_detail::Reader{text, std::move(file)}.read();
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
