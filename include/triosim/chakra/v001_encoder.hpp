#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"

#include <protozero/pbf_writer.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// The fixed fields of a node of schema v0.0.1 that hold one number each, and the attributes that carry them elsewhere,
/// with the types that the published generator gives them there.
struct V001Field {
  std::uint32_t number;
  std::string_view attribute;
  ValueType type;
};
inline constexpr std::array<V001Field, 13> v001_fields{{{5, "tensor_loc", ValueType::uint32_val},
                                                        {6, "tensor_size", ValueType::uint64_val},
                                                        {8, "input_tensor_loc", ValueType::uint32_val},
                                                        {9, "input_tensor_size", ValueType::uint64_val},
                                                        {10, "output_tensor_loc", ValueType::uint32_val},
                                                        {11, "output_tensor_size", ValueType::uint64_val},
                                                        {12, "num_ops", ValueType::int64_val},
                                                        {13, "comm_type", ValueType::int64_val},
                                                        {16, "comm_src", ValueType::int32_val},
                                                        {17, "comm_dst", ValueType::int32_val},
                                                        {18, "comm_size", ValueType::int64_val},
                                                        {19, "comm_tag", ValueType::int32_val},
                                                        {20, "comm_priority", ValueType::int32_val}}};

/// Collectives of schema v0.0.1 by number; 0 says that there is none.
inline constexpr std::array<CollectiveType, 5> v001_collectives{CollectiveType::barrier, CollectiveType::all_reduce,
                                                                CollectiveType::all_to_all, CollectiveType::all_gather,
                                                                CollectiveType::reduce_scatter};

/// Encodes nodes as messages of schema v0.0.1 (proto2, repeated fields not packed). A collective that does not say
/// which dimensions of the network it uses is written as the published generator writes it: with three times true.
class V001Encoder {
 public:
  void node(EncodedNode& out, const NodeView& node, Losses& losses) {
    collect(node, losses);
    protozero::pbf_writer message{out.bytes};
    message.add_uint64(1, node.id);
    message.add_string(2, node.name.data(), node.name.size());
    if (node.type == NodeType::metadata) losses.add("node type metadata");
    const auto type = static_cast<std::int32_t>(node.type);
    message.add_enum(3, node.type <= NodeType::metadata ? 0 : type - 1);
    // The older schema has one list: what orders and what carries data are the same to it.
    parents_.assign(node.data_deps.begin(), node.data_deps.end());
    parents_.insert(parents_.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
    if (!node.ctrl_deps.empty()) losses.add("difference of control and data dependencies", node.ctrl_deps.size());
    for (const std::uint64_t id : distinct_(parents_))
      message.add_uint64(4, id);
    for (std::uint32_t number = 5; number <= 20; ++number) {
      if (number == 7 && node.duration_micros != 0) message.add_uint64(7, node.duration_micros);
      if (number == 14 && node.type == NodeType::comm_coll) {
        for (const std::uint64_t value : dimensions_)
          message.add_bool(14, value != 0);
      }
      const std::optional<Value>& value = values_[number];
      if (!value) continue;
      if (value->per_rank)
        out.hole({Hole::Spelling::v001_uint32, number, static_cast<std::uint32_t>(value->bits), {}});
      else
        message.add_uint64(number, value->bits);
    }
    if (node.start_time_micros != 0) losses.add("start time");
    if (node.inputs) losses.add("inputs");
    if (node.outputs) losses.add("outputs");
  }

 private:
  struct Value {
    std::uint64_t bits;
    bool per_rank = false;
  };

  void collect(const NodeView& node, Losses& losses) {
    values_ = {};
    dimensions_.assign(3, 1);
    for (const Attribute& attribute : node.attributes) {
      if (attribute.name == "pg_name" || attribute.name == "comm_group" || attribute.name == "communicator_id") {
        group(attribute, losses);
      } else if (attribute.name == "involved_dim" && attribute.type == ValueType::bool_list) {
        dimensions_ = decode_numbers(attribute.type, attribute.text).value_or(std::vector<std::uint64_t>{});
      } else if (is_integer(attribute.type) && store(attribute, losses)) {
        continue;
      } else if (attribute.name != "is_cpu_op" || attribute.bits != 0) {
        losses.add("attribute", attribute.name);
      }
    }
  }

  bool store(const Attribute& attribute, Losses& losses) {
    for (const V001Field& field : v001_fields)
      if (field.attribute == attribute.name) {
        std::uint64_t bits = attribute.bits;
        if (field.number == 13) bits = collective(bits, losses);
        if (field.number != 13 || bits != 0) values_[field.number] = Value{bits, attribute.per_rank};
        return true;
      }
    return false;
  }

  static std::uint64_t collective(std::uint64_t bits, Losses& losses) {
    for (std::size_t i = 1; i < v001_collectives.size(); ++i)
      if (static_cast<std::uint64_t>(v001_collectives[i]) == bits) return i;
    losses.add("collectives that schema v0.0.1 does not know");
    return 0;
  }

  void group(const Attribute& attribute, Losses& losses) {
    if (attribute.per_rank || is_integer(attribute.type)) {
      values_[15] = Value{attribute.bits, attribute.per_rank};
      return;
    }
    std::uint32_t id = 0;
    const char* const end = attribute.text.data() + attribute.text.size();
    const auto [stop, code] = std::from_chars(attribute.text.data(), end, id);
    if (code == std::errc{} && stop == end && is_text(attribute.type))
      values_[15] = Value{id};
    else if (!attribute.text.empty())
      losses.add("group names that are no numbers");
  }

  DistinctIds distinct_;
  std::array<std::optional<Value>, 21> values_;
  std::vector<std::uint64_t> dimensions_;
  std::vector<std::uint64_t> parents_;
};

} // namespace triosim::chakra
