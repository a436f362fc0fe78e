#pragma once

#include "triosim/chakra/collective_type.hpp"
#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/file_template.hpp"
#include "triosim/chakra/groups.hpp"
#include "triosim/chakra/operation.hpp"
#include "triosim/error.hpp"
#include "triosim/io/trace_names.hpp"
#include "triosim/symbolic/classic/descriptors.hpp"
#include "triosim/symbolic/classic/step.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::io {

/// A whole number of any size that a double holds exactly, such as 4*trunc(n/2).
inline std::string integer_text(double value) {
  char buffer[400];
  return {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%.0f", value))};
}

/// The trace of one stage, encoded once, and what each of its ranks fills in: its groups, then its peers.
class StageTemplate {
 public:
  StageTemplate(const symbolic::classic::Step& step, std::uint32_t stage, chakra::Format format)
      : step_{&step}, stage_{stage}, template_{format, {{}, header_attributes}} {
    encode();
  }

  const chakra::FileTemplate& file() const noexcept { return template_; }

  /// What `rank` fills in, into `values`.
  void values(std::uint32_t rank, std::vector<std::uint32_t>& values) const {
    const auto& groups = step_->groups();
    values.clear();
    for (std::size_t axis = 0; axis < groups.axes(); ++axis)
      values.push_back(groups.group(axis, rank));
    for (std::uint32_t stage : peers_)
      values.push_back(groups.peer(rank, stage));
  }

 private:
  static constexpr std::array<chakra::Attribute, 1> header_attributes{
      chakra::Attribute::string("schema", "symbolic_tensor_network")};

  void encode() {
    namespace classic = symbolic::classic;
    const classic::NodeList& nodes = step_->stages()[stage_];
    const classic::Options& options = step_->options();
    classic::Descriptors descriptors{step_->graph(), step_->measures(), options.weight_sharded && options.dp > 1,
                                     options.mixed_precision};
    chakra::OperationEncoding encoding;
    std::string name;
    std::array<std::string, 3> names, sizes; // first operand, second operand, result
    std::vector<chakra::OperandText> inputs, outputs;
    std::vector<std::uint64_t> dependencies;
    const auto describe = [&](symbolic::TensorId id, std::size_t at) {
      id = descriptors.described(id);
      names[at].clear();
      descriptors.append_name(names[at], id);
      const classic::DescribedSize size = descriptors.size(step_->graph()[id]);
      sizes[at] = size.integer ? integer_text(size.value) : chakra::float_text(size.value);
      return chakra::OperandText{names[at], sizes[at]};
    };

    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const classic::Node& node = nodes[i];
      const symbolic::Tensor& tensor = step_->graph()[node.tensor];
      chakra::Operation operation;
      operation.id = node.id;
      name.clear();
      step_->graph().append_name(name, tensor);
      inputs.clear();
      outputs.clear();
      switch (node.kind) {
      case TaskKind::Collective:
        name += node.for_second ? "_X2_COMM" : "_X1COMM";
        operation.type = chakra::NodeType::comm_coll;
        operation.collective = chakra::collective_type(node.collective);
        operation.group = chakra::RankValue::slot(node.axis);
        inputs.push_back(describe(node.for_second ? tensor.x2 : tensor.x1, 0));
        break;
      case TaskKind::Send:
        name += "_Y_SEND";
        operation.type = chakra::NodeType::comm_send;
        inputs.push_back(describe(node.tensor, 0));
        break;
      case TaskKind::Receive:
        name += "_Y_RECV";
        operation.type = chakra::NodeType::comm_recv;
        outputs.push_back(describe(node.tensor, 2));
        break;
      default:
        name += "_COMP";
        if (tensor.x1 != symbolic::no_tensor) inputs.push_back(describe(tensor.x1, 0));
        if (tensor.x2 != symbolic::no_tensor) inputs.push_back(describe(tensor.x2, 1));
        outputs.push_back(describe(node.tensor, 2));
        operation.op_type = letters(tensor.op);
        operation.num_ops = node.work;
        operation.tensor_size = static_cast<std::uint64_t>(node.elements);
      }
      if (node.kind != TaskKind::Compute) operation.comm_size = node.work;
      if (node.kind == TaskKind::Send || node.kind == TaskKind::Receive) {
        operation.tag = tag(node.tag);
        operation.peer = chakra::RankValue::slot(peer_slot(node.peer_stage));
      }
      operation.name = name;
      operation.y_tensor_size = static_cast<std::uint64_t>(node.elements);
      operation.inputs = inputs;
      operation.outputs = outputs;
      dependencies.clear();
      for (std::uint32_t before : nodes.dependencies(i))
        dependencies.push_back(nodes[before].id);
      operation.data_deps = dependencies;
      template_.add(encoding(operation));
    }
  }

  std::uint32_t peer_slot(std::uint32_t stage) {
    const auto known = std::find(peers_.begin(), peers_.end(), stage);
    const auto place = static_cast<std::size_t>(known - peers_.begin());
    if (known == peers_.end()) peers_.push_back(stage);
    return static_cast<std::uint32_t>(step_->groups().axes() + place);
  }

  static std::int32_t tag(std::uint64_t tag) {
    if (tag > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      throw ConfigError{"tag", std::to_string(tag), "tags below 2^31, so a lower tag base"};
    return static_cast<std::int32_t>(tag);
  }

  const symbolic::classic::Step* step_;
  std::uint32_t stage_;
  chakra::FileTemplate template_;
  std::vector<std::uint32_t> peers_;
};

/// The communicator groups of a step as a JSON text.
inline std::string groups_text(const symbolic::classic::Step& step) {
  std::vector<chakra::CommGroup> groups;
  step.groups().for_each([&](std::uint32_t number, const std::vector<std::uint32_t>& members) {
    groups.push_back({std::to_string(number), members});
  });
  std::string text;
  chakra::append_groups(text, groups);
  return text;
}

} // namespace triosim::io
