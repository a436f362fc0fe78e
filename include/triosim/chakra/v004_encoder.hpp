#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/model.hpp"

#include <protozero/pbf_writer.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace triosim::chakra {

/// Encodes nodes and headers as messages of schema v0.0.4, fields in the order of their numbers, as protobuf's own
/// writer does. Where a trace is lossless in another format it is so through this one.
class V004Encoder {
 public:
  void header(std::string& out, const HeaderView& header) {
    protozero::pbf_writer message{out};
    if (!header.version.empty()) message.add_string(1, header.version.data(), header.version.size());
    for (const Attribute& attribute : header.attributes)
      encode(message, 2, attribute);
  }

  void node(EncodedNode& out, const NodeView& node, Losses& losses) {
    protozero::pbf_writer message{out.bytes};
    if (node.id != 0) message.add_uint64(1, node.id);
    if (!node.name.empty()) message.add_string(2, node.name.data(), node.name.size());
    if (node.type != NodeType::invalid) message.add_enum(3, static_cast<std::int32_t>(node.type));
    ids(message, 4, distinct_(node.ctrl_deps));
    ids(message, 5, distinct_(node.data_deps));
    if (node.start_time_micros != 0) message.add_uint64(6, node.start_time_micros);
    if (node.duration_micros != 0) message.add_uint64(7, node.duration_micros);
    if (node.inputs) encode(message, 8, *node.inputs);
    if (node.outputs) encode(message, 9, *node.outputs);
    for (const Attribute& attribute : node.attributes) {
      if (attribute.name == y_tensor_size_name) {
        losses.add("attribute", attribute.name);
      } else if (attribute.per_rank) {
        out.hole({attribute.type == ValueType::string_val ? Hole::Spelling::v004_string : Hole::Spelling::v004_int32,
                  10, static_cast<std::uint32_t>(attribute.bits), std::string{attribute.name}});
      } else {
        encode(message, 10, attribute);
      }
    }
    // A message of length zero would be read as the end of the file.
    if (out.bytes.empty() && out.holes.empty()) message.add_uint64(1, 0);
  }

  static void encode(protozero::pbf_writer& parent, std::uint32_t field, const Attribute& attribute) {
    // protozero leaves out a message without content; protobuf does not.
    if (attribute.name.empty() && attribute.doc.empty() && attribute.type == ValueType::none)
      return parent.add_message(field, "", 0);
    protozero::pbf_writer message{parent, field};
    if (!attribute.name.empty()) message.add_string(1, attribute.name.data(), attribute.name.size());
    if (!attribute.doc.empty()) message.add_string(2, attribute.doc.data(), attribute.doc.size());
    const auto number = static_cast<std::uint32_t>(attribute.type);
    const std::uint64_t bits = attribute.bits;
    switch (attribute.type) {
    case ValueType::none:
      break;
    case ValueType::double_val:
      message.add_double(number, std::bit_cast<double>(bits));
      break;
    case ValueType::float_val:
      message.add_float(number, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      break;
    case ValueType::int32_val:
    case ValueType::int64_val:
      message.add_int64(number, static_cast<std::int64_t>(bits));
      break;
    case ValueType::uint32_val:
    case ValueType::uint64_val:
    case ValueType::bool_val:
      message.add_uint64(number, bits);
      break;
    case ValueType::sint32_val:
    case ValueType::sint64_val:
      message.add_sint64(number, static_cast<std::int64_t>(bits));
      break;
    case ValueType::fixed32_val:
    case ValueType::sfixed32_val:
      message.add_fixed32(number, static_cast<std::uint32_t>(bits));
      break;
    case ValueType::fixed64_val:
    case ValueType::sfixed64_val:
      message.add_fixed64(number, bits);
      break;
    default:
      message.add_bytes(number, attribute.text.data(), attribute.text.size());
      break;
    }
  }

 private:
  static void ids(protozero::pbf_writer& message, std::uint32_t field, std::span<const std::uint64_t> ids) {
    message.add_packed_uint64(field, ids.begin(), ids.end());
  }

  static void encode(protozero::pbf_writer& parent, std::uint32_t field, const IoInfo& info) {
    if (info.values.empty() && info.shapes.empty() && info.types.empty()) return parent.add_message(field, "", 0);
    protozero::pbf_writer message{parent, field};
    if (!info.values.empty()) message.add_string(1, info.values.data(), info.values.size());
    if (!info.shapes.empty()) message.add_string(2, info.shapes.data(), info.shapes.size());
    if (!info.types.empty()) message.add_string(3, info.types.data(), info.types.size());
  }

  DistinctIds distinct_;
};

} // namespace triosim::chakra
