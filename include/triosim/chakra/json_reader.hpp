#pragma once

#include "triosim/chakra/json_values.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/published.hpp"
#include "triosim/chakra/trace_builder.hpp"
#include "triosim/io/json_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// Decodes nodes of the published generator's JSON form, with the additions that `JsonEncoder` makes. A node without
/// `attr` gets the attributes that its v0.0.4 file would have. Lives and throws as `V004Decoder`.
class JsonDecoder {
 public:
  explicit JsonDecoder(Losses& losses) noexcept : losses_{&losses} {}

  const NodeView& node(const io::JsonValue& json) {
    clear();
    bool complete = false;
    std::optional<std::uint64_t> y_tensor_size;
    plain_.clear();
    json_values::members(json, "nodes", [&](std::string_view key, const io::JsonValue& value) {
      if (key == "id")
        node_.id = json_values::natural(value, key);
      else if (key == "name")
        node_.name = json_values::text(value, key);
      else if (key == "node_type")
        node_.type = type(value);
      else if (key == "data_deps")
        json_values::naturals(value, key, data_);
      else if (key == "ctrl_deps")
        json_values::naturals(value, key, ctrl_);
      else if (key == "start_time_micros")
        node_.start_time_micros = json_values::natural(value, key);
      else if (key == "duration_micros")
        node_.duration_micros = json_values::natural(value, key);
      else if (key == "input_info")
        info(value, node_.inputs);
      else if (key == "output_info")
        info(value, node_.outputs);
      else if (key == "y_tensor_size")
        y_tensor_size = json_values::natural(value, key);
      else if (key == "attr")
        complete = true, typed_attributes(value);
      else
        plain_.push_back({key, &value});
    });
    if (!complete) plain_attributes();
    if (y_tensor_size && (complete || *y_tensor_size != implied_size()))
      attributes_.push_back(Attribute::uint64(y_tensor_size_name, *y_tensor_size));
    node_.data_deps = data_;
    node_.ctrl_deps = ctrl_;
    node_.attributes = attributes_;
    return node_;
  }

  HeaderView header(const io::JsonValue& json) {
    clear();
    HeaderView header;
    json_values::members(json, "header", [&](std::string_view key, const io::JsonValue& value) {
      if (key == "version")
        header.version = json_values::text(value, key);
      else if (key == "attr")
        typed_attributes(value);
      else
        losses_->add("key of the header", key);
    });
    header.attributes = attributes_;
    return header;
  }

 private:
  struct Member {
    std::string_view key;
    const io::JsonValue* value;
  };

  void clear() {
    node_ = {};
    data_.clear();
    ctrl_.clear();
    attributes_.clear();
    kept_ = 0;
  }

  // Views of the attributes refer to these, so they must not move; they are used again for the next node.
  std::string& keep() {
    if (kept_ == keep_.size()) keep_.emplace_back();
    return keep_[kept_++];
  }

  static NodeType type(const io::JsonValue& value) {
    const std::string_view name = json_values::text(value, "node_type");
    if (const std::optional<NodeType> type = node_type_from_json_text(name)) return *type;
    json_values::refuse("node_type", value,
                        "comp_node, coll_comm_node, comm_send_node, comm_recv_node or another type");
  }

  static void info(const io::JsonValue& json, std::optional<IoInfo>& info) {
    info.emplace();
    json_values::members(json, "input_info", [&](std::string_view key, const io::JsonValue& value) {
      if (key == "values") info->values = json_values::text(value, key);
      if (key == "shapes") info->shapes = json_values::text(value, key);
      if (key == "types") info->types = json_values::text(value, key);
    });
  }

  void typed_attributes(const io::JsonValue& list) {
    if (!list.IsArray()) json_values::refuse("attr", list, "a list of objects");
    for (const io::JsonValue& element : list.GetArray()) {
      Attribute attribute;
      const io::JsonValue* given = nullptr;
      json_values::members(element, "attr", [&](std::string_view key, const io::JsonValue& value) {
        if (key == "name")
          attribute.name = json_values::text(value, key);
        else if (key == "doc")
          attribute.doc = json_values::text(value, key);
        else if (key == "value")
          given = &value;
        else if (key == "type") {
          const std::optional<ValueType> type = value_type_from_text(json_values::text(value, key));
          if (!type) json_values::refuse("type of an attribute", value, "a type such as int64 or string_list");
          attribute.type = *type;
        } else
          losses_->add("key of an attribute", key);
      });
      if (attribute.type != ValueType::none) {
        if (!given) throw WireProblem{"value of an attribute", "found none, expected one, as the attribute has a type"};
        json_values::set_value(attribute, *given, keep());
      }
      attributes_.push_back(attribute);
    }
  }

