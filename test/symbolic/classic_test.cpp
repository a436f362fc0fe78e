#include <triosim/error.hpp>
#include <triosim/io/file.hpp>
#include <triosim/io/symbolic_traces.hpp>
#include <triosim/symbolic/classic/memory_report.hpp>
#include <triosim/symbolic/classic/step.hpp>

#include "support/shared.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::symbolic;

namespace {

classic::Options small() {
  classic::Options options;
  options.dmodel = 256;
  options.dff = 1024;
  options.head = 8;
  options.kvhead = 4;
  options.num_stacks = 2;
  options.seq = 128;
  options.batch = 8;
  options.dvocal = 1024;
  return options;
}

/// Collectives of a stage by (type, axis): how many, and elements in all.
std::map<std::pair<std::string, std::string>, std::pair<int, std::int64_t>> collectives(const classic::Step& step,
                                                                                        std::size_t stage) {
  std::map<std::pair<std::string, std::string>, std::pair<int, std::int64_t>> found;
  for (const classic::Node& node : step.stages()[stage].nodes())
    if (node.kind == TaskKind::Collective) {
      auto& [count, elements] =
          found[{std::string{to_string(node.collective)}, std::string{step.spatial_axes()[node.axis]}}];
      ++count;
      elements += node.work;
    }
  return found;
}

std::string trace(const classic::Step& step, std::uint32_t rank, chakra::Format format = chakra::Format::v0_0_4) {
  const io::StageTemplate stage{step, step.stage_of(rank), format};
  std::vector<std::uint32_t> values;
  stage.values(rank, values);
  return stage.file().render(values);
}

} // namespace

TEST_CASE("communication of a block is the textbook's") {
  classic::Options options = small();
  options.num_stacks = 1;
  const std::int64_t w = 2 * 1024 * 256 + 4 * 256 * 256, vocabulary = 1024 * 256;

  SUBCASE("tensor parallel with the sequence split") {
    options.tp = 2;
    const auto found = collectives(classic::Step{options}, 0);
    const std::int64_t tokens = 8 * 128 * 256;
    CHECK(found.at({"all-gather", "tp"}) == std::pair{6, 6 * tokens / 2});
    CHECK(found.at({"reduce-scatter", "tp"}) == std::pair{4, 4 * tokens});
    CHECK(found.at({"all-reduce", "tp"}) == std::pair{2, 2 * vocabulary});
    CHECK(found.size() == 3);
  }
  SUBCASE("data parallel reduces the weights of a block as one") {
    options.dp = 4;
    const auto found = collectives(classic::Step{options}, 0);
    CHECK(found.at({"all-reduce", "dp"}) == std::pair{3, w + 2 * vocabulary});
    CHECK(found.size() == 1);
  }
  SUBCASE("sharded weights are gathered twice, their gradients scattered") {
    options.dp = 4;
    options.weight_sharded = true;
    const auto found = collectives(classic::Step{options}, 0);
    CHECK(found.at({"all-gather", "dp"}) == std::pair{2, 2 * w / 4});
    CHECK(found.at({"reduce-scatter", "dp"}) == std::pair{1, w});
    CHECK(found.at({"all-reduce", "dp"}) == std::pair{2, 2 * vocabulary});
  }
  SUBCASE("every micro-batch communicates, the embeddings once") {
    options.dp = 4;
    options.micro_batch = 4;
    const auto found = collectives(classic::Step{options}, 0);
    CHECK(found.at({"all-reduce", "dp"}) == std::pair{4, 2 * w + 2 * vocabulary});
  }
}

TEST_CASE("every send has its receive, with the same tag and size, on the peer") {
  classic::Options options = small();
  options.num_stacks = 5;
  options.pp = 3;
  options.dp = 2;
  options.micro_batch = 2;
  const classic::Step step{options};
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int64_t>> sent, received;
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank)
    for (const classic::Node& node : step.stages()[step.stage_of(rank)].nodes()) {
      if (node.kind == TaskKind::Send)
        sent.emplace(rank, step.groups().peer(rank, node.peer_stage), node.tag, node.work);
      if (node.kind == TaskKind::Receive)
        received.emplace(step.groups().peer(rank, node.peer_stage), rank, node.tag, node.work);
    }
  // The published map puts the head of five blocks on the middle of three stages: two more borders to cross.
  CHECK(sent.size() == 2u * 4 * (2 * 2 + 2));
  CHECK(sent == received);
}

