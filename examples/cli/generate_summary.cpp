#include "cli/generate_summary.hpp"

#include <triosim/io/json_text.hpp>
#include <triosim/report/quantities.hpp>
#include <triosim/units.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace triosim::cli {

namespace {

/// Shortest digits that say the number again.
void append_number(std::string& out, double value) {
  char digits[40];
  if (value == std::floor(value) && std::abs(value) < 0x1p53)
    out.append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr);
  else
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string bytes_text(double bytes) {
  return report::readable(Bytes{bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : std::uint64_t{1} << 63});
}

std::string scaled(double value, std::string_view unit) {
  static constexpr std::string_view prefixes[] = {"", "K", "M", "G", "T", "P", "E", "Z"};
  std::size_t prefix = 0;
  while (value >= 999.95 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  const int places = prefix == 0 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  std::string text = report::quantities_detail::fixed(value, places);
  if (prefix != 0 || !unit.empty()) text.append(" ");
  return text.append(prefixes[prefix]).append(unit);
}

std::string parameters_text(double count) {
  return count >= 1e9   ? report::quantities_detail::fixed(count / 1e9, 2) + " billion"
         : count >= 1e6 ? report::quantities_detail::fixed(count / 1e6, 2) + " million"
                        : report::readable(static_cast<std::uint64_t>(count));
}

} // namespace

std::string to_json(const GenerateSummary& s) {
  std::string out = "{\"schema\": \"triosim.generate/1\",\n \"rules\": ";
  const auto number = [&](const char* key, double value) {
    out.append(",\n \"").append(key).append("\": ");
    append_number(out, value);
  };
  io::append_json_string(out, s.rules);
  io::append_json_string(out.append(",\n \"model\": "), s.model);
  number("ranks", static_cast<double>(s.ranks));
  number("stages", static_cast<double>(s.stages));
  number("nodes", static_cast<double>(s.nodes));
  number("groups", static_cast<double>(s.groups));
  number("parameters", s.parameters);
  number("flops", s.flops);
  out.append(",\n \"traffic_unit\": ").append(s.elements ? "\"elements\"" : "\"bytes\"").append(",\n \"traffic\": [");
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    io::append_json_string(out.append(i == 0 ? "\n  {\"what\": " : ",\n  {\"what\": "), s.traffic[i].what);
    io::append_json_string(out.append(", \"along\": "), s.traffic[i].along);
    append_number(out.append(", \"calls\": "), static_cast<double>(s.traffic[i].calls));
    append_number(out.append(", \"amount\": "), s.traffic[i].amount);
    out.push_back('}');
  }
  out.append("],\n \"memory_of_a_rank\": [");
  for (std::size_t i = 0; i < s.memory.size(); ++i) {
    const GenerateSummary::Memory& m = s.memory[i];
    append_number(out.append(i == 0 ? "\n  {\"stage\": " : ",\n  {\"stage\": "), m.stage);
    append_number(out.append(", \"weights_bytes\": "), m.weights);
    append_number(out.append(", \"gradients_bytes\": "), m.gradients);
    append_number(out.append(", \"optimizer_bytes\": "), m.optimizer);
    append_number(out.append(", \"activations_bytes\": "), m.activations);
    out.push_back('}');
  }
  io::append_json_string(out.append("],\n \"first_file\": "), s.first_file);
  io::append_json_string(out.append(",\n \"groups_file\": "), s.groups_file);
  return out.append("}\n");
}

std::string to_text(const GenerateSummary& s) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out.append(name).append(name.size() < 14 ? 14 - name.size() : 1, ' ').append(value).append("\n");
  };
  line("model", s.model + ", " + s.rules + " rules");
  if (s.parameters > 0) line("parameters", parameters_text(s.parameters));
  line("ranks", report::readable(s.ranks) + (s.stages > 1 ? " in " + std::to_string(s.stages) + " stages" : ""));
  line("nodes", report::readable(s.nodes));
  line(s.elements ? "operations" : "FLOPs", scaled(s.flops, s.elements ? "" : "FLOP"));
  line("written", s.first_file + " and on, " + s.groups_file);
  if (!s.traffic.empty()) {
    std::size_t widest = 0;
    for (const auto& traffic : s.traffic)
      widest = std::max(widest, traffic.what.size() + traffic.along.size() + 1);
    out.append("\ncommunication, over all ranks: calls and ").append(s.elements ? "elements" : "bytes").append("\n");
    for (const auto& traffic : s.traffic) {
      const std::string name = traffic.what + " " + traffic.along;
      const std::string calls = report::readable(traffic.calls);
      out.append("  ").append(name).append(widest + 2 - name.size(), ' ');
      out.append(calls.size() < 12 ? 12 - calls.size() : 0, ' ').append(calls).append("  ");
      out.append(s.elements ? scaled(traffic.amount, "") : bytes_text(traffic.amount)).append("\n");
    }
  }
  if (!s.memory.empty()) {
    out.append("\nmemory of a rank   weights  gradients  optimizer  activations      total\n");
    for (const auto& m : s.memory) {
      const auto cell = [&](double bytes, std::size_t width) {
        const std::string text = bytes_text(bytes);
        out.append(text.size() < width ? width - text.size() : 1, ' ').append(text);
      };
      const std::string name = "  stage " + std::to_string(m.stage);
      out.append(name).append(name.size() < 15 ? 15 - name.size() : 1, ' ');
      cell(m.weights, 11);
      cell(m.gradients, 11);
      cell(m.optimizer, 11);
      cell(m.activations, 13);
      cell(m.weights + m.gradients + m.optimizer + m.activations, 11);
      out.append("\n");
    }
  }
  return out;
}

void print(const GenerateSummary& summary, const GenerateOptions& options) {
  if (options.quiet) return;
  const std::string text = options.json ? to_json(summary) : to_text(summary);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

} // namespace triosim::cli
