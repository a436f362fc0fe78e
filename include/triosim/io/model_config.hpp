#pragma once

#include "triosim/excerpt.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/symbolic/physical/transformer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace triosim::io {

namespace model_config_detail {

class Reader {
 public:
  using Value = JsonWalk::Value;

  Reader(std::string_view text, std::string file) : walk_{text, std::move(file)} {}

  symbolic::physical::Transformer read() {
    walk_.each_member(walk_.root(), [&](std::string_view key, const Value& value) { member(key, value); });
    symbolic::physical::Transformer shape;
    shape.layers = need(layers_, "num_hidden_layers");
    shape.hidden = need(hidden_, "hidden_size");
    shape.heads = need(heads_, "num_attention_heads");
    shape.vocab = need(vocab_, "vocab_size");
    shape.kv_heads = kv_heads_.value_or(0);
    shape.head_dim = head_dim_.value_or(0);
    shape.seq = positions_.value_or(2048);
    shape.experts = experts_.value_or(0);
    if (shape.experts == 1) shape.experts = 0;
    if (shape.experts != 0) shape.experts_per_token = need(experts_per_token_, "num_experts_per_tok");
    const bool is_gpt = family_ == Family::gpt;
    if (shape.experts != 0 && expert_ffn_)
      shape.ffn = *expert_ffn_;
    else
      shape.ffn = ffn_ ? *ffn_ : is_gpt ? 4 * shape.hidden : need(ffn_, "intermediate_size");
    shape.gated = gated();
    shape.biases = is_gpt;
    shape.tied = tied_.value_or(is_gpt);
    return shape;
  }

 private:
  enum class Family : std::uint8_t { unknown, gpt, llama };

  void member(std::string_view key, const Value& value) {
    const auto is = [&](auto... names) { return ((key == names) || ...); };
    if (is("num_hidden_layers", "n_layer", "num_layers")) take(layers_, value);
    if (is("hidden_size", "n_embd", "d_model")) take(hidden_, value);
    if (is("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")) take(ffn_, value);
    if (is("num_attention_heads", "n_head")) take(heads_, value);
    if (is("num_key_value_heads", "num_query_groups")) take(kv_heads_, value);
    if (is("head_dim")) take(head_dim_, value);
    if (is("vocab_size")) take(vocab_, value);
    if (is("max_position_embeddings", "n_positions", "seq_length")) take(positions_, value);
    if (is("num_local_experts", "num_experts", "n_routed_experts")) take(experts_, value);
    if (is("num_experts_per_tok", "num_experts_per_token")) take(experts_per_token_, value);
    if (is("moe_intermediate_size")) take(expert_ffn_, value);
    if (is("tie_word_embeddings") && !value.IsNull()) tied_ = walk_.boolean(value);
    if (is("hidden_act", "activation_function", "hidden_activation") && !value.IsNull()) act_ = walk_.text(value);
    if (is("model_type")) family(walk_.text(value));
    refuse_others(key, value);
  }

  // What would change the shape of a layer and has no table here must not be passed over.
  void refuse_others(std::string_view key, const Value& value) {
    const bool set = value.IsNumber() && value.GetDouble() > 0;
    if (set && (key == "q_lora_rank" || key == "kv_lora_rank"))
      walk_.fail("found latent attention, expected heads of queries, keys and values");
    if (set &&
        (key == "n_shared_experts" || key == "shared_expert_intermediate_size" || key == "first_k_dense_replace"))
      walk_.fail("found layers of experts beside dense ones, expected routed experts in every layer");
    if (key == "decoder_sparse_step" && value.IsNumber() && value.GetDouble() != 1)
      walk_.fail("found experts in some layers, expected them in every layer: 1");
    if (key == "mlp_only_layers" && value.IsArray() && !value.Empty())
      walk_.fail("found dense layers among those of experts, expected an empty list");
    if (key == "is_encoder_decoder" && value.IsBool() && value.GetBool())
      walk_.fail("found an encoder and a decoder, expected a decoder alone");
  }

  void family(const std::string& name) {
    static constexpr std::string_view gpts[] = {"gpt2",  "gpt_neo",       "gpt_neox",    "gptj", "opt",
                                                "bloom", "megatron-gpt2", "gpt_bigcode", "gpt"};
    static constexpr std::string_view llamas[] = {"llama",     "mistral", "mixtral", "qwen2",     "qwen2_moe", "qwen3",
                                                  "qwen3_moe", "gemma",   "yi",      "internlm2", "olmo"};
    if (std::find(std::begin(gpts), std::end(gpts), name) != std::end(gpts)) family_ = Family::gpt;
    if (std::find(std::begin(llamas), std::end(llamas), name) != std::end(llamas)) family_ = Family::llama;
    name_ = name;
  }

  bool gated() const {
    if (family_ != Family::unknown) return family_ == Family::llama;
    if (act_.starts_with("silu") || act_.starts_with("swi") || act_.ends_with("glu")) return true;
    if (!act_.empty()) return false;
    walk_.fail(name_.empty() ? "found neither \"model_type\" nor \"hidden_act\", expected one that says which form the "
                               "feed-forward layers have"
                             : "found the model_type " + excerpt(name_) +
                                   " and no \"hidden_act\", expected one that says which form the feed-forward layers "
                                   "have");
  }

  void take(std::optional<std::int64_t>& slot, const Value& value) {
    if (value.IsNull()) return; // as if it were not there
    slot = static_cast<std::int64_t>(
        walk_.natural(value, 1, std::numeric_limits<std::int32_t>::max(), "a whole number from 1"));
  }
  std::int64_t need(const std::optional<std::int64_t>& value, std::string_view key) const {
    if (!value) walk_.fail("found no " + excerpt(key) + ", expected a HuggingFace configuration of a decoder");
    return *value;
  }

  JsonWalk walk_;
  std::optional<std::int64_t> layers_, hidden_, ffn_, heads_, kv_heads_, head_dim_, vocab_, positions_, experts_,
      experts_per_token_, expert_ffn_;
  std::optional<bool> tied_;
  std::string act_, name_;
  Family family_ = Family::unknown;
};

} // namespace model_config_detail

/// The dimensions of a decoder from its HuggingFace configuration (config.json): hidden_size, intermediate_size,
/// num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, vocab_size, expert keys, or the older names
/// of GPT-2. The family (`model_type`), or the activation where that is not known, says whether feed-forward layers are
/// gated; a GPT has biases and shares its embedding unless it says otherwise. Keys that change no shape are passed
/// over; a model that has no table here (latent attention, shared experts, an encoder) is refused. Throws `TraceError`.
inline symbolic::physical::Transformer parse_model_config(std::string_view text, std::string file) {
  return model_config_detail::Reader{text, std::move(file)}.read();
}
inline symbolic::physical::Transformer read_model_config(const std::string& path) {
  return parse_model_config(read_file(path), path);
}

} // namespace triosim::io
