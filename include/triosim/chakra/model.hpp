#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace triosim::chakra {

/// What a node does. The numbers are those of schema v0.0.4.
enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  comm_send,
  comm_recv,
  comm_coll,
};
inline constexpr std::uint8_t node_type_count = 8;

/// Which collective a comm_coll node is. The numbers are those of schema v0.0.4.
enum class CollectiveType : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier,
};
inline constexpr std::uint8_t collective_type_count = 10;

/// What kind of value an attribute has: the number of its field in the schema's oneof, `none` where it is a mere name.
/// A single value has an odd number, and the list of its kind follows it.
enum class ValueType : std::uint8_t {
  none = 0,
  double_val = 3,
  double_list,
  float_val,
  float_list,
  int32_val,
  int32_list,
  int64_val,
  int64_list,
  uint32_val,
  uint32_list,
  uint64_val,
  uint64_list,
  sint32_val,
  sint32_list,
  sint64_val,
  sint64_list,
  fixed32_val,
  fixed32_list,
  fixed64_val,
  fixed64_list,
  sfixed32_val,
  sfixed32_list,
  sfixed64_val,
  sfixed64_list,
  bool_val,
  bool_list,
  string_val,
  string_list,
  bytes_val,
  bytes_list,
};

constexpr bool is_list(ValueType type) noexcept {
  return type != ValueType::none && static_cast<unsigned>(type) % 2 == 0;
}
constexpr bool is_text(ValueType type) noexcept {
  return type == ValueType::string_val || type == ValueType::bytes_val;
}
constexpr bool is_floating(ValueType type) noexcept {
  return type == ValueType::double_val || type == ValueType::float_val;
}
constexpr bool is_integer(ValueType type) noexcept {
  return type >= ValueType::int32_val && type <= ValueType::bool_val && !is_list(type);
}

/// One named value of a node. It refers to memory of the caller and is meant to live for one call.
struct Attribute {
  std::string_view name;
  ValueType type = ValueType::none;
  /// The value is number `bits` of those that are given when a file is rendered, see `FileTemplate`.
  bool per_rank = false;
  /// An integer or bool, sign-extended to 64 bits; or the bit pattern of a double (for `float_val`: of a float).
  std::uint64_t bits = 0;
  /// A string or bytes; for a list its encoded form, the content of the schema's ...List message.
  std::string_view text = {};
  std::string_view doc = {};

  static constexpr Attribute only_name(std::string_view name) { return {name}; }
  static constexpr Attribute int32(std::string_view name, std::int32_t value) {
    return {name, ValueType::int32_val, false, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
  }
  static constexpr Attribute int64(std::string_view name, std::int64_t value) {
    return {name, ValueType::int64_val, false, static_cast<std::uint64_t>(value)};
  }
  static constexpr Attribute uint64(std::string_view name, std::uint64_t value) {
    return {name, ValueType::uint64_val, false, value};
  }
  static constexpr Attribute boolean(std::string_view name, bool value) {
    return {name, ValueType::bool_val, false, value ? std::uint64_t{1} : std::uint64_t{0}};
  }
  static constexpr Attribute string(std::string_view name, std::string_view value) {
    return {name, ValueType::string_val, false, 0, value};
  }
  /// `encoded` as `append_string_list` (lists.hpp) builds it.
  static constexpr Attribute string_list(std::string_view name, std::string_view encoded) {
    return {name, ValueType::string_list, false, 0, encoded};
  }
  /// An int32 that differs from rank to rank: entry `slot` of the values given to `FileTemplate::render`.
  static constexpr Attribute int32_of_rank(std::string_view name, std::uint32_t slot) {
    return {name, ValueType::int32_val, true, slot};
  }
  /// A decimal text that differs from rank to rank.
  static constexpr Attribute string_of_rank(std::string_view name, std::uint32_t slot) {
    return {name, ValueType::string_val, true, slot};
  }
};

/// The schema's IOInfo: texts as the profiler gave them.
struct IoInfo {
  std::string_view values;
  std::string_view shapes;
  std::string_view types;
};

/// One node, as every encoder takes it. It refers to memory of the caller and is meant to live for one call.
struct NodeView {
  std::uint64_t id = 0;
  std::string_view name = {};
  NodeType type = NodeType::invalid;
  std::span<const std::uint64_t> ctrl_deps = {};
  std::span<const std::uint64_t> data_deps = {};
  std::uint64_t start_time_micros = 0;
  std::uint64_t duration_micros = 0;
  std::optional<IoInfo> inputs = {};
  std::optional<IoInfo> outputs = {};
  /// In the order in which they are written.
  std::span<const Attribute> attributes = {};
};

/// What stands at the head of a file (v0.0.4 alone has room for it).
struct HeaderView {
  std::string_view version = {};
  std::span<const Attribute> attributes = {};
};

/// Size of an operand by the JSON form's name: only that form has room for it, the others leave it out.
inline constexpr std::string_view y_tensor_size_name = "y_tensor_size";

} // namespace triosim::chakra
