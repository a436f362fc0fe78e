#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/module.hpp"
#include "triosim/symbolic/physical/model.hpp"
#include "triosim/symbolic/physical/tables.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace triosim::symbolic::physical {

/// A decoder of the GPT and LLaMA families by its dimensions.
struct Transformer {
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t ffn = 1;
  std::int64_t heads = 1;
  /// Heads of keys and values; 0 means one for each head.
  std::int64_t kv_heads = 0;
  /// 0 means hidden / heads.
  std::int64_t head_dim = 0;
  std::int64_t vocab = 1;
  std::int64_t seq = 1;
  /// Three matrices in the feed-forward layers, not two.
  bool gated = false;
  /// The head is the embedding.
  bool tied = false;
  /// 0 means none. With experts every feed-forward layer is a gated mixture, each expert `ffn` wide.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  /// Learned positions, biases and norms with a shift, as GPT has; otherwise gains of norms alone. They count as
  /// parameters and are too small to be simulated.
  bool biases = false;

  std::int64_t kv() const noexcept { return kv_heads == 0 ? heads : kv_heads; }
  std::int64_t width_of_head() const noexcept { return head_dim == 0 ? hidden / heads : head_dim; }
};

namespace transformer_detail {

inline Graph block(Pool& pool, const Graph& feed_forward) {
  const Graph norm = parse_module(pool, "norm", tables::norm);
  const Graph residual = parse_module(pool, "residual", tables::residual);
  Graph graph{pool};
  graph.merge("input_norm.", norm);
  graph.merge("mha.", parse_module(pool, "attention", tables::attention));
  graph.merge("mha_res.", residual);
  graph.merge("post_attn_norm.", norm);
  graph.merge("ffn.", feed_forward);
  graph.merge("ffn_res.", residual);
  graph.link({{"mha.x", "input_norm.y"},
              {"mha_res.x1", "mha.o"},
              {"mha_res.x2", "input_norm.x"},
              {"post_attn_norm.x", "mha_res.y"},
              {"ffn.x", "post_attn_norm.y"},
              {"ffn_res.x1", "ffn.y"},
              {"ffn_res.x2", "mha_res.y"},
              {"ffn.dy", "ffn_res.dy"},
              {"post_attn_norm.dy", "ffn.dx"},
              {"ffn_res.side", "post_attn_norm.dx"},
              {"mha_res.dy", "ffn_res.dx"},
              {"mha.do", "mha_res.dy"},
              {"input_norm.dy", "mha.dx"},
              {"mha_res.side", "input_norm.dx"}});
  return graph;
}

} // namespace transformer_detail

/// The ports of a block made by `transformer_block`, and of any block of that form.
inline Ports block_ports() {
  return {"input_norm.x", "ffn_res.y", "ffn_res.dy", "mha_res.dx"};
}

/// Norm, attention, sum, norm, feed-forward part, sum. `feed_forward` has the ports x, y, dy, dx.
inline Graph transformer_block(Pool& pool, const Graph& feed_forward) {
  return transformer_detail::block(pool, feed_forward);
}

/// Throws `ConfigError` for dimensions that make no model.
inline Model transformer(const Transformer& shape) {
  Model model;
  Pool& pool = model.pool();
  model.set("num_stacks", shape.layers);
  model.set("Dmodel", shape.hidden);
  model.set("Head", shape.heads);
  model.set("KVHead", shape.kv());
  model.set("HeadDim", shape.width_of_head());
  model.set("Dvocal", shape.vocab);
  model.set("Seq", shape.seq);
  model.set("Dff", shape.ffn);
  if (shape.head_dim == 0 && shape.hidden % shape.heads != 0)
    throw ConfigError{"head", std::to_string(shape.heads), "a divisor of the width, " + std::to_string(shape.hidden)};
  if (shape.heads % shape.kv() != 0)
    throw ConfigError{"kvhead", std::to_string(shape.kv()), "a divisor of the heads, " + std::to_string(shape.heads)};
  if (shape.layers > 100'000) throw ConfigError{"num_stacks", std::to_string(shape.layers), "at most 100000"};
  if (shape.experts != 0) {
    if (shape.experts_per_token < 1 || shape.experts_per_token > shape.experts)
      throw ConfigError{"kexperts", std::to_string(shape.experts_per_token), "1 to " + std::to_string(shape.experts)};
    model.set("Experts", shape.experts);
    model.set("KExperts", shape.experts_per_token);
    model.set("ExpertDff", shape.ffn);
  }

  const Graph feed_forward = shape.experts != 0 ? parse_module(pool, "experts", tables::experts)
                             : shape.gated      ? parse_module(pool, "gated_feed_forward", tables::gated_feed_forward)
                                                : parse_module(pool, "feed_forward", tables::feed_forward);
  model.add("in_emb", parse_module(pool, "embedding", tables::embedding), {"x", "y", "dy", ""});
  model.stack("transformer", transformer_block(pool, feed_forward), block_ports(),
              static_cast<std::uint32_t>(shape.layers));
  model.add("out_emb", parse_module(pool, "head", tables::head), {"x", "loss", "", "dx"});
  if (shape.tied) model.tie_ends();

  const auto layers = static_cast<double>(shape.layers), hidden = static_cast<double>(shape.hidden);
  double vectors = (2 * layers + 1) * hidden;
  if (shape.biases) {
    const auto packed = static_cast<double>((shape.heads + 2 * shape.kv()) * shape.width_of_head());
    vectors = 2 * vectors + layers * (packed + static_cast<double>(shape.ffn) + 2 * hidden) +
              static_cast<double>(shape.seq) * hidden;
  }
  model.set_vector_parameters(vectors);
  return model;
}

} // namespace triosim::symbolic::physical
