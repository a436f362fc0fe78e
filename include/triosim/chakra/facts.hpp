#pragma once

#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// What the attributes mean that simulators know by name.
enum class Known : std::uint8_t {
  other,
  num_ops,
  tensor_size,
  comm_type,
  comm_size,
  comm_src,
  comm_dst,
  comm_tag,
  comm_priority,
  is_cpu_op,
  group,
  involved_dim,
};

/// `pg_name` and the older `comm_group` mean the same.
constexpr Known known_attribute(std::string_view name) noexcept {
  constexpr std::pair<std::string_view, Known> names[] = {
      {"num_ops", Known::num_ops},     {"tensor_size", Known::tensor_size},
      {"comm_type", Known::comm_type}, {"comm_size", Known::comm_size},
      {"comm_src", Known::comm_src},   {"comm_dst", Known::comm_dst},
      {"comm_tag", Known::comm_tag},   {"comm_priority", Known::comm_priority},
      {"is_cpu_op", Known::is_cpu_op}, {"pg_name", Known::group},
      {"comm_group", Known::group},    {"involved_dim", Known::involved_dim}};
  for (const auto& [known, meaning] : names)
    if (known == name) return meaning;
  return Known::other;
}

/// What a simulator wants to know of a node. Attributes are read leniently: an integer of any width or a bool serves as
/// a number, so does a floating-point one without a fraction; a group may be a text or a number. What is absent, or of
/// a type that cannot serve, stays empty. Where an attribute is given twice the first one counts.
struct Facts {
  std::optional<std::int64_t> num_ops;
  std::optional<std::int64_t> tensor_size;
  std::optional<std::int64_t> comm_type;
  std::optional<std::int64_t> comm_size;
  std::optional<std::int64_t> comm_src;
  std::optional<std::int64_t> comm_dst;
  std::optional<std::int64_t> comm_tag;
  std::optional<std::int64_t> comm_priority;
  std::optional<bool> is_cpu_op;
  std::optional<std::string> group;
  /// Which dimensions of the network a collective uses.
  std::optional<std::vector<bool>> involved_dim;

  /// False where the value cannot serve.
  bool take(Known meaning, const Attribute& attribute) {
    switch (meaning) {
    case Known::other:
      return true;
    case Known::num_ops:
      return keep(num_ops, attribute);
    case Known::tensor_size:
      return keep(tensor_size, attribute);
    case Known::comm_type:
      return keep(comm_type, attribute);
    case Known::comm_size:
      return keep(comm_size, attribute);
    case Known::comm_src:
      return keep(comm_src, attribute);
    case Known::comm_dst:
      return keep(comm_dst, attribute);
    case Known::comm_tag:
      return keep(comm_tag, attribute);
    case Known::comm_priority:
      return keep(comm_priority, attribute);
    case Known::is_cpu_op: {
      const std::optional<std::int64_t> value = number(attribute);
      if (value && !is_cpu_op) is_cpu_op = *value != 0;
      return value.has_value();
    }
    case Known::group: {
      if (is_text(attribute.type)) {
        if (!group) group.emplace(attribute.text);
        return true;
      }
      const std::optional<std::int64_t> value = number(attribute);
      if (value && !group) group = std::to_string(*value);
      return value.has_value();
    }
    case Known::involved_dim: {
      if (!is_list(attribute.type) || attribute.type >= ValueType::string_val) return false;
      const std::optional<std::vector<std::uint64_t>> bits = decode_numbers(attribute.type, attribute.text);
      if (!bits) return false;
      if (involved_dim) return true;
      involved_dim.emplace();
      for (const std::uint64_t bit : *bits)
        involved_dim->push_back(bit != 0);
      return true;
    }
    }
    return false;
  }

  static std::optional<std::int64_t> number(const Attribute& attribute) {
    if (is_integer(attribute.type)) return static_cast<std::int64_t>(attribute.bits);
    if (!is_floating(attribute.type)) return std::nullopt;
    const double value = attribute.type == ValueType::double_val
                             ? std::bit_cast<double>(attribute.bits)
                             : std::bit_cast<float>(static_cast<std::uint32_t>(attribute.bits));
    if (!(std::fabs(value) < 0x1p63) || value != std::trunc(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }

 private:
  static bool keep(std::optional<std::int64_t>& slot, const Attribute& attribute) {
    const std::optional<std::int64_t> value = number(attribute);
    if (!slot) slot = value;
    return value.has_value();
  }
};

} // namespace triosim::chakra
