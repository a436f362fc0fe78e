#include <triosim/error.hpp>
#include <triosim/player/streams/system.hpp>
#include <triosim/task_graph/replay_workload.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::player::streams;

namespace {

constexpr std::int64_t endpoint = 10;

Settings settings_with(const char* implementation) {
  Settings settings;
  settings.endpoint_delay_ns = endpoint;
  settings.local_memory_gbps = 100;
  for (auto& list : settings.implementations)
    list = {parse_implementation(implementation)};
  return settings;
}

Dimension fully(std::uint32_t size) {
  return {Dimension::Shape::FullyConnected, size, 50, 500};
}

ReplayProgram one_node(ReplayProgram::Node node) {
  ReplayProgram program;
  program.nodes = {node};
  program.after_begins = {0, 0};
  program.waits = {0};
  program.names = {"n"};
  program.communications = 1;
  return program;
}

ReplayWorkload all_together(std::uint32_t ranks, CollectiveType type, std::int64_t bytes) {
  ReplayWorkload workload;
  ReplayProgram::Node node;
  node.kind = ReplayProgram::Kind::Collective;
  node.type = type;
  node.bytes = bytes;
  workload.programs.push_back(one_node(node));
  workload.ranks.assign(ranks, {0, {ReplayWorkload::everybody}});
  return workload;
}

template <class Network = CongestionUnaware>
std::int64_t play(const ReplayWorkload& workload, const Settings& settings, const std::vector<Dimension>& dimensions) {
  return System<Network>{workload, settings, dimensions}.run().total.picoseconds() / 1000;
}

std::int64_t link(std::int64_t bytes) {
  return 500 + bytes / 50;
}
std::int64_t reduction(std::int64_t bytes) {
  return 3 * static_cast<std::int64_t>(static_cast<double>(bytes) / 100e9 * 1e9);
}

ReplayWorkload pair(ReplayProgram::Node first, ReplayProgram::Node second) {
  ReplayWorkload workload;
  workload.programs.push_back(one_node(first));
  workload.programs.push_back(one_node(second));
  workload.ranks = {{0, {1}}, {1, {0}}};
  return workload;
}
ReplayProgram::Node message(ReplayProgram::Kind kind, std::int64_t bytes, std::int32_t tag) {
  ReplayProgram::Node node;
  node.kind = kind;
  node.bytes = bytes;
  node.tag = tag;
  return node;
}

} // namespace

TEST_CASE("rings take their closed form") {
  const Settings settings = settings_with("ring");
  for (const std::uint32_t n : {2u, 3u, 5u, 7u, 8u, 12u, 24u}) {
    const std::int64_t bytes = 48'000 * n, part = 48'000, steps = n - 1;
    const auto took = [&](CollectiveType type) { return play(all_together(n, type, bytes), settings, {fully(n)}); };
    CHECK(took(CollectiveType::AllReduce) == endpoint + 2 * steps * (link(part) + endpoint) + steps * reduction(part));
    CHECK(took(CollectiveType::ReduceScatter) == endpoint + steps * (link(part) + endpoint + reduction(part)));
    CHECK(took(CollectiveType::AllGather) == endpoint + steps * (link(bytes) + endpoint));
    CHECK(took(CollectiveType::AllToAll) == endpoint + n * steps / 2 * (link(part) + endpoint));
  }
}

TEST_CASE("direct exchanges take their closed form") {
  const Settings settings = settings_with("direct");
  for (const std::uint32_t n : {2u, 3u, 6u, 8u}) {
    const std::int64_t bytes = 48'000 * n, part = 48'000;
    const auto took = [&](CollectiveType type) { return play(all_together(n, type, bytes), settings, {fully(n)}); };
    CHECK(took(CollectiveType::AllReduce) == 2 * link(part) + 3 * endpoint + reduction(part));
    CHECK(took(CollectiveType::ReduceScatter) == link(part) + 2 * endpoint + reduction(part));
    CHECK(took(CollectiveType::AllGather) == link(bytes) + 2 * endpoint);
    CHECK(took(CollectiveType::AllToAll) == link(part) + 2 * endpoint);
  }
}