TEST_CASE("each rank is in one group of each axis, at its place") {
  classic::Options options = small();
  options.model_type = classic::ModelType::moe;
  options.dp = 2, options.tp = 3, options.sp = 2, options.ep = 4, options.pp = 2;
  const classic::Step step{options};
  CHECK(step.ranks() == 96);
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  step.groups().for_each([&](std::uint32_t number, const std::vector<std::uint32_t>& ranks) {
    CHECK(number == members.size() + 1);
    members[number] = ranks;
  });
  CHECK(members.size() == 96 / 2 + 96 / 3 + 96 / 2 + 96 / 4);
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank)
    for (std::size_t axis = 0; axis < step.groups().axes(); ++axis) {
      const std::vector<std::uint32_t>& group = members.at(step.groups().group(axis, rank));
      CHECK(group.size() == step.groups().mesh().axis(axis).size);
      CHECK(group[step.groups().mesh().coordinate(rank, axis)] == rank);
    }
}

TEST_CASE("no node is empty, no dependency is outside, no two nodes have one id") {
  for (const bool mixed : {false, true})
    for (const std::int64_t copies : {1, 4}) {
      classic::Options options = small();
      options.mixed_precision = mixed;
      options.dp = 2, options.tp = 2, options.sp = 2, options.pp = 2;
      options.weight_sharded = true;
      options.micro_batch = options.batch / copies;
      const classic::Step step{options};
      std::set<std::uint64_t> ids;
      for (const classic::NodeList& nodes : step.stages())
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          CHECK(ids.insert(nodes[i].id).second);
          CHECK(nodes[i].work > 0);
          for (std::uint32_t before : nodes.dependencies(i))
            CHECK(before < nodes.size());
        }
    }
}

TEST_CASE("ranks of a stage differ in groups and peers alone") {
  classic::Options options = small();
  options.dp = 2, options.pp = 2;
  const classic::Step step{options};
  const std::string first = trace(step, 0), second = trace(step, 1);
  CHECK(first.size() == second.size());
  CHECK(first != second);
  CHECK(first.substr(0, 5) == std::string("\x24\x12\x22\x0a\x06", 5));
}

TEST_CASE("options that make no step are refused by name") {
  const auto problem = [](auto change) -> std::string {
    classic::Options options = small();
    change(options);
    try {
      classic::Step{options};
    } catch (const ConfigError& error) {
      return error.key();
    }
    return "none";
  };
  using O = classic::Options;
  CHECK(problem([](O& o) { o.dp = 0; }) == "dp");
  CHECK(problem([](O& o) { o.tp = -1; }) == "tp");
  CHECK(problem([](O& o) { o.pp = 3; }) == "pp");
  CHECK(problem([](O& o) { o.micro_batch = 3; }) == "micro_batch");
  CHECK(problem([](O& o) { o.micro_batch = 16; }) == "micro_batch");
  CHECK(problem([](O& o) { o.batch = 0; }) == "batch");
  CHECK(problem([](O& o) { o.num_stacks = 0; }) == "num_stacks");
  CHECK(problem([](O& o) { o.model_type = classic::ModelType::moe, o.ep = 3; }) == "ep");
  CHECK(problem([](O& o) { o.model_type = classic::ModelType::moe, o.tpsp = false; }) == "tpsp");
  CHECK(problem([](O& o) { o.model_type = classic::ModelType::debug, o.pp = 2; }) == "pp");
  CHECK(problem([](O& o) { o.mixed_precision = true, o.head = 0; }) == "Head");
  CHECK(problem([](O& o) { o.dp = 1 << 20, o.tp = 1 << 20; }) == "mesh");
  CHECK(problem([](O& o) { o.dmodel = o.dff = std::int64_t{1} << 40; }) != "none");
  // Sizes that cancel may be zero, and what does not divide is carried as a fraction: published so.
  CHECK(problem([](O& o) { o.head = 0; }) == "none");
  CHECK(problem([](O& o) { o.tp = 3; }) == "none");
}

