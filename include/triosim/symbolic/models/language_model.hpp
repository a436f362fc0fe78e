#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"
#include "triosim/symbolic/models/blocks.hpp"
#include "triosim/symbolic/module.hpp"
#include "triosim/symbolic/modules/common.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace triosim::symbolic::models {

/// The names by which a block is connected to its neighbours.
struct BlockPorts {
  std::string_view x = "input_norm.x", y = "ffn_res.y", dy = "ffn_res.dy", dx = "input_norm.dx";
};

/// `blocks` copies of `block`, named `transformer.{i}.`, each fed by the one before.
inline Graph stack(const Graph& block, std::uint32_t blocks, const BlockPorts& ports = {}) {
  if (blocks == 0) throw ConfigError{"num_stacks", "0", "at least one block"};
  const TensorId x = block.find(ports.x), y = block.find(ports.y), dy = block.find(ports.dy), dx = block.find(ports.dx);
  Graph graph{block.pool()};
  graph.reserve((block.size() + 1) * std::size_t{blocks});
  TensorId before = 0;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const TensorId base = graph.stack("transformer." + std::to_string(i) + ".", block);
    if (i != 0) {
      graph.link(base + x, before + y);
      graph.link(before + dy, base + dx);
    }
    before = base;
  }
  return graph;
}

/// An embedding, blocks, a head and a loss: scopes `in_emb.`, `transformer.{i}.`, `out_emb.`, `loss.`. The input of the
/// embedding stays open.
inline Graph language_model(const Graph& block, std::uint32_t blocks, Border border, const BlockPorts& ports = {}) {
  Pool& pool = block.pool();
  const auto embedding = [&](std::string_view in, std::string_view out) {
    const std::string share = border == Border::split ? std::string{in} : std::string{in} + "/tp";
    return parse_module(pool, "embedding", modules::embedding,
                        {{"Edge", edge(border)}, {"InShare", share}, {"Out", out}});
  };
  const Graph in_embedding = embedding("Dvocal", "Dmodel");
  const Graph out_embedding = embedding("Dmodel", "Dvocal");
  const Graph loss = parse_module(pool, "loss", modules::loss, {{"Edge", edge(border)}});

  Graph graph = stack(block, blocks, ports);
  const auto last = static_cast<TensorId>(graph.size() - block.size());
  const TensorId in = graph.stack("in_emb.", in_embedding);
  const TensorId out = graph.stack("out_emb.", out_embedding);
  const TensorId end = graph.stack("loss.", loss);
  graph.link(block.find(ports.x), in + in_embedding.find("y"));
  graph.link(in + in_embedding.find("dy"), block.find(ports.dx));
  graph.link(out + out_embedding.find("x"), last + block.find(ports.y));
  graph.link(last + block.find(ports.dy), out + out_embedding.find("dx"));
  graph.link(end + loss.find("y"), out + out_embedding.find("y"));
  graph.link(out + out_embedding.find("dy"), end + loss.find("dy"));
  return graph;
}

/// One embedding matrix and nothing else: the least model, to look at what the machinery does. `in` and `out` are the
/// names of its two sizes.
inline Graph embedding_only(Pool& pool, std::string_view in = "Dvocal", std::string_view out = "Dvocal") {
  return parse_module(pool, "embedding", modules::embedding,
                      {{"Edge", edge(Border::split)}, {"InShare", in}, {"Out", out}});
}

} // namespace triosim::symbolic::models
