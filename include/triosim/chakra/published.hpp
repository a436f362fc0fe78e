#pragma once

#include "triosim/chakra/model.hpp"

#include <array>
#include <span>
#include <string_view>

namespace triosim::chakra {

/// The attributes that the published generator gives to a kind of node, in its order. `inputs` and `outputs` are lists
/// of text, or mere names where they are empty. Its JSON form has no room for any others.
struct PublishedAttribute {
  std::string_view name;
  ValueType type;
};

namespace published_detail {

using List = std::array<PublishedAttribute, 6>;

inline constexpr std::array<PublishedAttribute, 5> comp{{{"inputs", ValueType::string_list},
                                                         {"outputs", ValueType::string_list},
                                                         {"num_ops", ValueType::int64_val},
                                                         {"tensor_size", ValueType::uint64_val},
                                                         {"op_type", ValueType::string_val}}};
inline constexpr List coll{{{"inputs", ValueType::string_list},
                            {"outputs", ValueType::string_list},
                            {"comm_size", ValueType::int64_val},
                            {"comm_type", ValueType::int64_val},
                            {"pg_name", ValueType::string_val},
                            {"is_cpu_op", ValueType::int32_val}}};
inline constexpr List send{{{"inputs", ValueType::string_list},
                            {"outputs", ValueType::string_list},
                            {"comm_size", ValueType::int64_val},
                            {"comm_tag", ValueType::int32_val},
                            {"comm_dst", ValueType::int32_val},
                            {"is_cpu_op", ValueType::int32_val}}};
inline constexpr List recv{{{"inputs", ValueType::string_list},
                            {"outputs", ValueType::string_list},
                            {"comm_size", ValueType::int64_val},
                            {"comm_tag", ValueType::int32_val},
                            {"comm_src", ValueType::int32_val},
                            {"is_cpu_op", ValueType::int32_val}}};

inline constexpr std::array<Attribute, 1> header{Attribute::string("schema", "symbolic_tensor_network")};

} // namespace published_detail

/// Empty for kinds of nodes that the published generator does not write.
constexpr std::span<const PublishedAttribute> published_attributes(NodeType type) noexcept {
  switch (type) {
  case NodeType::comp:
    return published_detail::comp;
  case NodeType::comm_coll:
    return published_detail::coll;
  case NodeType::comm_send:
    return published_detail::send;
  case NodeType::comm_recv:
    return published_detail::recv;
  default:
    return {};
  }
}

/// The header that the published generator writes.
inline constexpr HeaderView published_header{{}, published_detail::header};

} // namespace triosim::chakra