TEST_CASE("halving and doubling takes its closed form, and other sizes than powers of two are refused") {
  const Settings settings = settings_with("halvingDoubling");
  std::int64_t expected = endpoint;
  for (const std::int64_t part : {64'000, 32'000, 16'000, 16'000, 32'000, 64'000})
    expected += link(part) + endpoint;
  expected += reduction(32'000) + reduction(16'000);
  CHECK(play(all_together(8, CollectiveType::AllReduce, 128'000), settings, {fully(8)}) == expected);
  CHECK_THROWS_AS(play(all_together(6, CollectiveType::AllReduce, 128'000), settings, {fully(6)}), ConfigError);
  CHECK_THROWS_AS(play(all_together(8, CollectiveType::AllToAll, 128'000), settings, {fully(8)}), ConfigError);
}

TEST_CASE("two trees in turn") {
  // Each tree is in order, the root at one end, and everybody but the root has a parent.
  for (const bool last : {false, true})
    for (std::uint32_t place = 0; place < 16; ++place) {
      const TreePlace at{place, 16, last};
      const bool root = place == (last ? 15u : 0u);
      CHECK((at.parent == TreePlace::none) == root);
      for (const std::uint32_t child : {at.left, at.right})
        if (child != TreePlace::none) CHECK(TreePlace{child, 16, last}.parent == place);
    }
  Settings settings = settings_with("doubleBinaryTree");
  CHECK(play(all_together(8, CollectiveType::AllReduce, 80'000), settings, {fully(8)}) > 0);
  settings.splits = 4;
  CHECK(play(all_together(8, CollectiveType::AllReduce, 80'000), settings, {fully(8)}) > 0);
}

TEST_CASE("links of the congestion-aware network carry one message at a time") {
  // Two members behind a switch: up and down, each stored whole.
  const std::vector<Dimension> wires{{Dimension::Shape::Switch, 2, 50, 500}};
  CHECK(play<CongestionAware>(all_together(2, CollectiveType::AllGather, 50'000), settings_with("ring"), wires) ==
        2 * endpoint + 2 * link(50'000));
  CHECK_THROWS_AS(play<CongestionAware>(all_together(4, CollectiveType::AllGather, 50'000), settings_with("ring"),
                                        {fully(2), fully(2)}),
                  ConfigError);
}

TEST_CASE("doubling every bandwidth never makes a run longer, and zero bytes cost latency alone") {
  for (const char* how : {"ring", "direct", "direct2", "halvingDoubling"}) {
    const Settings settings = settings_with(how);
    Dimension fast = fully(8);
    fast.bytes_per_ns *= 2;
    for (const std::int64_t bytes : {1'000, 100'000, 10'000'000})
      CHECK(play(all_together(8, CollectiveType::AllReduce, bytes), settings, {fast}) <=
            play(all_together(8, CollectiveType::AllReduce, bytes), settings, {fully(8)}));
  }
  const ReplayWorkload nothing =
      pair(message(ReplayProgram::Kind::Send, 0, 1), message(ReplayProgram::Kind::Receive, 0, 1));
  CHECK(play(nothing, settings_with("ring"), {fully(2)}) == 500);
}

TEST_CASE("a group of any size, in any order of its members, ends") {
  for (const std::uint32_t size : {2u, 3u, 5u, 6u, 7u, 12u, 24u}) {
    ReplayWorkload workload = all_together(24, CollectiveType::AllReduce, 240'000);
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < size; ++i)
      members.push_back((i * 7) % 24);
    workload.groups.push_back({"5", members});
    workload.programs.push_back({});
    for (std::uint32_t rank = 0; rank < 24; ++rank)
      workload.ranks[rank] = {std::find(members.begin(), members.end(), rank) == members.end() ? 1u : 0u, {0}};
    CHECK(play(workload, settings_with("ring"), {fully(24)}) > 0);
  }
}

TEST_CASE("what cannot go on is named: a size, a tag, a rank that does not come") {
  using Kind = ReplayProgram::Kind;
  const Settings settings = settings_with("ring");
  const auto complaint = [&](const ReplayWorkload& workload) -> std::string {
    try {
      play(workload, settings, {fully(static_cast<std::uint32_t>(workload.ranks.size()))});
    } catch (const Deadlock& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(complaint(pair(message(Kind::Send, 8, 3), message(Kind::Receive, 9, 3))) ==
        "deadlock: 1 task cannot go on: rank 1: node 0 \"n\" waits for 9 bytes from rank 0 with tag 3; nearest is a "
        "message of 8 bytes from rank 0 with tag 3");
  CHECK(complaint(pair(message(Kind::Send, 8, 3), message(Kind::Receive, 8, 4))) ==
        "deadlock: 1 task cannot go on: rank 1: node 0 \"n\" waits for 8 bytes from rank 0 with tag 4; nearest is a "
        "message of 8 bytes from rank 0 with tag 3");
  ReplayWorkload missing = all_together(4, CollectiveType::AllReduce, 4000);
  missing.programs.push_back({});
  missing.ranks[2].program = 1;
  CHECK(complaint(missing).find("waits in all-reduce of all ranks for rank 2") != std::string::npos);
  ReplayWorkload other = all_together(4, CollectiveType::AllReduce, 4000);
  other.programs.push_back(other.programs[0]);
  other.programs[1].nodes[0].bytes = 8000;
  other.ranks[3].program = 1;
  CHECK(complaint(other) ==
        "deadlock: 1 task cannot go on: rank 3 calls an all-reduce of 8000 bytes as number 1 of all "
        "ranks, where rank 0 calls an all-reduce of 4000 bytes");
}

TEST_CASE("implementations by name") {
  CHECK(parse_implementation("oneRing").flat);
  CHECK(parse_implementation("direct7").window == 7);
  CHECK(parse_implementation("oneHalvingDoubling").kind == Implementation::Kind::HalvingDoubling);
  CHECK(parse_implementation("doubleBinaryTree").kind == Implementation::Kind::DoubleBinaryTree);
  for (const char* wrong : {"", "one", "rings", "direct-1", "tree", "directX"})
    CHECK_THROWS_AS(parse_implementation(wrong), ConfigError);
}
