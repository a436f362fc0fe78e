#pragma once

#include "triosim/chakra/attribute_json.hpp"
#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/published.hpp"
#include "triosim/io/json_text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace triosim::chakra {

/// Encodes nodes as the published generator's JSON form does. A node that this form can hold is written exactly so; any
/// other gets the same keys as far as they apply and one more, `attr`, that has all of its attributes with their types.
class JsonEncoder {
 public:
  static void begin(std::string& out, const HeaderView& header) {
    out.push_back('{');
    if (!is_published(header)) {
      out.append("\"header\": {");
      if (!header.version.empty()) {
        out.append("\"version\": ");
        io::append_json_string(out, header.version);
      }
      if (!header.attributes.empty()) {
        if (!header.version.empty()) out.append(", ");
        append_attributes(out, header.attributes);
      }
      out.append("}, ");
    }
    out.append("\"nodes\": [");
  }
  static constexpr std::string_view separator = ", ";
  static constexpr std::string_view end = "]}";

  static bool is_published(const HeaderView& header) {
    return header.version.empty() && header.attributes.size() == 1 && header.attributes[0].name == "schema" &&
           header.attributes[0].type == ValueType::string_val && header.attributes[0].doc.empty() &&
           header.attributes[0].text == "symbolic_tensor_network";
  }

  void node(EncodedNode& out, const NodeView& node) {
    std::string& text = out.bytes;
    const std::size_t plain = published_prefix(node);
    text.append("{\"id\": ");
    io::append_decimal(text, node.id);
    text.append(", \"name\": ");
    io::append_json_string(text, node.name);
    text.append(", \"node_type\": \"").append(to_json_text(node.type)).push_back('"');
    y_tensor_size(text, node, plain);
    if (plain != 0) {
      operands(text, node.attributes[0]);
      operands(text, node.attributes[1]);
    }
    ids(text, "data_deps", node.data_deps);
    ids(text, "ctrl_deps", node.ctrl_deps);
    if (plain != 0) {
      for (std::size_t i = 2; i < plain; ++i)
        value(out, node.attributes[i]);
    } else {
      for (const Attribute& attribute : node.attributes)
        if (attribute.type == ValueType::none || is_list(attribute.type) || attribute.name == y_tensor_size_name)
          continue;
        else if (is_known(attribute.name))
          value(out, attribute);
    }
    extras(text, node, plain);
    text.push_back('}');
  }