TEST_CASE("names of traces follow the pattern") {
  const auto names = [](const char* pattern) {
    const io::TraceNames made{"out", pattern};
    return made.trace(7).string() + " " + made.groups().string();
  };
  CHECK(names("w.%d.et") == "out/w.7.et out/w.json");
  CHECK(names("w") == "out/w.7.et out/w.json");
  CHECK(names("w.et") == "out/w.et.7.et out/w.json.json");
  CHECK(names("w%d.et") == "out/w7.et out/w%d.json");
  CHECK(names("w.%d.json") == "out/w.7.json out/w.json");
  CHECK(names("a.et.%d.et") == "out/a.et.7.et out/a.json.json");
  CHECK_THROWS_AS(names("w.%d.%d.et"), ConfigError);
  CHECK_THROWS_AS(names("w%%d"), ConfigError);
  CHECK_THROWS_AS(names(".%d"), ConfigError);
}

TEST_CASE("recorded traces of the published generator come out byte for byte") {
  const std::filesystem::path recorded = test::shared_folder("golden/symbolic");
  if (recorded.empty()) return;
  int compared = 0;
  for (const auto& folder : std::filesystem::directory_iterator{recorded}) {
    classic::Options options;
    std::istringstream words{io::read_file((folder.path() / "args.txt").string())};
    const std::map<std::string, std::int64_t*> numbers{{"--dmodel", &options.dmodel},
                                                       {"--dff", &options.dff},
                                                       {"--head", &options.head},
                                                       {"--kvhead", &options.kvhead},
                                                       {"--seq", &options.seq},
                                                       {"--num_stacks", &options.num_stacks},
                                                       {"--batch", &options.batch},
                                                       {"--dvocal", &options.dvocal},
                                                       {"--micro_batch", &options.micro_batch},
                                                       {"--experts", &options.experts},
                                                       {"--kexperts", &options.kexperts},
                                                       {"--dp", &options.dp},
                                                       {"--tp", &options.tp},
                                                       {"--sp", &options.sp},
                                                       {"--ep", &options.ep},
                                                       {"--pp", &options.pp}};
    const std::map<std::string, bool*> truths{{"--weight_sharded", &options.weight_sharded},
                                              {"--tpsp", &options.tpsp},
                                              {"--mixed_precision", &options.mixed_precision}};
    const std::map<std::string, classic::ModelType> types{{"llama", classic::ModelType::llama},
                                                          {"gpt", classic::ModelType::gpt},
                                                          {"moe", classic::ModelType::moe},
                                                          {"debug", classic::ModelType::debug}};
    for (std::string flag, value; words >> flag >> value;) {
      if (numbers.count(flag) != 0) *numbers.at(flag) = std::stoll(value);
      if (truths.count(flag) != 0) *truths.at(flag) = value == "true" || value == "1";
      if (flag == "--model_type") options.model_type = types.at(value);
    }
    const classic::Step step{options};
    const auto compare = [&](const std::string& name, const auto& make) {
      if (!std::filesystem::exists(folder.path() / name)) return;
      ++compared;
      CHECK_MESSAGE(io::read_file((folder.path() / name).string()) == make(), folder.path().filename().string(), " ",
                    name);
    };
    for (std::uint32_t rank = 0; rank < step.ranks(); ++rank) {
      const std::string stem = "workload." + std::to_string(rank);
      compare(stem + ".et", [&] { return trace(step, rank); });
      compare(stem + ".json", [&] { return trace(step, rank, chakra::Format::json); });
      compare(stem + ".et.v001", [&] { return trace(step, rank, chakra::Format::v0_0_1); });
    }
    compare("workload.json", [&] { return io::groups_text(step); });
  }
  CHECK(compared > 0);
}
