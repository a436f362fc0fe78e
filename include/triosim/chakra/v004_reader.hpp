#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/wire.hpp"

#include <protozero/pbf_reader.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Decodes messages of schema v0.0.4. Repeated numbers may be packed or not. Views into the message stay in the result,
/// which lives until the next call. Throws `WireProblem` and protozero's exceptions.
class V004Decoder {
 public:
  explicit V004Decoder(Losses& losses) noexcept : losses_{&losses} {}

  const NodeView& node(std::string_view bytes) {
    clear();
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      switch (message.tag()) {
      case 1:
        node_.id = get_varint(message, "id");
        break;
      case 2:
        node_.name = get_bytes(message, "name");
        break;
      case 3:
        node_.type = type(get_varint(message, "type"));
        break;
      case 4:
        get_varints(message, ctrl_, "ctrl_deps");
        break;
      case 5:
        get_varints(message, data_, "data_deps");
        break;
      case 6:
        node_.start_time_micros = get_varint(message, "start_time_micros");
        break;
      case 7:
        node_.duration_micros = get_varint(message, "duration_micros");
        break;
      case 8:
        info(get_bytes(message, "inputs"), node_.inputs);
        break;
      case 9:
        info(get_bytes(message, "outputs"), node_.outputs);
        break;
      case 10:
        attribute(get_bytes(message, "attr"), attributes_.emplace_back());
        break;
      default:
        unknown(message, "node");
        break;
      }
    }
    node_.ctrl_deps = ctrl_;
    node_.data_deps = data_;
    node_.attributes = attributes_;
    return node_;
  }

  HeaderView header(std::string_view bytes) {
    clear();
    HeaderView header;
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      switch (message.tag()) {
      case 1:
        header.version = get_bytes(message, "version");
        break;
      case 2:
        attribute(get_bytes(message, "attr"), attributes_.emplace_back());
        break;
      default:
        unknown(message, "header");
        break;
      }
    }
    header.attributes = attributes_;
    return header;
  }

 private:
  void clear() noexcept {
    node_ = {};
    ctrl_.clear();
    data_.clear();
    attributes_.clear();
  }

  static NodeType type(std::uint64_t number) {
    if (number >= node_type_count)
      throw WireProblem{"type",
                        "found " + std::to_string(number) + ", expected 0 to " + std::to_string(node_type_count - 1)};
    return static_cast<NodeType>(number);
  }

  void unknown(protozero::pbf_reader& message, const char* where) {
    losses_->add("field " + std::to_string(message.tag()) + " of a " + where);
    message.skip();
  }

  void info(std::string_view bytes, std::optional<IoInfo>& info) {
    if (!info) info.emplace();
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      switch (message.tag()) {
      case 1:
        info->values = get_bytes(message, "values");
        break;
      case 2:
        info->shapes = get_bytes(message, "shapes");
        break;
      case 3:
        info->types = get_bytes(message, "types");
        break;
      default:
        unknown(message, "inputs or outputs");
        break;
      }
    }
  }

  void attribute(std::string_view bytes, Attribute& attribute) {
    // The name comes first, as a rule, and is short.
    if (bytes.size() > 2 && bytes[0] == '\x0a' && bytes[1] >= 0 &&
        bytes.size() - 2 >= static_cast<std::size_t>(bytes[1])) {
      attribute.name = bytes.substr(2, static_cast<std::size_t>(bytes[1]));
      bytes.remove_prefix(2 + attribute.name.size());
    }
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      const std::uint32_t tag = message.tag();
      if (tag == 1)
        attribute.name = get_bytes(message, "attribute name");
      else if (tag == 2)
        attribute.doc = get_bytes(message, "attribute doc_string");
      else if (tag >= 3 && tag <= 32)
        value(message, attribute, static_cast<ValueType>(tag));
      else
        unknown(message, "attribute");
    }
  }

  static void value(protozero::pbf_reader& message, Attribute& attribute, ValueType type) {
    const auto wide = [](std::int32_t narrow) { return static_cast<std::uint64_t>(std::int64_t{narrow}); };
    const auto four = [&] { expect_wire(message, protozero::pbf_wire_type::fixed32, "attribute value"); };
    const auto eight = [&] { expect_wire(message, protozero::pbf_wire_type::fixed64, "attribute value"); };
    attribute.type = type;
    attribute.bits = 0;
    attribute.text = {};
    switch (type) {
    case ValueType::double_val:
      eight();
      attribute.bits = std::bit_cast<std::uint64_t>(message.get_double());
      break;
    case ValueType::float_val:
      four();
      attribute.bits = std::bit_cast<std::uint32_t>(message.get_float());
      break;
    case ValueType::int32_val:
      attribute.bits = wide(static_cast<std::int32_t>(get_varint(message, "attribute value")));
      break;
    case ValueType::uint32_val:
      attribute.bits = static_cast<std::uint32_t>(get_varint(message, "attribute value"));
      break;
    case ValueType::int64_val:
    case ValueType::uint64_val:
      attribute.bits = get_varint(message, "attribute value");
      break;
    case ValueType::bool_val:
      attribute.bits = get_varint(message, "attribute value") != 0 ? 1 : 0;
      break;
    case ValueType::sint32_val:
    case ValueType::sint64_val: {
      const std::int64_t number = protozero::decode_zigzag64(get_varint(message, "attribute value"));
      attribute.bits =
          type == ValueType::sint32_val ? wide(static_cast<std::int32_t>(number)) : static_cast<std::uint64_t>(number);
      break;
    }
    case ValueType::fixed32_val:
      four();
      attribute.bits = message.get_fixed32();
      break;
    case ValueType::sfixed32_val:
      four();
      attribute.bits = wide(message.get_sfixed32());
      break;
    case ValueType::fixed64_val:
    case ValueType::sfixed64_val:
      eight();
      attribute.bits = message.get_fixed64();
      break;
    default:
      attribute.text = get_bytes(message, "attribute value");
      break;
    }
  }

  Losses* losses_;
  NodeView node_;
  std::vector<std::uint64_t> ctrl_;
  std::vector<std::uint64_t> data_;
  std::vector<Attribute> attributes_;
};

} // namespace triosim::chakra
