// The writers against files of the published symbolic generator: its JSON files are turned into operations here, and
// the three formats must come out of them byte for byte.
#include "support/shared.hpp"

#include <triosim/chakra/file_template.hpp>
#include <triosim/chakra/groups.hpp>
#include <triosim/chakra/names.hpp>
#include <triosim/chakra/operation.hpp>
#include <triosim/chakra/published.hpp>
#include <triosim/io/file.hpp>

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

using namespace triosim;
using namespace triosim::chakra;

namespace {

std::string_view text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::vector<OperandText> operands(const rapidjson::Value& list, std::vector<std::string>& sizes) {
  std::vector<OperandText> result;
  for (const rapidjson::Value& operand : list.GetArray()) {
    const rapidjson::Value& size = operand["size"];
    sizes.push_back(size.IsInt64() ? std::to_string(size.GetInt64()) : float_text(size.GetDouble()));
    result.push_back({text_of(operand["name"]), sizes.back()});
  }
  return result;
}

// Groups and peers come from the rank's values: one slot for each node with one.
std::string rewrite(const rapidjson::Document& json, Format format) {
  FileTemplate file{format, published_header};
  OperationEncoding encode;
  std::vector<std::uint32_t> values;
  const auto next = [&](const rapidjson::Value& value) {
    values.push_back(value.GetUint());
    return RankValue::slot(static_cast<std::uint32_t>(values.size() - 1));
  };
  for (const rapidjson::Value& node : json["nodes"].GetArray()) {
    Operation operation;
    operation.id = node["id"].GetUint64();
    operation.name = text_of(node["name"]);
    operation.type = node_type_from_json_text(text_of(node["node_type"])).value();
    std::vector<std::uint64_t> deps;
    for (const rapidjson::Value& id : node["data_deps"].GetArray())
      deps.push_back(id.GetUint64());
    operation.data_deps = deps;
    std::vector<std::string> sizes;
    sizes.reserve(node["inputs"].Size() + node["outputs"].Size());
    const auto inputs = operands(node["inputs"], sizes);
    const auto outputs = operands(node["outputs"], sizes);
    operation.inputs = inputs;
    operation.outputs = outputs;
    operation.y_tensor_size = node["y_tensor_size"].GetUint64();
    if (operation.type == NodeType::comp) {
      operation.num_ops = node["num_ops"].GetInt64();
      operation.tensor_size = node["tensor_size"].GetUint64();
      operation.op_type = text_of(node["op_type"]);
    } else {
      operation.comm_size = node["comm_size"].GetInt64();
    }
    if (operation.type == NodeType::comm_coll) {
      operation.collective = collective_type_from_text(text_of(node["comm_type"])).value();
      operation.group = next(node["comm_group"]);
    } else if (operation.type != NodeType::comp) {
      operation.tag = node["comm_tag"].GetInt();
      operation.peer = next(node[operation.type == NodeType::comm_send ? "comm_dst" : "comm_src"]);
    }
    file.add(encode(operation));
  }
  return file.render(values);
}

} // namespace

TEST_CASE("the files of the published generator come out byte for byte") {
  const std::filesystem::path golden = test::shared_folder("golden/symbolic");
  if (golden.empty()) return;
  std::size_t compared = 0;
  for (const auto& folder : std::filesystem::directory_iterator{golden})
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".json") || path.ends_with("workload.json")) continue;
      const std::string text = io::read_file(path);
      rapidjson::Document json;
      json.Parse(text.c_str(), text.size());
      REQUIRE(!json.HasParseError());
      CAPTURE(path);
      CHECK(rewrite(json, Format::json) == text);
      ++compared;
      std::string et = path.substr(0, path.size() - 4) + "et";
      if (!std::filesystem::exists(et)) continue;
      CHECK(rewrite(json, Format::v0_0_4) == io::read_file(et));
    }
  CHECK(compared > 50);
}

TEST_CASE("the v0.0.1 files of the published generator come out byte for byte") {
  const std::filesystem::path golden = test::shared_folder("golden/symbolic");
  if (golden.empty()) return;
  for (int rank = 0; rank < 8; ++rank) {
    const std::string number = std::to_string(rank);
    const std::string text = io::read_file((golden / "dense_dp2tp2pp2" / ("workload." + number + ".json")).string());
    rapidjson::Document json;
    json.Parse(text.c_str(), text.size());
    CHECK(rewrite(json, Format::v0_0_1) ==
          io::read_file((golden / "shim_v001" / ("workload." + number + ".et.v001")).string()));
  }
}

TEST_CASE("the communicator groups of the published generator come out byte for byte") {
  const std::filesystem::path golden = test::shared_folder("golden/symbolic");
  if (golden.empty()) return;
  const std::string text = io::read_file((golden / "dense_dp2tp2pp2" / "workload.json").string());
  rapidjson::Document json;
  json.Parse(text.c_str(), text.size());
  std::vector<CommGroup> groups;
  for (rapidjson::SizeType i = 0; i < json.MemberCount(); ++i) {
    const auto& member = *(json.MemberBegin() + static_cast<std::ptrdiff_t>(i));
    groups.push_back({member.name.GetString(), {}});
    for (const rapidjson::Value& rank : member.value.GetArray())
      groups.back().members.push_back(rank.GetUint());
  }
  std::string again;
  append_groups(again, groups);
  CHECK(again == text);
}
