#include "support/program.hpp"

#include <triosim/error.hpp>
#include <triosim/io/replay_settings.hpp>
#include <triosim/io/replay_workload.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using player::streams::RemoteMemory;
using player::streams::Scheduling;
using test::TemporaryFolder;

namespace {

template <class Work>
std::string complaint(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string node(int id, const std::string& rest) {
  return "{\"workload_graph\": [{\"Id\": " + std::to_string(id) + ", \"Name\": \"n\", " + rest + "}]}";
}

} // namespace

TEST_CASE("a system file") {
  const auto settings = io::parse_system(R"({"scheduling-policy": "FIFO", "endpoint-delay": 7,
    "active-chunks-per-dimension": 2, "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct3"],
    "collective-optimization": "localBWAware", "local-mem-bw": 1600, "boost-mode": 0, "roofline-enabled": 1,
    "peak-perf": 900})",
                                         "s.json");
  CHECK(settings.scheduling == Scheduling::Fifo);
  CHECK(settings.endpoint_delay_ns == 7);
  CHECK(settings.active_chunks == 2);
  CHECK(settings.splits == 4);
  CHECK(settings.implementations[0].size() == 2);
  CHECK(settings.implementations[0][1].window == 3);
  CHECK(settings.local_bandwidth_aware);
  CHECK(settings.roofline);
}

TEST_CASE("what is wrong in a system file is named") {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "s.json: found no \"preferred-dataset-splits\", expected preferred-dataset-splits"},
      {R"({"preferred-dataset-splits": 0})",
       "s.json: preferred-dataset-splits: found 0, expected a whole number from 1 to 10^6"},
      {R"({"preferred-dataset-splits": 1, "scheduling-policy": "LILO"})",
       "s.json: scheduling-policy: found \"LILO\", expected one of LIFO, FIFO, EXPLICIT, did you mean \"LIFO\"?"},
      {R"({"preferred-dataset-splits": 1, "all-reduce-implementation": ["rnig"]})",
       "s.json: all-reduce-implementation[0]: found \"rnig\", expected ring, direct, direct followed by a window, "
       "halvingDoubling or doubleBinaryTree, or one of these after \"one\": oneRing, oneDirect, oneHalvingDoubling"},
      {R"({"preferred-dataset-splits": 1, "roofline-enabled": 1})",
       "s.json: found \"roofline-enabled\" and no \"peak-perf\", expected both"},
      {R"({"preferred-dataset-splits": 1, "model-shared-bus": 1})",
       "s.json: model-shared-bus: found a shared bus of the LogGP model, expected 0: it is not played here"},
  };
  for (const auto& [text, expected] : wrong)
    CHECK(complaint([&, t = text] { io::parse_system(t, "s.json"); }) == expected);
  const std::string typo =
      complaint([] { io::parse_system(R"({"preferred-dataset-splits": 1, "endpoint-dealy": 3})", "s.json"); });
  CHECK(typo.find("did you mean \"endpoint-delay\"?") != std::string::npos);
}

TEST_CASE("a file of the remote memory") {
  const RemoteMemory memory = io::parse_remote_memory(
      R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50, "num-nodes": 2,
          "num-npus-per-node": 4})",
      "m.json");
  CHECK(memory.kind == RemoteMemory::Kind::PerNode);
  CHECK(memory.ranks_per_node == 4);
  CHECK(io::parse_remote_memory(R"({"memory-type": "NO_MEMORY_EXPANSION"})", "m.json").kind ==
        RemoteMemory::Kind::None);
  CHECK(complaint([] { io::parse_remote_memory(R"({"memory-type": "MEMORY_POOL"})", "m.json"); }) ==
        "m.json: found a memory without \"remote-mem-latency\" or \"remote-mem-bw\", expected both");
}

TEST_CASE("trace files are found by prefix and in folders; a gap and a second file of a rank are refused") {
  const TemporaryFolder folder;
  const std::string compute = node(0, "\"NodeType\": 4, \"runtime\": 3");
  for (const char* name : {"w.0.json", "w.1.json", "w.json", "other.2.json"})
    folder.write(name, compute);
  CHECK(io::find_trace_files(folder / "w").of_rank.size() == 2);
  const io::TraceFiles all = io::find_trace_files(folder.path().string());
  CHECK(all.of_rank.size() == 3);
  CHECK(all.unused.size() == 1);
  folder.write("x.0.json", compute);
  folder.write("x.2.json", compute);
  CHECK(complaint([&] { io::find_trace_files(folder / "x"); }).find("has no trace of rank 1, but one of rank 2") !=
        std::string::npos);
  folder.write("w.1.json.gz", compute);
  CHECK(complaint([&] { io::find_trace_files(folder / "w"); }).find("is a second trace of rank 1") !=
        std::string::npos);
  CHECK(complaint([&] { io::find_trace_files(folder / "absent"); }).find("has no traces") != std::string::npos);
}

TEST_CASE("ranks that do the same share a program, whatever their peers; a wrong node is named") {
  const TemporaryFolder folder;
  const auto call = [&](int rank, const std::string& rest) {
    return folder.write("t." + std::to_string(rank) + ".json", node(5, rest));
  };
  const std::vector<std::string> files{call(0, "\"NodeType\": 5, \"comm_size\": 8, \"comm_dst\": 1, \"comm_tag\": 3"),
                                       call(1, "\"NodeType\": 5, \"comm_size\": 8, \"comm_dst\": 0, \"comm_tag\": 3")};
  const ReplayWorkload workload = io::read_workload(files);
  CHECK(workload.programs.size() == 1);
  CHECK(workload.ranks[0].who == std::vector<std::uint32_t>{1});
  CHECK(workload.ranks[1].who == std::vector<std::uint32_t>{0});
  const auto wrong = [&](const std::string& rest) {
    call(1, rest);
    return complaint([&] { io::read_workload(files); });
  };
  CHECK(wrong("\"NodeType\": 5, \"comm_size\": 8, \"comm_dst\": 7")
            .find("node 5 \"n\": comm_dst: found 7, expected a rank below 2") != std::string::npos);
  CHECK(wrong("\"NodeType\": 5, \"comm_size\": 8").find("comm_dst: found none") != std::string::npos);
  CHECK(wrong("\"NodeType\": 7, \"comm_size\": 8, \"comm_type\": 77").find("comm_type: found 77, expected 0 to 9") !=
        std::string::npos);
  CHECK(wrong("\"NodeType\": 7, \"comm_size\": -8, \"comm_type\": 0").find("comm_size: found -8") != std::string::npos);
}
