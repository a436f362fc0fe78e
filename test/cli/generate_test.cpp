// The program from outside: generate, inspect, convert.
#include "support/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using triosim::test::Ran;
using triosim::test::run_program;
using triosim::test::TemporaryFolder;

namespace {

const std::string small = "--num_stacks 4 --dmodel 64 --dff 128 --head 4 --kvhead 2 --seq 16 --dvocal 96 --batch 8 ";

bool says(const Ran& ran, const std::string& text) {
  return ran.out.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("a physical step is written with its summary, and the ranks fit each other") {
  const TemporaryFolder folder;
  const Ran made =
      run_program("generate --output_dir " + folder.path().string() + " --output_name w --model_type llama " + small +
                  "--micro_batch 2 --dp 2 --tp 2 --pp 2 --zero 1 --recompute full");
  CHECK(made.code == 0);
  CHECK(says(made, "llama, physical rules"));
  CHECK(says(made, "8 in 2 stages"));
  CHECK(says(made, "reduce-scatter dp"));
  CHECK(says(made, "stage 1"));
  const Ran inspected = run_program("inspect " + (folder / "w.*.et") + " --comm-group " + (folder / "w.json"));
  CHECK(inspected.code == 0);
  CHECK(says(inspected, "nothing odd, every message has its other end"));
  const Ran json = run_program("inspect --json " + (folder / "w.0.et"));
  CHECK(says(json, "\"schema\": \"triosim.inspect/1\""));

  // v0.0.4 to JSON and back gives the same bytes.
  CHECK(run_program("convert " + (folder / "w.3.et") + " " + (folder / "3.json") + " --to json --lossless").code == 0);
  CHECK(run_program("convert " + (folder / "3.json") + " " + (folder / "3.et.gz") + " --to v0.0.4").code == 0);
  CHECK(run_program("convert " + (folder / "3.et.gz") + " " + (folder / "3.et") + " --to v0.0.4").code == 0);
  CHECK(folder.read("3.et") == folder.read("w.3.et"));
  const Ran lossy =
      run_program("convert " + (folder / "w.3.et") + " " + (folder / "3.old") + " --to v0.0.1 --lossless");
  CHECK(lossy.code == 3);
  CHECK(says(lossy, "without loss; nothing has been written"));
  CHECK_FALSE(std::filesystem::exists(folder / "3.old"));
}

TEST_CASE("Megatron's names mean the same, with micro-batches of one data-parallel rank") {
  const TemporaryFolder folder;
  const std::string out = "generate --quiet --output_dir " + folder.path().string();
  CHECK(run_program(out + " --output_name a --model_type gpt " + small + "--micro_batch 4 --dp 2 --tp 2 --pp 2").code ==
        0);
  CHECK(run_program(out + " --output_name b --model_type gpt --num-layers 4 --hidden-size 64 --ffn-hidden-size 128 "
                          "--num-attention-heads 4 --seq-length 16 --vocab-size 96 --global-batch-size 8 "
                          "--micro-batch-size 2 --data-parallel-size 2 --tensor-model-parallel-size 2 "
                          "--pipeline-model-parallel-size 2")
            .code == 0);
  for (int rank = 0; rank < 8; ++rank) {
    const std::string end = "." + std::to_string(rank) + ".et";
    CHECK(folder.read("a" + end) == folder.read("b" + end));
  }
  CHECK_FALSE(folder.read("a.0.et").empty());
}

TEST_CASE("a model of a configuration file") {
  const TemporaryFolder folder;
  const std::string config = folder.write("config.json", R"({"model_type": "llama", "hidden_size": 64,
    "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
    "vocab_size": 96, "max_position_embeddings": 16})");
  const std::string out = "generate --output_dir " + folder.path().string() + " --output_name w --batch 8 --pp 2 ";
  const Ran made = run_program(out + "--json --micro_batch 2 --schedule gpipe --model " + config);
  CHECK(made.code == 0);
  CHECK(says(made, "\"schema\": \"triosim.generate/1\""));
  CHECK(says(made, "\"parameters\": 160320"));
  const Ran twice = run_program(out + "--dmodel 128 --model " + config);
  CHECK(twice.code == 2);
  CHECK(says(twice, "no other option that gives a dimension"));
}

TEST_CASE("the rules of the published generator, and what they do not have") {
  const TemporaryFolder folder;
  const std::string out = "generate --output_dir " + folder.path().string() + " --output_name w " + small;
  const Ran made = run_program(out + "--rules classic --micro 4 --dp 2");
  CHECK(made.code == 0);
  CHECK(says(made, "classic rules"));
  const Ran refused = run_program(out + "--rules classic --zero 1");
  CHECK(refused.code == 2);
  CHECK(says(refused, "as the published generator has no --zero"));
  const Ran odd = run_program(out + "--tp 3");
  CHECK(odd.code == 2);
  CHECK(says(odd, "tp"));
  const Ran heads = run_program(out + "--tp 4");
  CHECK(heads.code == 2);
  CHECK(says(heads, "tp: found \"4\", expected a divisor of the 2 heads of keys and values"));
  CHECK(run_program(out + "--schedule interleaved").code == 2);
  CHECK(run_program(out + "--modle x").code == 2);
}

TEST_CASE("the debug model by the sizes of its matrix") {
  const TemporaryFolder folder;
  const std::string out = "generate --rules classic --model_type debug --seq 16 --dvocal 96 --batch 8 --output_dir " +
                          folder.path().string();
  // A product of [128 x 40] with [40 x 24], three times: forward, and both gradients.
  const Ran made = run_program(out + " --output_name w --din 40 --dout 24 --json");
  CHECK(made.code == 0);
  CHECK(says(made, "\"flops\": " + std::to_string(3 * 128 * 40 * 24 + 40 * 24)));
  CHECK(run_program(out + " --output_name v --din 96 --dout 96 --json").out.substr(0, 150) ==
        run_program(out + " --output_name v --json").out.substr(0, 150));
  CHECK(run_program(out + " --output_name w --din -1").code == 2);
  CHECK(says(run_program("generate --output_dir " + folder.path().string() + " --output_name x --din 3 " + small),
             "without effect on others"));
}

TEST_CASE("files that are no traces") {
  const TemporaryFolder folder;
  const std::string text = folder.write("t.0.et", "this is no trace");
  const Ran ran = run_program("inspect " + text);
  CHECK(ran.code == 3);
  CHECK(says(ran, "t.0.et"));
  CHECK(run_program("inspect " + (folder / "absent.et")).code == 3);
  CHECK(run_program("convert " + text + " " + (folder / "x.json") + " --to json").code == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "x.json"));
}
