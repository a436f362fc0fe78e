#include "cli/inspect.hpp"
#include "cli/command.hpp"
#include "cli/trace_files.hpp"

#include <triosim/chakra/cross_check.hpp>
#include <triosim/chakra/groups_reader.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/summary.hpp>
#include <triosim/io/json_text.hpp>
#include <triosim/io/rank_of_file.hpp>
#include <triosim/report/quantities.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::cli {

namespace {

std::string shortest(double value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}
std::string counted(double value) {
  return value < 0x1p63 ? report::readable(static_cast<std::uint64_t>(value)) : shortest(value);
}
std::string microseconds(double value) {
  return report::readable(Time::from_seconds(value * 1e-6));
}

void append_text(std::string& out, const chakra::Trace& trace, const chakra::Summary& s) {
  const auto line = [&](std::string_view name, const std::string& value) {
    out.append("  ").append(name).append(name.size() < 22 ? 22 - name.size() : 1, ' ').append(value).append("\n");
  };
  out.append(trace.source()).append(" (").append(chakra::to_text(trace.format())).append(")\n");
  line("nodes", report::readable(s.nodes));
  for (std::size_t type = 0; type < s.of_type.size(); ++type)
    if (s.of_type[type] != 0)
      line("  " + std::string{chakra::to_text(static_cast<chakra::NodeType>(type))}, report::readable(s.of_type[type]));
  line("dependencies", report::readable(s.data_deps) + " data, " + report::readable(s.ctrl_deps) + " control");
  line("longest chain", report::readable(s.longest_chain) + " nodes" +
                            (s.longest_micros > 0 ? ", " + microseconds(s.longest_micros) + " of recorded time" : ""));
  if (s.duration_micros > 0) line("recorded time", microseconds(s.duration_micros));
  if (s.num_ops > 0) line("operations", counted(s.num_ops));
  if (s.tensor_size > 0) line("tensor sizes", counted(s.tensor_size));
  for (const auto& traffic : s.traffic)
    line(traffic.what + (traffic.group.empty() ? "" : " in group " + traffic.group),
         report::readable(traffic.calls) + " of " + counted(traffic.bytes) + " in all");
  for (const std::string& odd : s.odd)
    out.append("  odd: ").append(odd).append("\n");
}

void append_json(std::string& out, const chakra::Trace& trace, const chakra::Summary& s) {
  io::append_json_string(out.append("{\"file\": "), trace.source());
  io::append_json_string(out.append(", \"format\": "), chakra::to_text(trace.format()));
  out.append(", \"nodes\": ").append(std::to_string(s.nodes)).append(", \"of_type\": {");
  bool first = true;
  for (std::size_t type = 0; type < s.of_type.size(); ++type) {
    if (s.of_type[type] == 0) continue;
    if (!first) out.append(", ");
    first = false;
    io::append_json_string(out, chakra::to_text(static_cast<chakra::NodeType>(type)));
    out.append(": ").append(std::to_string(s.of_type[type]));
  }
  out.append("}, \"data_deps\": ").append(std::to_string(s.data_deps));
  out.append(", \"ctrl_deps\": ").append(std::to_string(s.ctrl_deps));
  out.append(", \"num_ops\": ")
      .append(shortest(s.num_ops))
      .append(", \"tensor_size\": ")
      .append(shortest(s.tensor_size));
  out.append(", \"duration_us\": ").append(shortest(s.duration_micros));
  out.append(", \"longest_chain\": ").append(std::to_string(s.longest_chain));
  out.append(", \"longest_us\": ").append(shortest(s.longest_micros)).append(", \"traffic\": [");
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    io::append_json_string(out.append(i == 0 ? "{\"what\": " : ", {\"what\": "), s.traffic[i].what);
    io::append_json_string(out.append(", \"group\": "), s.traffic[i].group);
    out.append(", \"calls\": ").append(std::to_string(s.traffic[i].calls));
    out.append(", \"size\": ").append(shortest(s.traffic[i].bytes)).append("}");
  }
  out.append("], \"odd\": [");
  for (std::size_t i = 0; i < s.odd.size(); ++i)
    io::append_json_string(out.append(i == 0 ? "" : ", "), s.odd[i]);
  out.append("]}");
}

} // namespace

int inspect(const InspectOptions& options) {
  const std::vector<std::string> files = trace_files(options.files);
  std::vector<chakra::CommGroup> groups;
  if (!options.comm_group_file.empty()) groups = chakra::read_groups(options.comm_group_file);
  std::string out = options.json ? "{\"schema\": \"triosim.inspect/1\",\n \"traces\": [" : "";
  std::deque<chakra::Trace> traces;
  std::vector<const chakra::Trace*> pointers;
  std::vector<std::uint32_t> ranks;
  for (const std::string& file : files) {
    const chakra::Trace& trace = traces.emplace_back(chakra::read(file));
    const chakra::Summary summary = chakra::summarize(trace);
    if (options.json)
      append_json(out.append(pointers.empty() ? "\n  " : ",\n  "), trace, summary);
    else
      append_text(out.append(pointers.empty() ? "" : "\n"), trace, summary);
    ranks.push_back(io::rank_of_file(file).value_or(static_cast<std::uint32_t>(pointers.size())));
    pointers.push_back(&trace);
  }
  std::vector<std::string> odd;
  if (traces.size() > 1) odd = chakra::cross_check(pointers, ranks, groups);
  if (options.json) {
    out.append("],\n \"between\": [");
    for (std::size_t i = 0; i < odd.size(); ++i)
      io::append_json_string(out.append(i == 0 ? "\n  " : ",\n  "), odd[i]);
    out.append("]}\n");
  } else if (traces.size() > 1) {
    out.append("\nbetween the ").append(std::to_string(traces.size())).append(" traces");
    if (odd.empty()) out.append(": nothing odd, every message has its other end and every collective its members");
    out.append("\n");
    for (const std::string& text : odd)
      out.append("  odd: ").append(text).append("\n");
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return done;
}

} // namespace triosim::cli
