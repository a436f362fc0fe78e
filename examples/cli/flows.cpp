#include "cli/flows.hpp"

#include "cli/command.hpp"

#include <triosim/error.hpp>
#include <triosim/excerpt.hpp>
#include <triosim/io/flow_scenario.hpp>
#include <triosim/io/json_text.hpp>
#include <triosim/units.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::cli {

namespace {

using Scenarios = std::vector<io::FlowScenario>;
using Finishes = std::vector<std::vector<Time>>;

// Seconds to the last picosecond, with no rounding on the way.
std::string exact_seconds(Time time) {
  std::string digits = std::to_string(time.picoseconds());
  if (digits.size() < 13) digits.insert(0, 13 - digits.size(), '0');
  digits.insert(digits.size() - 12, 1, '.');
  return digits;
}

template <class... Values>
void print(std::string& out, const char* format, Values... values) {
  char line[512];
  const int length = std::snprintf(line, sizeof line, format, values...);
  out.append(line, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof line) - 1)));
}

// A name on one line, without what a terminal would obey.
std::string plain(const std::string& name) {
  const std::string quoted = excerpt(name, 60);
  return quoted.substr(1, quoted.size() - 2);
}

// Distance from what the file has recorded, relative to it; 0 where it has nothing.
double difference(const io::FlowScenario::Flow& flow, Time finish) {
  if (!flow.recorded_finish_s) return 0;
  return std::abs(finish.seconds() - *flow.recorded_finish_s) / std::max(*flow.recorded_finish_s, 1e-12);
}

std::string as_json(const Scenarios& scenarios, const Finishes& finishes) {
  std::string out = "{\"scenarios\": [";
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    out += s == 0 ? "\n{\"name\": " : ",\n{\"name\": ";
    io::append_json_string(out, scenarios[s].name);
    out += ", \"finish_s\": [";
    for (std::size_t i = 0; i < finishes[s].size(); ++i)
      out.append(i == 0 ? "" : ", ").append(exact_seconds(finishes[s][i]));
    out += "]}";
  }
  return out += "\n]}\n";
}

std::string as_table(const Scenarios& scenarios, const Finishes& finishes) {
  std::size_t width = std::string_view{"scenario"}.size();
  for (const auto& scenario : scenarios)
    width = std::max(width, plain(scenario.name).size());
  const int w = static_cast<int>(width);
  std::string out;
  print(out, "%-*s %8s %8s %20s %20s\n", w, "scenario", "links", "flows", "last finish, s", "off recorded");
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const auto& [name, links, flows] = scenarios[s];
    Time last;
    double worst = 0;
    bool recorded = false;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      last = std::max(last, finishes[s][i]);
      recorded = recorded || flows[i].recorded_finish_s;
      worst = std::max(worst, difference(flows[i], finishes[s][i]));
    }
    print(out, "%-*s %8zu %8zu %20s ", w, plain(name).c_str(), links.size(), flows.size(), exact_seconds(last).c_str());
    if (recorded) {
      print(out, "%20.1e\n", worst);
    } else {
      print(out, "%20s\n", "-");
    }
  }
  return out;
}

std::string each_flow(const Scenarios& scenarios, const Finishes& finishes) {
  std::string out;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    out.append(s == 0 ? "" : "\n").append(plain(scenarios[s].name)).append("\n");
    print(out, "%8s %6s %20s %20s %20s\n", "flow", "links", "bytes", "start, s", "finish, s");
    for (std::size_t i = 0; i < finishes[s].size(); ++i) {
      const auto& flow = scenarios[s].flows[i];
      print(out, "%8zu %6zu %20s %20s %20s\n", i, flow.route.size(), std::to_string(flow.bytes.count()).c_str(),
            exact_seconds(flow.start).c_str(), exact_seconds(finishes[s][i]).c_str());
    }
  }
  return out;
}

} // namespace

int flows(const FlowsOptions& options) {
  const Scenarios scenarios = io::read_flow_scenarios(options.file);
  Finishes finishes;
  for (const io::FlowScenario& scenario : scenarios)
    finishes.push_back(io::play(scenario));
  const std::string text = options.json   ? as_json(scenarios, finishes)
                           : options.each ? each_flow(scenarios, finishes)
                                          : as_table(scenarios, finishes);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error{"cannot write to the standard output"};
  return done;
}

} // namespace triosim::cli
