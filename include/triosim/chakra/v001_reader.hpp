#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/v001_encoder.hpp"
#include "triosim/chakra/wire.hpp"

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Decodes nodes of schema v0.0.1 into the attributes that v0.0.4 has for the same things. `parent` becomes data
/// dependencies, the run time becomes the duration. Lives and throws as `V004Decoder`.
class V001Decoder {
 public:
  explicit V001Decoder(Losses& losses) noexcept : losses_{&losses} {}

  const NodeView& node(std::string_view bytes) {
    node_ = {};
    parents_.clear();
    attributes_.clear();
    dimensions_.clear();
    bool has_id = false;
    bool has_name = false;
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      switch (const std::uint32_t tag = message.tag(); tag) {
      case 1:
        node_.id = get_varint(message, "id"), has_id = true;
        break;
      case 2:
        node_.name = get_bytes(message, "name"), has_name = true;
        break;
      case 3:
        node_.type = type(get_varint(message, "node_type"));
        break;
      case 4:
        get_varints(message, parents_, "parent");
        break;
      case 7:
        node_.duration_micros = get_varint(message, "simulated_run_time");
        break;
      case 14:
        get_varints(message, dimensions_, "involved_dim");
        break;
      case 15:
        group_ = std::to_string(get_varint(message, "communicator_id"));
        attributes_.push_back(Attribute::string("pg_name", group_));
        break;
      default:
        if (!number(message, tag)) {
          losses_->add("field " + std::to_string(tag) + " of a node");
          message.skip();
        }
        break;
      }
    }
    if (!has_id) throw WireProblem{"id", "found none, expected one, as schema v0.0.1 demands it"};
    if (!has_name) throw WireProblem{"name", "found none, expected one, as schema v0.0.1 demands it"};
    if (!dimensions_.empty()) {
      involved_dim_ = encode_numbers(ValueType::bool_list, dimensions_);
      attributes_.push_back({"involved_dim", ValueType::bool_list, false, 0, involved_dim_});
    }
    node_.data_deps = parents_;
    node_.attributes = attributes_;
    return node_;
  }

 private:
  static NodeType type(std::uint64_t number) {
    if (number >= node_type_count - 1u)
      throw WireProblem{"node_type",
                        "found " + std::to_string(number) + ", expected 0 to " + std::to_string(node_type_count - 2)};
    return number == 0 ? NodeType::invalid : static_cast<NodeType>(number + 1);
  }

  bool number(protozero::pbf_reader& message, std::uint32_t tag) {
    for (const V001Field& field : v001_fields) {
      if (field.number != tag) continue;
      std::uint64_t bits = get_varint(message, "a number of a node");
      if (tag == 13) {
        if (bits >= v001_collectives.size())
          throw WireProblem{"comm_type", "found " + std::to_string(bits) + ", expected 0 to 4"};
        // Number 0 says that there is no collective, as leaving the field out does.
        if (bits == 0) return true;
        bits = static_cast<std::uint64_t>(v001_collectives[bits]);
      }
      attributes_.push_back({field.attribute, field.type, false, bits});
      return true;
    }
    return false;
  }

  Losses* losses_;
  NodeView node_;
  std::vector<std::uint64_t> parents_;
  std::vector<std::uint64_t> dimensions_;
  std::vector<Attribute> attributes_;
  std::string group_;
  std::string involved_dim_;
};

} // namespace triosim::chakra
