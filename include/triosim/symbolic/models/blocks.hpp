#pragma once

#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/module.hpp"
#include "triosim/symbolic/modules/attention.hpp"
#include "triosim/symbolic/modules/common.hpp"
#include "triosim/symbolic/modules/experts.hpp"
#include "triosim/symbolic/modules/feed_forward.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace triosim::symbolic::models {

/// How the tokens lie on the ranks of the tensor axis between the parallel parts of a block.
enum class Border {
  split,     ///< each rank holds its part of the sequence (sequence parallel)
  replicated ///< each rank holds all of it
};

/// The extent of the sequence on one rank at the border of a block.
constexpr std::string_view edge(Border border) noexcept {
  return border == Border::split ? "Seq/(cp*tp)" : "Seq/cp";
}

enum class Keys { per_head, grouped };

/// Projections and kernel.
inline Graph attention(Pool& pool, Keys keys, Border border) {
  const bool grouped = keys == Keys::grouped;
  Graph graph{pool};
  graph.merge("", parse_module(pool, "attention", modules::attention,
                               {{"Edge", edge(border)},
                                {"Shared", grouped ? "KVHead/tp" : "Head/tp"},
                                {"PackedKV", grouped ? "2*KVHead/tp" : "2*Head/tp"},
                                {"Packed", grouped ? "(Head + 2*KVHead)/tp" : "3*Head/tp"}}));
  graph.merge("attn_kernel.", grouped
                                  ? parse_module(pool, "grouped_attention_kernel", modules::grouped_attention_kernel)
                                  : parse_module(pool, "attention_kernel", modules::attention_kernel));
  graph.link({{"attn_kernel.q", "q"},
              {"attn_kernel.k", "k"},
              {"attn_kernel.v", "v"},
              {"dq", "attn_kernel.dq"},
              {"dk", "attn_kernel.dk"},
              {"dv", "attn_kernel.dv"},
              {"attn", "attn_kernel.qkv"},
              {"attn_kernel.dqkv", "dattn"}});
  return graph;
}

/// Router and `local_experts` experts of one rank. Throws `ConfigError` for none.
inline Graph experts(Pool& pool, std::uint32_t local_experts) {
  if (local_experts == 0) throw ConfigError{"experts", "0", "at least one expert on each rank"};
  Graph expert{pool};
  expert.merge("ldis.", parse_module(pool, "expert_wrapper", modules::expert_wrapper, {{"Edge", edge(Border::split)}}));
  expert.merge("ffn.",
               parse_module(pool, "feed_forward", modules::feed_forward,
                            {{"Span", "Seq*KExperts/(Experts*ep)"}, {"Edge", "Seq*KExperts/(Experts*ep*cp*tp)"}}));
  expert.link({{"ffn.x0", "ldis.x_expert"},
               {"ldis.y_expert", "ffn.xdown"},
               {"ffn.dxdown", "ldis.dy_expert"},
               {"ldis.dx_expert", "ffn.dx0"}});

  Graph graph{pool};
  graph.merge("moe.", parse_module(pool, "expert_frame", modules::expert_frame, {{"Edge", edge(Border::split)}}));
  for (std::uint32_t i = 0; i < local_experts; ++i) {
    const std::string prefix = "moe." + std::to_string(i) + ".";
    graph.merge(prefix, expert);
    graph.link({{prefix + "ldis.x", "moe.xrouted"}, {prefix + "ldis.dy", "moe.dyrouted"}});
  }

  // What the experts give is put together two by two; only the last step is counted as work.
  const Layout routed = graph[graph.find("moe.yrouted")].result;
  const auto joined = [&](const std::string& name, const std::string& part) {
    TensorId last = graph.find("moe.0." + part);
    for (std::uint32_t j = 1; j < local_experts; ++j) {
      Tensor tensor;
      tensor.name = pool.name(name + "_r" + std::to_string(j));
      tensor.op = Op::binary;
      tensor.x1 = last;
      tensor.x2 = graph.find("moe." + std::to_string(j) + "." + part);
      tensor.x1_layout = tensor.x2_layout = tensor.result = routed;
      tensor.cost = j + 1 == local_experts ? pool.elements(routed.shape) : pool.expressions.number(0);
      last = graph.add(tensor);
    }
    return last;
  };
  const TensorId dxrouted = joined("moe.dxrouted", "ldis.dx");
  const TensorId yrouted = joined("moe.yrouted", "ldis.y");
  graph.link(graph.find("moe.dxrouted"), dxrouted);
  graph.link(graph.find("moe.yrouted"), yrouted);
  return graph;
}

/// The names by which a feed-forward part is connected.
struct FeedForwardPorts {
  std::string_view prefix, x, y, dy, dx;
};

/// Norm, attention, residual, norm, feed-forward part, residual.
inline Graph block(Pool& pool, const Graph& attention_part, const Graph& feed_forward, const FeedForwardPorts& ports,
                   Border border) {
  const Graph norm = parse_module(pool, "norm", modules::norm, {{"Edge", edge(border)}});
  const Graph residual = parse_module(pool, "residual", modules::residual, {{"Edge", edge(border)}});
  Graph graph{pool};
  graph.merge("input_norm.", norm);
  graph.merge("mha.", attention_part);
  graph.merge("mha_res.", residual);
  graph.merge("post_attn_norm.", norm);
  graph.merge(ports.prefix, feed_forward);
  graph.merge("ffn_res.", residual);
  graph.link({{"mha.x", "input_norm.y"},
              {"mha_res.x1", "mha.o"},
              {"mha_res.x2", "input_norm.x"},
              {"mha.do", "mha_res.dx1"},
              {"post_attn_norm.x", "mha_res.y"},
              {"mha_res.dy", "post_attn_norm.dx"},
              {ports.x, "post_attn_norm.y"},
              {"ffn_res.x1", ports.y},
              {"ffn_res.x2", "post_attn_norm.x"},
              {ports.dy, "ffn_res.dx1"}});
  graph.join("input_norm.dy", "mha.dx", "mha_res.dx2");
  graph.join("post_attn_norm.dy", ports.dx, "ffn_res.dx2");
  return graph;
}

inline constexpr FeedForwardPorts dense_ports{"ffn.", "ffn.x0", "ffn.xdown", "ffn.dxdown", "ffn.dx0"};
inline constexpr FeedForwardPorts expert_ports{"", "moe.x", "moe.y", "moe.dy", "moe.dx"};

/// Full attention and two matrices.
inline Graph gpt_block(Pool& pool, Border border) {
  return block(pool, attention(pool, Keys::per_head, border),
               parse_module(pool, "feed_forward", modules::feed_forward, {{"Span", "Seq"}, {"Edge", edge(border)}}),
               dense_ports, border);
}

/// Grouped keys and three matrices.
inline Graph llama_block(Pool& pool) {
  return block(pool, attention(pool, Keys::grouped, Border::split),
               parse_module(pool, "gated_feed_forward", modules::gated_feed_forward,
                            {{"Span", "Seq"}, {"Edge", edge(Border::split)}}),
               dense_ports, Border::split);
}

/// Grouped keys, a router, and experts of two matrices each.
inline Graph moe_block(Pool& pool, std::uint32_t local_experts) {
  return block(pool, attention(pool, Keys::grouped, Border::split), experts(pool, local_experts), expert_ports,
               Border::split);
}

} // namespace triosim::symbolic::models
