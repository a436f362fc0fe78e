#pragma once

#include "triosim/io/json_text.hpp"
#include "triosim/report/report.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace triosim::report {

/// What `to_json` writes under "schema". Fields may be added under this name; if one is removed or changes its meaning
/// the number goes up.
inline constexpr std::string_view json_schema = "triosim.report/1";

/// The report as one JSON object, a line for each phase and each rank, ended by a line feed.
///
///     schema            "triosim.report/1"
///     simulated_time_s  the step, in seconds
///     rules             "physical" or "classic"
///     gpus              how many ranks
///     events, tasks     what the engine handled, what was played
///     phases            [{name, end_s}], in the order of the report
///     ranks             [{rank, compute_s, exposed_communication_s, overlapped_communication_s, idle_s, finish_s,
///                         peak_memory_bytes, bytes_sent, messages_sent}], see RankReport
///     busiest_links     [{from, to, bytes, utilisation}], of runs that were watched (see Report)
///     critical_path     {tasks, ranks, shares: [{what, time_s}]}, likewise
///
/// Times are seconds written out exactly, to the picosecond: no digit is lost and none is added.
inline std::string to_json(const Report& report) {
  std::string out;
  out.reserve(256 + report.ranks.size() * 256);
  const auto seconds = [&](std::string_view key, Time time) {
    io::append_scaled(out.append(key), time.picoseconds(), 12);
  };
  const auto count = [&](std::string_view key, std::uint64_t value) { io::append_decimal(out.append(key), value); };
  const auto text = [&](std::string_view key, std::string_view value) {
    io::append_json_string(out.append(key), value);
  };

  text("{\"schema\": ", json_schema);
  seconds(",\n \"simulated_time_s\": ", report.total);
  text(",\n \"rules\": ", report.rules);
  count(",\n \"gpus\": ", report.ranks.size());
  count(",\n \"events\": ", report.events);
  count(",\n \"tasks\": ", report.tasks);
  out.append(",\n \"phases\": [");
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    text(i == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ", report.phases[i].name);
    seconds(", \"end_s\": ", report.phases[i].end);
    out.push_back('}');
  }
  out.append("]");
  if (!report.busiest_links.empty()) {
    out.append(",\n \"busiest_links\": [");
    for (std::size_t i = 0; i < report.busiest_links.size(); ++i) {
      const LinkUse& use = report.busiest_links[i];
      count(i == 0 ? "\n  {\"from\": " : ",\n  {\"from\": ", use.from);
      count(", \"to\": ", use.to);
      count(", \"bytes\": ", use.bytes.count());
      // To a millionth: more digits would be those of a compiler.
      io::append_scaled(out.append(", \"utilisation\": "), std::llround(use.utilisation * 1e6), 6);
      out.push_back('}');
    }
    out.append("]");
  }
  if (!report.critical_path.empty()) {
    count(",\n \"critical_path\": {\"tasks\": ", report.critical_tasks);
    count(", \"ranks\": ", report.critical_ranks);
    out.append(", \"shares\": [");
    for (std::size_t i = 0; i < report.critical_path.size(); ++i) {
      text(i == 0 ? "\n  {\"what\": " : ",\n  {\"what\": ", report.critical_path[i].what);
      seconds(", \"time_s\": ", report.critical_path[i].time);
      out.push_back('}');
    }
    out.append("]}");
  }
  out.append(",\n \"ranks\": [");
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankReport& rank = report.ranks[i];
    count(i == 0 ? "\n  {\"rank\": " : ",\n  {\"rank\": ", i);
    seconds(", \"compute_s\": ", rank.compute);
    seconds(", \"exposed_communication_s\": ", rank.exposed_communication);
    seconds(", \"overlapped_communication_s\": ", rank.overlapped_communication);
    seconds(", \"idle_s\": ", rank.idle);
    seconds(", \"finish_s\": ", rank.finish);
    count(", \"peak_memory_bytes\": ", rank.peak_memory.count());
    count(", \"bytes_sent\": ", rank.bytes_sent.count());
    count(", \"messages_sent\": ", rank.messages_sent);
    out.push_back('}');
  }
  return out.append("]}\n");
}

} // namespace triosim::report
