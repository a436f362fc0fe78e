// The program from outside: replay of what generate has written, and of what is wrong.
#include "support/program.hpp"

#include <doctest/doctest.h>

#include <string>

using triosim::test::Ran;
using triosim::test::run_program;
using triosim::test::TemporaryFolder;

namespace {

bool says(const Ran& ran, const std::string& text) {
  return ran.out.find(text) != std::string::npos;
}

void write_machine(const TemporaryFolder& folder, const std::string& network) {
  folder.write("net.yml", network);
  folder.write("sys.json", R"({"preferred-dataset-splits": 2, "all-reduce-implementation": ["ring"],
    "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
    "all-to-all-implementation": ["ring"], "local-mem-bw": 1600, "peak-perf": 300, "roofline-enabled": 1})");
}

} // namespace

TEST_CASE("a generated step is played by both rule sets, on every network") {
  const TemporaryFolder folder;
  write_machine(folder, "topology: [FullyConnected, Switch]\nnpus_count: [2, 4]\nbandwidth: [50.0, 25.0]\n"
                        "latency: [500.0, 1000.0]\n");
  CHECK(run_program("generate --quiet --output_dir " + folder.path().string() +
                    " --output_name w --model_type gpt --num_stacks 4 --dmodel 64 --dff 128 --head 4 --seq 16 "
                    "--dvocal 96 --batch 8 --micro_batch 2 --dp 2 --tp 2 --pp 2")
            .code == 0);
  const std::string replay = "replay --workload " + (folder / "w") + " --comm-group " + (folder / "w.json") +
                             " --network " + (folder / "net.yml") + " --system " + (folder / "sys.json");
  for (const char* how : {" --rules classic", " --rules physical", " --backend packet"}) {
    const Ran ran = run_program(replay + how + " --json --csv " + (folder / "ranks.csv"));
    CAPTURE(ran.out);
    CHECK(ran.code == 0);
    CHECK(says(ran, "\"simulated_time_s\": 0.000"));
    CHECK(folder.read("ranks.csv").substr(0, 15) == "rank,compute_s,");
  }
  CHECK(run_program(replay + " --timeline " + (folder / "t.json")).code == 0);
  CHECK(folder.read("t.json").size() > 1000);
  const Ran aware = run_program(replay + " --rules classic --backend congestion-aware");
  CHECK(aware.code == 2);
  CHECK(says(aware, "one dimension"));
  for (const char* how : {"congestion-aware", "congestion-unaware"})
    CHECK(run_program(replay + " --backend " + how).code == 0);
  for (const char* how : {"standard", "direct", "halving-doubling", "double-binary-tree", "hierarchical"})
    CHECK(run_program(replay + " --collectives " + how).code == 0);

  const std::string machine =
      "replay --workload " + (folder / "w") + " --comm-group " + (folder / "w.json") + " --machine ";
  for (const char* how :
       {"a100-80gb --backend nccl", "h100", "b200 --backend congestion-aware --collectives hierarchical"})
    CHECK(run_program(machine + how).code == 0);
  const Ran no_costs = run_program(machine + "b200 --backend nccl");
  CHECK(no_costs.code == 2);
  CHECK(says(no_costs, "a machine whose file has \"nccl\""));
  const Ran unknown = run_program(machine + "h1000");
  CHECK(unknown.code == 2);
  CHECK(says(unknown, "did you mean \"h100\"?"));
  CHECK(run_program(machine + "h100 --rules classic").code == 2);
}

TEST_CASE("files that do not fit each other are refused with their names") {
  const TemporaryFolder folder;
  write_machine(folder, "topology: [Ring]\nnpus_count: [3]\nbandwidth: [50.0]\nlatency: [500.0]\n");
  const std::string node =
      R"({"workload_graph": [{"Id": 0, "Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": 64}]})";
  folder.write("w.0.json", node);
  folder.write("w.1.json", node);
  const auto replay = [&] {
    return run_program("replay --workload " + (folder / "w") + " --network " + (folder / "net.yml") + " --system " +
                       (folder / "sys.json"));
  };
  const Ran count = replay();
  CHECK(count.code == 2);
  CHECK(says(count, "npus_count: found \"3\", expected 2, as many as there are traces"));
  folder.write("net.yml", "topology: [Rnig]\nnpus_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n");
  const Ran shape = replay();
  CHECK(shape.code == 3);
  CHECK(says(shape, "net.yml:1: topology[0]: found \"Rnig\", expected Ring, Switch or FullyConnected"));
  folder.write("net.yml", "topology: [Ring]\nnpu_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n");
  const Ran key = replay();
  CHECK(key.code == 3);
  CHECK(says(key, "did you mean \"npus_count\"?"));
  folder.write("net.yml", "topology: [Ring\n");
  CHECK(replay().code == 3);
  folder.write("net.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n");
  CHECK(replay().code == 0);
  folder.write("w.1.json", R"({"workload_graph": [{"Id": 0, "Name": "x", "NodeType": 4, "runtime": 5}]})");
  const Ran stuck = replay();
  CHECK(stuck.code == 4);
  CHECK(says(stuck, "deadlock"));
}
