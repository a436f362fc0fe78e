#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/model.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace triosim::chakra {

namespace names_detail {

inline constexpr std::array<std::string_view, node_type_count> node_types{
    "invalid", "metadata", "mem_load", "mem_store", "comp", "comm_send", "comm_recv", "comm_coll"};

/// As the JSON form spells them.
inline constexpr std::array<std::string_view, node_type_count> json_node_types{
    "invalid_node", "metadata_node",  "mem_load_node",  "mem_store_node",
    "comp_node",    "comm_send_node", "comm_recv_node", "coll_comm_node"};

inline constexpr std::array<std::string_view, collective_type_count> collective_types{
    "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
    "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};

/// By number of the field in the schema's oneof, from 3.
inline constexpr std::array<std::string_view, 30> value_types{
    "double",  "double_list",  "float",   "float_list",   "int32",    "int32_list",    "int64",    "int64_list",
    "uint32",  "uint32_list",  "uint64",  "uint64_list",  "sint32",   "sint32_list",   "sint64",   "sint64_list",
    "fixed32", "fixed32_list", "fixed64", "fixed64_list", "sfixed32", "sfixed32_list", "sfixed64", "sfixed64_list",
    "bool",    "bool_list",    "string",  "string_list",  "bytes",    "bytes_list"};

template <std::size_t N>
constexpr std::optional<std::size_t> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

} // namespace names_detail

/// Numbers that a node of the `workload_graph` dialect can hold, by the names that they have as attributes too.
inline constexpr std::array<std::string_view, 7> workload_graph_numbers{
    "tensor_size", "comm_type", "comm_priority", "comm_size", "comm_src", "comm_dst", "comm_tag"};

constexpr std::string_view to_text(NodeType type) {
  return names_detail::node_types.at(static_cast<std::size_t>(type));
}
constexpr std::string_view to_json_text(NodeType type) {
  return names_detail::json_node_types.at(static_cast<std::size_t>(type));
}
constexpr std::string_view to_text(CollectiveType type) {
  return names_detail::collective_types.at(static_cast<std::size_t>(type));
}
constexpr std::string_view to_text(ValueType type) {
  return type == ValueType::none ? "none" : names_detail::value_types.at(static_cast<std::size_t>(type) - 3);
}
constexpr std::string_view to_text(Format format) {
  switch (format) {
  case Format::v0_0_4:
    return "v0.0.4";
  case Format::v0_0_1:
    return "v0.0.1";
  case Format::json:
    return "json";
  case Format::workload_graph:
    return "workload_graph";
  }
  return "";
}

constexpr std::optional<NodeType> node_type_from_json_text(std::string_view name) {
  const auto found = names_detail::find(names_detail::json_node_types, name);
  return found ? std::optional{static_cast<NodeType>(*found)} : std::nullopt;
}
constexpr std::optional<CollectiveType> collective_type_from_text(std::string_view name) {
  const auto found = names_detail::find(names_detail::collective_types, name);
  return found ? std::optional{static_cast<CollectiveType>(*found)} : std::nullopt;
}
constexpr std::optional<ValueType> value_type_from_text(std::string_view name) {
  if (name == "none") return ValueType::none;
  const auto found = names_detail::find(names_detail::value_types, name);
  return found ? std::optional{static_cast<ValueType>(*found + 3)} : std::nullopt;
}
constexpr std::optional<Format> format_from_text(std::string_view name) {
  for (const Format format : {Format::v0_0_4, Format::v0_0_1, Format::json, Format::workload_graph})
    if (to_text(format) == name) return format;
  return std::nullopt;
}

} // namespace triosim::chakra