 private:
  /// How many of the node's attributes are those of the published generator: all of them (but for `y_tensor_size`), or
  /// 0 where they differ in any way.
  static std::size_t published_prefix(const NodeView& node) {
    const std::span<const PublishedAttribute> published = published_attributes(node.type);
    std::size_t count = node.attributes.size();
    if (count != 0 && is_y_tensor_size(node.attributes[count - 1])) --count;
    if (published.empty() || count != published.size()) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Attribute& attribute = node.attributes[i];
      if (attribute.name != published[i].name || !attribute.doc.empty()) return 0;
      if (i < 2) {
        if (attribute.type != ValueType::none &&
            (attribute.type != ValueType::string_list || !are_operands(attribute.text)))
          return 0;
      } else if (attribute.type != published[i].type) {
        return 0;
      }
    }
    if (node.type == NodeType::comp) return count;
    if (node.attributes[5].bits != 0) return 0;
    if (node.type != NodeType::comm_coll) return count;
    const bool group_is_number = node.attributes[4].per_rank || is_decimal(node.attributes[4].text);
    return group_is_number && node.attributes[3].bits < collective_type_count ? count : 0;
  }

  static bool is_y_tensor_size(const Attribute& attribute) noexcept {
    return attribute.name == y_tensor_size_name && attribute.type == ValueType::uint64_val && attribute.doc.empty();
  }

  static bool is_decimal(std::string_view text) noexcept {
    std::uint32_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && stop == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
  }

  /// Pairs of a name and a number, encoded without detours.
  static bool are_operands(std::string_view encoded) {
    std::size_t count = 0;
    bool good = !encoded.empty();
    std::string again;
    const bool whole = for_each_string(encoded, [&](std::string_view text) {
      append_string_list(again, text);
      good = good && (++count % 2 == 0 ? is_json_number(text) : io::is_utf8(text));
    });
    return whole && good && count % 2 == 0 && again == encoded;
  }

  static bool is_json_number(std::string_view text) noexcept {
    double value = 0;
    if (text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) return false;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || stop != text.data() + text.size()) return false;
    const std::string_view digits = text.substr(text[0] == '-' ? 1 : 0);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9' || text.back() == '.') return false;
    if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return false;
    const std::size_t point = text.find('.');
    return point == std::string_view::npos || (text[point + 1] >= '0' && text[point + 1] <= '9');
  }

  static bool is_known(std::string_view name) noexcept {
    for (const std::string_view known :
         {"num_ops", "tensor_size", "op_type", "comm_size", "comm_type", "comm_tag", "comm_src", "comm_dst", "pg_name"})
      if (name == known) return true;
    return false;
  }

  static void y_tensor_size(std::string& text, const NodeView& node, std::size_t plain) {
    std::optional<std::uint64_t> size;
    if (!node.attributes.empty() && is_y_tensor_size(node.attributes.back()))
      size = node.attributes.back().bits;
    else if (plain != 0 && node.type == NodeType::comp)
      size = node.attributes[3].bits;
    else if (plain != 0 && node.type == NodeType::comm_recv)
      size = node.attributes[2].bits;
    else if (plain != 0 && node.type == NodeType::comm_send)
      size = 0;
    if (!size) return;
    text.append(", \"y_tensor_size\": ");
    io::append_decimal(text, *size);
  }

  static void operands(std::string& text, const Attribute& list) {
    text.append(", \"").append(list.name).append("\": [");
    std::size_t count = 0;
    for_each_string(list.text, [&](std::string_view part) {
      if (count % 2 == 0) {
        text.append(count == 0 ? "{\"name\": " : ", {\"name\": ");
        io::append_json_string(text, part);
      } else {
        text.append(", \"size\": ").append(part).push_back('}');
      }
      ++count;
    });
    text.push_back(']');
  }

  static void ids(std::string& text, std::string_view key, std::span<const std::uint64_t> ids) {
    text.append(", \"").append(key).append("\": [");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i != 0) text.append(", ");
      io::append_decimal(text, ids[i]);
    }
    text.push_back(']');
  }

  static void value(EncodedNode& out, const Attribute& attribute) {
    std::string& text = out.bytes;
    const bool group = attribute.name == "pg_name";
    if (attribute.name == "is_cpu_op") return; // the form implies it
    text.append(", \"").append(group ? "comm_group" : attribute.name).append("\": ");
    if (attribute.per_rank)
      out.hole({Hole::Spelling::decimal, 0, static_cast<std::uint32_t>(attribute.bits), {}});
    else if (attribute.name == "comm_type" && attribute.bits < collective_type_count)
      text.append(1, '"').append(to_text(static_cast<CollectiveType>(attribute.bits))).push_back('"');
    else if (group && is_decimal(attribute.text))
      text.append(attribute.text);
    else
      append_value(text, attribute);
  }

  static void extras(std::string& text, const NodeView& node, std::size_t plain) {
    if (node.start_time_micros != 0) {
      text.append(", \"start_time_micros\": ");
      io::append_decimal(text, node.start_time_micros);
    }
    if (node.duration_micros != 0) {
      text.append(", \"duration_micros\": ");
      io::append_decimal(text, node.duration_micros);
    }
    if (node.inputs) info(text, "input_info", *node.inputs);
    if (node.outputs) info(text, "output_info", *node.outputs);
    if (plain != 0) return;
    text.append(", ");
    append_attributes(text, node.attributes);
  }

  static void info(std::string& text, std::string_view key, const IoInfo& info) {
    text.append(", \"").append(key).append("\": {\"values\": ");
    io::append_json_string(text, info.values);
    text.append(", \"shapes\": ");
    io::append_json_string(text, info.shapes);
    text.append(", \"types\": ");
    io::append_json_string(text, info.types);
    text.push_back('}');
  }
};

} // namespace triosim::chakra
