#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/file_template.hpp"
#include "triosim/chakra/groups.hpp"
#include "triosim/chakra/operation.hpp"
#include "triosim/error.hpp"
#include "triosim/io/file.hpp"
#include "triosim/symbolic/classic/descriptors.hpp"
#include "triosim/symbolic/classic/step.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::io {

/// The names of a set of traces: one file a rank, and one for the communicator groups.
class TraceNames {
 public:
  /// `pattern` has one `%d` for the rank; without any, `.%d.et` is appended. The group file drops `.%d` and has `.json`
  /// for
  /// `.et`, unless `group_file` names another. Throws `ConfigError` for a pattern that does not give one file a rank.
  TraceNames(std::filesystem::path folder, std::string pattern, const std::string& group_file = {})
      : folder_{std::move(folder)} {
    if (pattern.find("%d") == std::string::npos) pattern += ".%d.et";
    const std::size_t at = pattern.find("%d");
    if (pattern.find('%', at + 1) != std::string::npos || pattern.find('%') != at)
      throw ConfigError{"output_name", pattern, "one %d for the rank and no other percent sign"};
    before_ = pattern.substr(0, at);
    after_ = pattern.substr(at + 2);
    replace_all(pattern, ".%d", "");
    replace_all(pattern, ".et", ".json");
    groups_ = group_file.empty() ? folder_ / pattern : std::filesystem::path{group_file};
    if (group_file.empty() && std::filesystem::path{pattern}.filename().empty())
      throw ConfigError{"output_name", before_ + "%d" + after_, "a name beside the rank, or a name for the group file"};
  }

  std::filesystem::path trace(std::uint32_t rank) const { return folder_ / (before_ + std::to_string(rank) + after_); }
  const std::filesystem::path& groups() const noexcept { return groups_; }

  /// Makes the folders that are missing. Throws `Error`.
  void make_folders() const {
    for (const std::filesystem::path& folder : {folder_, trace(0).parent_path(), groups_.parent_path()}) {
      if (folder.empty()) continue;
      std::error_code code;
      std::filesystem::create_directories(folder, code);
      if (code) throw Error{"cannot make the folder " + folder.string() + ": " + code.message()};
    }
  }

 private:
  static void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  }

  std::filesystem::path folder_;
  std::string before_, after_;
  std::filesystem::path groups_;
};

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
        operation.collective = collective(node.collective);
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

  static chakra::CollectiveType collective(CollectiveType type) {
    switch (type) {
    case CollectiveType::AllGather:
      return chakra::CollectiveType::all_gather;
    case CollectiveType::ReduceScatter:
      return chakra::CollectiveType::reduce_scatter;
    case CollectiveType::AllToAll:
      return chakra::CollectiveType::all_to_all;
    default:
      return chakra::CollectiveType::all_reduce;
    }
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
