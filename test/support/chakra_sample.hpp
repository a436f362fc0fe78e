#pragma once

#include <triosim/chakra/published.hpp>
#include <triosim/chakra/trace.hpp>
#include <triosim/chakra/trace_builder.hpp>
#include <triosim/chakra/write.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim::test {

/// One attribute of every type that the schema has, edge values among them. The texts live for ever.
inline std::vector<chakra::Attribute> attributes_of_every_type() {
  using chakra::Attribute;
  using chakra::ValueType;
  static const std::string texts = [] {
    std::string encoded;
    chakra::append_string_list(encoded, "a@0Batch,Seq");
    chakra::append_string_list(encoded, "");
    chakra::append_string_list(encoded, "caf\xc3\xa9");
    return encoded;
  }();
  static const std::vector<std::string> numbers = [] {
    std::vector<std::string> lists;
    for (unsigned type = 4; type <= 28; type += 2)
      lists.push_back(chakra::encode_numbers(static_cast<ValueType>(type), std::vector<std::uint64_t>{1, 0, 1}));
    return lists;
  }();
  std::vector<Attribute> all;
  const auto add = [&](const char* name, ValueType type, std::uint64_t bits, std::string_view text = {}) {
    all.push_back({name, type, false, bits, text, {}});
  };
  const auto minus = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  all.push_back(Attribute::only_name("nothing"));
  add("double", ValueType::double_val, std::bit_cast<std::uint64_t>(0.1));
  add("infinite", ValueType::double_val, std::bit_cast<std::uint64_t>(-1.0 / 0.0));
  add("float", ValueType::float_val, std::bit_cast<std::uint32_t>(1e-7f));
  add("int32", ValueType::int32_val, minus(INT32_MIN));
  add("int64", ValueType::int64_val, minus(INT64_MIN));
  add("uint32", ValueType::uint32_val, UINT32_MAX);
  add("uint64", ValueType::uint64_val, UINT64_MAX);
  add("sint32", ValueType::sint32_val, minus(-1));
  add("sint64", ValueType::sint64_val, minus(INT64_MAX));
  add("fixed32", ValueType::fixed32_val, 0);
  add("fixed64", ValueType::fixed64_val, UINT64_MAX);
  add("sfixed32", ValueType::sfixed32_val, minus(-2));
  add("sfixed64", ValueType::sfixed64_val, minus(-3));
  add("bool", ValueType::bool_val, 1);
  add("string", ValueType::string_val, 0, "one \"two\"\n");
  add("empty", ValueType::string_val, 0, "");
  add("bytes", ValueType::bytes_val, 0, std::string_view{"\xff\x00\x80", 3});
  add("strings", ValueType::string_list, 0, texts);
  add("no strings", ValueType::string_list, 0, "");
  add("byte strings", ValueType::bytes_list, 0, texts);
  for (unsigned i = 0; i < numbers.size(); ++i)
    add("numbers", static_cast<ValueType>(4 + 2 * i), 0, numbers[i]);
  add("no numbers", ValueType::int64_list, 0, "");
  all.back().doc = "why";
  return all;
}

/// A small trace with a node of every kind, what profilers and generators add, and control dependencies on a frame that
/// is not in the file.
inline chakra::Trace sample_trace() {
  using namespace chakra;
  TraceBuilder builder{"sample", Format::v0_0_4};
  const Attribute header[] = {Attribute::string("schema", "sample"), Attribute::int64("pid", -7)};
  builder.header({"1.0", header});
  std::uint64_t id = 1;
  const auto add = [&](NodeType type, const char* name, std::vector<std::uint64_t> deps,
                       std::vector<Attribute> attributes) {
    NodeView node;
    node.id = id++;
    node.type = type;
    node.name = name;
    node.data_deps = deps;
    node.attributes = attributes;
    const std::uint64_t frame[] = {1000, 1};
    if (type == NodeType::mem_store) node.ctrl_deps = frame;
    if (type == NodeType::mem_load) node.inputs = IoInfo{"[1, 'cuda:0']", "[[2]]", ""};
    if (type == NodeType::mem_load) node.outputs = IoInfo{};
    if (type == NodeType::comp) node.start_time_micros = 3, node.duration_micros = 40;
    builder.node(node);
  };
  static const std::string operands = [] {
    std::string encoded;
    append_string_list(encoded, "w@0B,S");
    append_string_list(encoded, "8.0");
    return encoded;
  }();
  static const std::string dimensions = encode_numbers(ValueType::bool_list, std::vector<std::uint64_t>{1, 0});
  add(NodeType::mem_load, "w@0_LOAD", {}, {Attribute::uint64("tensor_size", 8)});
  add(NodeType::comp, "y@0_COMP", {1},
      {Attribute::string_list("inputs", operands), Attribute::only_name("outputs"), Attribute::int64("num_ops", 100),
       Attribute::uint64("tensor_size", 8), Attribute::string("op_type", "M")});
  add(NodeType::comm_coll, "y@0_X1COMM", {2},
      {Attribute::string_list("inputs", operands), Attribute::only_name("outputs"), Attribute::int64("comm_size", 8),
       Attribute::int64("comm_type", 2), Attribute::string("pg_name", "3"), Attribute::int32("is_cpu_op", 0)});
  add(NodeType::comm_send, "y@0_Y_SEND", {3},
      {Attribute::string_list("inputs", operands), Attribute::only_name("outputs"), Attribute::int64("comm_size", 8),
       Attribute::int32("comm_tag", 5), Attribute::int32("comm_dst", 1), Attribute::int32("is_cpu_op", 0)});
  add(NodeType::comm_recv, "z@0_Y_RECV", {},
      {Attribute::only_name("inputs"), Attribute::string_list("outputs", operands), Attribute::int64("comm_size", 8),
       Attribute::int32("comm_tag", 6), Attribute::int32("comm_src", 1), Attribute::int32("is_cpu_op", 0)});
  add(NodeType::comm_coll, "odd", {5, 4},
      {Attribute::int64("comm_type", 0),
       Attribute::boolean("is_cpu_op", true),
       {"involved_dim", ValueType::bool_list, false, 0, dimensions, {}}});
  add(NodeType::mem_store, "w@0_STORE", {6}, attributes_of_every_type());
  add(NodeType::metadata, "", {}, {});
  return builder.finish();
}

inline std::string sample_file(chakra::Format format) {
  return chakra::write_memory(sample_trace(), format);
}

} // namespace triosim::test
