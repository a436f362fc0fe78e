#include <triosim/error.hpp>
#include <triosim/io/model_config.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace triosim;
namespace physical = triosim::symbolic::physical;

namespace {

physical::Transformer parse(const std::string& text) {
  return io::parse_model_config(text, "config.json");
}
std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}
double billions(const physical::Transformer& shape) {
  return physical::transformer(shape).parameters() / 1e9;
}

} // namespace

TEST_CASE("LLaMA: grouped keys, gated layers, an embedding and a head of their own") {
  const physical::Transformer shape = parse(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
    "hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 4096, "hidden_act": "silu",
    "rope_scaling": null, "tie_word_embeddings": false, "torch_dtype": "float16"})");
  CHECK(shape.gated);
  CHECK_FALSE(shape.tied);
  CHECK_FALSE(shape.biases);
  CHECK(shape.kv_heads == 8);
  CHECK(shape.seq == 4096);
  CHECK(billions(shape) == doctest::Approx(68.976648192).epsilon(1e-9));
}

TEST_CASE("GPT-2 and its older names") {
  const physical::Transformer shape = parse(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
    "n_positions": 1024, "vocab_size": 50257, "n_inner": null, "activation_function": "gelu_new"})");
  CHECK(shape.ffn == 3072);
  CHECK(shape.tied);
  CHECK(shape.biases);
  CHECK(billions(shape) == doctest::Approx(0.124440).epsilon(0.001));
}

TEST_CASE("Mixtral and models whose experts have a width of their own") {
  const physical::Transformer mixtral = parse(R"({"model_type": "mixtral", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2})");
  CHECK(mixtral.experts == 8);
  CHECK(billions(mixtral) == doctest::Approx(46.702792704).epsilon(1e-9));
  const physical::Transformer qwen = parse(R"({"model_type": "qwen3_moe", "hidden_size": 2048,
    "intermediate_size": 6144, "moe_intermediate_size": 768, "num_hidden_layers": 48, "num_attention_heads": 32,
    "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "num_experts": 128, "num_experts_per_tok": 8,
    "decoder_sparse_step": 1, "mlp_only_layers": []})");
  CHECK(qwen.ffn == 768);
  CHECK(billions(qwen) == doctest::Approx(30.5).epsilon(0.005)); // "30.5B" on the model card
}

TEST_CASE("a family that is not known is judged by its activation") {
  const std::string sizes = R"("hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 100)";
  CHECK(parse("{" + sizes + R"(, "model_type": "newest", "hidden_act": "silu"})").gated);
  CHECK_FALSE(parse("{" + sizes + R"(, "model_type": "newest", "hidden_act": "gelu"})").gated);
  CHECK(complaint("{" + sizes + R"(, "model_type": "newest"})") ==
        "config.json: found the model_type \"newest\" and no \"hidden_act\", expected one that says which form the "
        "feed-forward layers have");
}

TEST_CASE("what is wrong, missing or has no table is named") {
  const std::string sizes = R"("hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 100, "model_type": "llama")";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "config.json: found no \"num_hidden_layers\", expected a HuggingFace configuration of a decoder"},
      {R"({"hidden_size": -4})", "config.json: hidden_size: found -4, expected a whole number from 1"},
      {R"({"hidden_size": "big"})", "config.json: hidden_size: found \"big\", expected a whole number from 1"},
      {R"({"model_type": 3})", "config.json: model_type: found 3, expected a text"},
      {"{" + sizes + R"(, "kv_lora_rank": 512})",
       "config.json: kv_lora_rank: found latent attention, expected heads of queries, keys and values"},
      {"{" + sizes + R"(, "n_shared_experts": 1})",
       "config.json: n_shared_experts: found layers of experts beside dense "
       "ones, expected routed experts in every layer"},
      {"{" + sizes + R"(, "is_encoder_decoder": true})",
       "config.json: is_encoder_decoder: found an encoder and a decoder, expected a decoder alone"},
      {"{" + sizes + R"(, "num_experts": 8})",
       "config.json: found no \"num_experts_per_tok\", expected a HuggingFace configuration of a decoder"},
  };
  for (const auto& [text, expected] : wrong)
    CHECK(complaint(text) == expected);
}
