#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/graph.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// Which stage of the pipeline each part of the model is on.
struct StageMap {
  std::vector<std::uint32_t> stage_of_block;
  /// Of the head and the loss.
  std::uint32_t last = 0;

  std::uint32_t operator()(std::string_view scope) const {
    constexpr std::string_view blocks = "transformer.";
    if (scope.substr(0, blocks.size()) == blocks) {
      std::size_t block = stage_of_block.size();
      std::from_chars(scope.data() + blocks.size(), scope.data() + scope.size(), block);
      if (block < stage_of_block.size()) return stage_of_block[block];
      throw ConfigError{"scope", std::string{scope}, "a block of the model"};
    }
    return scope == "out_emb." || scope == "loss." ? last : 0;
  }
};

/// Contiguous runs of blocks, the first ones longer by one where they cannot be equal. Throws `ConfigError` where a
/// stage would be empty.
inline StageMap deal_blocks(std::uint32_t blocks, std::uint32_t stages) {
  if (stages == 0 || stages > blocks)
    throw ConfigError{"pp", std::to_string(stages),
                      "1 to " + std::to_string(blocks) + " stages for " + std::to_string(blocks) + " blocks"};
  StageMap map;
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    map.stage_of_block.insert(map.stage_of_block.end(), blocks / stages + (stage < blocks % stages ? 1 : 0), stage);
  map.last = stages - 1;
  return map;
}

/// A tensor that another stage needs: sent by one stage, received by the other as a shadow of the tensor.
struct Transfer {
  TensorId tensor, shadow;
  std::uint32_t from, to;
};

/// A graph cut into stages. Each stage lists its tensors in order, shadows last; operands are all of the same stage.
struct StagedGraph {
  Graph graph;
  std::vector<std::vector<TensorId>> stages;
  std::vector<std::uint32_t> stage_of;
  /// In the order of the receiving stages, and within one in the order of need.
  std::vector<Transfer> transfers;
};

/// Cuts the graph and puts a shadow wherever an operand is on another stage. `stage_of_scope` says which stage a scope
/// is on.
template <class StageOfScope>
StagedGraph cut_into_stages(Graph graph, std::uint32_t stages, const StageOfScope& stage_of_scope) {
  StagedGraph staged{std::move(graph), std::vector<std::vector<TensorId>>(stages), {}, {}};
  const Pool& pool = staged.graph.pool();
  staged.stage_of.reserve(staged.graph.size());
  NameId scope{};
  std::uint32_t stage = 0;
  for (TensorId id = 0; id < staged.graph.size(); ++id) {
    const Tensor& tensor = staged.graph[id];
    if (id == 0 || tensor.scope != scope) stage = stage_of_scope(pool.text(scope = tensor.scope));
    staged.stage_of.push_back(stage);
    staged.stages[stage].push_back(id);
  }

  std::unordered_map<std::uint64_t, TensorId> shadows; // by stage and tensor; never iterated
  for (std::uint32_t here = 0; here < stages; ++here) {
    const std::size_t own = staged.stages[here].size();
    for (std::size_t i = 0; i < own; ++i) {
      const TensorId id = staged.stages[here][i];
      for (TensorId Tensor::*operand : {&Tensor::x1, &Tensor::x2}) {
        const TensorId remote = staged.graph[id].*operand;
        if (remote == no_tensor || staged.stage_of[remote] == here) continue;
        const auto [known, is_new] =
            shadows.emplace(std::uint64_t{here} << 32 | remote, static_cast<TensorId>(staged.graph.size()));
        if (is_new) {
          Tensor shadow = staged.graph[remote];
          shadow.op = Op::shadow;
          shadow.trainable = false;
          shadow.x1 = shadow.x2 = shadow.gradient_of = no_tensor;
          shadow.extra_begin = shadow.extra_end = 0;
          shadow.x1_layout = shadow.result;
          shadow.cost = staged.graph.pool().expressions.number(0);
          staged.graph.add(shadow);
          staged.stage_of.push_back(here);
          staged.stages[here].push_back(known->second);
          staged.transfers.push_back({remote, known->second, staged.stage_of[remote], here});
        }
        staged.graph[id].*operand = known->second;
      }
    }
  }
  return staged;
}

} // namespace triosim::symbolic
