#pragma once

#include "triosim/chakra/attribute_json.hpp"
#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/io/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace triosim::chakra {

/// Encodes nodes as Chakra's own feeder reads them from JSON, one node a line. The dialect knows nothing of operations,
/// groups and operands. Attributes of the header stand beside the graph, where the feeder passes them over.
class WorkloadGraphEncoder {
 public:
  static void begin(std::string& out, const HeaderView& header, Losses& losses) {
    out.push_back('{');
    if (!header.version.empty()) losses.add("version in the header");
    for (const Attribute& attribute : header.attributes) {
      const bool fits = attribute.type == ValueType::string_val || is_integer(attribute.type);
      if (!fits || attribute.name == "workload_graph") {
        losses.add("header attribute", attribute.name);
        continue;
      }
      io::append_json_string(out, attribute.name);
      out.append(": ");
      if (attribute.type == ValueType::string_val)
        io::append_json_string(out, attribute.text);
      else
        append_number(out, attribute.type, attribute.bits);
      out.append(", ");
    }
    out.append("\"workload_graph\": [\n  ");
  }
  static constexpr std::string_view separator = ",\n  ";
  static constexpr std::string_view end = "\n]}\n";

  void node(EncodedNode& out, const NodeView& node, Losses& losses) {
    std::string& text = out.bytes;
    text.append("{\"Id\": ");
    io::append_decimal(text, node.id);
    text.append(", \"Name\": ");
    io::append_json_string(text, node.name);
    text.append(", \"NodeType\": ");
    io::append_decimal(text, static_cast<unsigned>(node.type));
    ids(text, "ctrlDeps", node.ctrl_deps);
    ids(text, "data_deps", node.data_deps);
    text.append(", \"runtime\": ");
    io::append_decimal(text, node.duration_micros);
    bool is_cpu_op = false;
    for (const Attribute& attribute : node.attributes)
      if (attribute.name == "is_cpu_op" && is_integer(attribute.type)) is_cpu_op = attribute.bits != 0;
    text.append(is_cpu_op ? ", \"is_cpu_op\": true" : ", \"is_cpu_op\": false");
    for (const Attribute& attribute : node.attributes)
      if (attribute.name != "is_cpu_op") number(out, attribute, losses);
    text.push_back('}');
    if (node.start_time_micros != 0) losses.add("start time");
    if (node.inputs) losses.add("inputs");
    if (node.outputs) losses.add("outputs");
  }

 private:
  static void ids(std::string& text, std::string_view key, std::span<const std::uint64_t> ids) {
    text.append(", \"").append(key).append("\": [");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i != 0) text.append(", ");
      io::append_decimal(text, ids[i]);
    }
    text.push_back(']');
  }

  static void number(EncodedNode& out, const Attribute& attribute, Losses& losses) {
    bool known = false;
    for (const std::string_view name : workload_graph_numbers)
      known = known || name == attribute.name;
    if (!known || !is_integer(attribute.type)) return losses.add("attribute", attribute.name);
    out.bytes.append(", \"").append(attribute.name).append("\": ");
    if (attribute.per_rank)
      out.hole({Hole::Spelling::decimal, 0, static_cast<std::uint32_t>(attribute.bits), {}});
    else
      io::append_decimal(out.bytes, static_cast<std::int64_t>(attribute.bits));
  }
};

} // namespace triosim::chakra
