#pragma once

#include "triosim/chakra/json_values.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/io/json_file.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Decodes nodes of the JSON dialect of Chakra's own feeder. The run time becomes the duration. Lives and throws as
/// `V004Decoder`.
class WorkloadGraphDecoder {
 public:
  explicit WorkloadGraphDecoder(Losses& losses) noexcept : losses_{&losses} {}

  const NodeView& node(const io::JsonValue& json) {
    node_ = {};
    data_.clear();
    ctrl_.clear();
    attributes_.clear();
    bool has_id = false;
    json_values::members(json, "workload_graph", [&](std::string_view key, const io::JsonValue& value) {
      if (key == "Id")
        node_.id = json_values::natural(value, key), has_id = true;
      else if (key == "Name")
        node_.name = json_values::text(value, key);
      else if (key == "NodeType")
        node_.type = type(value);
      else if (key == "data_deps")
        json_values::naturals(value, key, data_);
      else if (key == "ctrlDeps" || key == "ctrl_deps")
        json_values::naturals(value, key, ctrl_);
      else if (key == "runtime")
        node_.duration_micros = json_values::natural(value, key);
      else if (key == "is_cpu_op")
        attributes_.push_back(Attribute::boolean(key, json_values::integer(value, key) != 0));
      else
        number(key, value);
    });
    if (!has_id) throw WireProblem{"Id", "found none, expected one in each node of a workload_graph"};
    node_.data_deps = data_;
    node_.ctrl_deps = ctrl_;
    node_.attributes = attributes_;
    return node_;
  }

 private:
  static NodeType type(const io::JsonValue& value) {
    const std::uint64_t number = json_values::natural(value, "NodeType");
    if (number >= node_type_count)
      json_values::refuse("NodeType", value, "0 to " + std::to_string(node_type_count - 1));
    return static_cast<NodeType>(number);
  }

  void number(std::string_view key, const io::JsonValue& value) {
    static constexpr std::array<ValueType, 7> types{ValueType::uint64_val, ValueType::int64_val, ValueType::int32_val,
                                                    ValueType::int64_val,  ValueType::int32_val, ValueType::int32_val,
                                                    ValueType::int32_val};
    for (std::size_t i = 0; i < workload_graph_numbers.size(); ++i)
      if (workload_graph_numbers[i] == key) {
        attributes_.push_back({workload_graph_numbers[i], types[i], false, json_values::number(value, types[i], key)});
        return;
      }
    losses_->add("key", key);
  }

  Losses* losses_;
  NodeView node_;
  std::vector<std::uint64_t> data_;
  std::vector<std::uint64_t> ctrl_;
  std::vector<Attribute> attributes_;
};

} // namespace triosim::chakra
