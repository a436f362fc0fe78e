#pragma once

#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace triosim::chakra {

/// A number that is the same on every rank that shares the node, or entry `slot` of the values of a rank.
class RankValue {
 public:
  constexpr RankValue() noexcept = default;
  static constexpr RankValue fixed(std::uint32_t value) noexcept { return RankValue{value, false}; }
  static constexpr RankValue slot(std::uint32_t index) noexcept { return RankValue{index, true}; }

  constexpr std::uint32_t value() const noexcept { return value_; }
  constexpr bool per_rank() const noexcept { return per_rank_; }

 private:
  constexpr RankValue(std::uint32_t value, bool per_rank) noexcept : value_{value}, per_rank_{per_rank} {}

  std::uint32_t value_ = 0;
  bool per_rank_ = false;
};

/// An operand as the published generator describes it: `size` is a printed number, see `float_text`.
struct OperandText {
  std::string_view name;
  std::string_view size;
};

/// What the symbolic generator knows of a node; `OperationEncoding` turns it into the attributes that the published
/// generator writes. It refers to memory of the caller.
struct Operation {
  std::uint64_t id = 0;
  std::string_view name = {};
  NodeType type = NodeType::comp; ///< comp, comm_coll, comm_send or comm_recv
  std::span<const std::uint64_t> data_deps = {};
  std::span<const std::uint64_t> ctrl_deps = {};
  std::span<const OperandText> inputs = {};
  std::span<const OperandText> outputs = {};
  std::uint64_t y_tensor_size = 0; ///< appears in the JSON form alone
  /// comp
  std::int64_t num_ops = 0;
  std::uint64_t tensor_size = 0;
  std::string_view op_type = {};
  /// communication
  std::int64_t comm_size = 0;
  CollectiveType collective = CollectiveType::all_reduce;
  RankValue group = {}; ///< comm_coll: number of the communicator group
  std::int32_t tag = 0; ///< comm_send, comm_recv
  RankValue peer = {};  ///< comm_send: destination, comm_recv: source
};

/// Attributes of a node in the order and with the types of the published generator. Keeps its memory between calls; the
/// view that it returns lives until the next call.
class OperationEncoding {
 public:
  NodeView operator()(const Operation& operation) {
    count_ = 0;
    operands(0, "inputs", operation.inputs);
    operands(1, "outputs", operation.outputs);
    switch (operation.type) {
    case NodeType::comm_coll:
      add(Attribute::int64("comm_size", operation.comm_size));
      add(Attribute::int64("comm_type", static_cast<std::int64_t>(operation.collective)));
      group(operation.group);
      add(Attribute::int32("is_cpu_op", 0));
      break;
    case NodeType::comm_send:
    case NodeType::comm_recv:
      add(Attribute::int64("comm_size", operation.comm_size));
      add(Attribute::int32("comm_tag", operation.tag));
      peer(operation.type == NodeType::comm_send ? "comm_dst" : "comm_src", operation.peer);
      add(Attribute::int32("is_cpu_op", 0));
      break;
    default:
      add(Attribute::int64("num_ops", operation.num_ops));
      add(Attribute::uint64("tensor_size", operation.tensor_size));
      add(Attribute::string("op_type", operation.op_type));
      break;
    }
    add(Attribute::uint64(y_tensor_size_name, operation.y_tensor_size));
    NodeView node;
    node.id = operation.id;
    node.name = operation.name;
    node.type = operation.type;
    node.data_deps = operation.data_deps;
    node.ctrl_deps = operation.ctrl_deps;
    node.attributes = {attributes_.data(), count_};
    return node;
  }

 private:
  void add(const Attribute& attribute) { attributes_[count_++] = attribute; }

  void operands(std::size_t index, std::string_view name, std::span<const OperandText> list) {
    std::string& encoded = lists_[index];
    encoded.clear();
    for (const OperandText& operand : list) {
      append_string_list(encoded, operand.name);
      append_string_list(encoded, operand.size);
    }
    add(list.empty() ? Attribute::only_name(name) : Attribute::string_list(name, encoded));
  }

  void group(RankValue value) {
    if (value.per_rank()) return add(Attribute::string_of_rank("pg_name", value.value()));
    group_ = std::to_string(value.value());
    add(Attribute::string("pg_name", group_));
  }

  void peer(std::string_view name, RankValue value) {
    add(value.per_rank() ? Attribute::int32_of_rank(name, value.value())
                         : Attribute::int32(name, static_cast<std::int32_t>(value.value())));
  }

  std::array<Attribute, 8> attributes_;
  std::size_t count_ = 0;
  std::array<std::string, 2> lists_;
  std::string group_;
};

} // namespace triosim::chakra