  void plain_attributes() {
    const std::span<const PublishedAttribute> published = published_attributes(node_.type);
    for (const PublishedAttribute& wanted : published) {
      if (wanted.name == "is_cpu_op" && !take("is_cpu_op", wanted.type))
        attributes_.push_back(Attribute::int32("is_cpu_op", 0));
      else if (wanted.name != "is_cpu_op")
        take(wanted.name, wanted.type);
    }
    for (const auto& [name, type] : more_)
      take(name, type);
    for (const Member& member : plain_)
      if (member.value) losses_->add("key", member.key);
  }

  /// Turns the member of that name into an attribute, if there is one.
  bool take(std::string_view name, ValueType type) {
    for (Member& member : plain_) {
      const bool is_group = name == "pg_name" && member.key == "comm_group";
      if (!member.value || (member.key != name && !is_group)) continue;
      const io::JsonValue& value = *std::exchange(member.value, nullptr);
      Attribute attribute{name, type};
      if (type == ValueType::string_list) {
        attribute = operands(name, value);
      } else if (name == "comm_type") {
        attribute.bits = collective(value);
      } else {
        json_values::set_value(attribute, value, keep());
      }
      attributes_.push_back(attribute);
      return true;
    }
    return false;
  }

  Attribute operands(std::string_view name, const io::JsonValue& list) {
    if (!list.IsArray()) json_values::refuse(name, list, "a list of operands");
    if (list.Empty()) return Attribute::only_name(name);
    std::string& encoded = keep();
    encoded.clear();
    for (const io::JsonValue& operand : list.GetArray()) {
      std::optional<std::string_view> label;
      std::optional<std::string_view> size;
      json_values::members(operand, name, [&](std::string_view key, const io::JsonValue& value) {
        if (key == "name")
          label = json_values::text(value, "name of an operand");
        else if (key == "size")
          size = json_values::text(value, "size of an operand");
        else
          losses_->add("key of an operand", key);
      });
      if (!label || !size) json_values::refuse(name, operand, "operands with a name and a size");
      append_string_list(encoded, *label);
      append_string_list(encoded, *size);
    }
    return Attribute::string_list(name, encoded);
  }

  static std::uint64_t collective(const io::JsonValue& value) {
    if (const auto type = collective_type_from_text(io::JsonFile::text(value)))
      return static_cast<std::uint64_t>(*type);
    const std::string_view digits = io::JsonFile::text(value);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9')
      json_values::refuse("comm_type", value,
                          "ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL or another collective");
    return json_values::natural(value, "comm_type");
  }

  /// The size that `JsonEncoder` finds where the node has none: see there.
  std::optional<std::uint64_t> implied_size() const {
    const std::string_view name = node_.type == NodeType::comp ? "tensor_size" : "comm_size";
    if (node_.type == NodeType::comm_send) return 0;
    if (node_.type != NodeType::comp && node_.type != NodeType::comm_recv) return std::nullopt;
    for (const Attribute& attribute : attributes_)
      if (attribute.name == name) return attribute.bits;
    return std::nullopt;
  }

  static constexpr std::array<PublishedAttribute, 11> more_{{{"inputs", ValueType::string_list},
                                                             {"outputs", ValueType::string_list},
                                                             {"num_ops", ValueType::int64_val},
                                                             {"tensor_size", ValueType::uint64_val},
                                                             {"op_type", ValueType::string_val},
                                                             {"comm_size", ValueType::int64_val},
                                                             {"comm_type", ValueType::int64_val},
                                                             {"comm_tag", ValueType::int32_val},
                                                             {"comm_src", ValueType::int32_val},
                                                             {"comm_dst", ValueType::int32_val},
                                                             {"pg_name", ValueType::string_val}}};

  Losses* losses_;
  NodeView node_;
  std::vector<std::uint64_t> data_;
  std::vector<std::uint64_t> ctrl_;
  std::vector<Attribute> attributes_;
  std::vector<Member> plain_;
  std::deque<std::string> keep_;
  std::size_t kept_ = 0;
};

} // namespace triosim::chakra
