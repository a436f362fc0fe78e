#pragma once

#include "triosim/error.hpp"
#include "triosim/mesh.hpp"
#include "triosim/symbolic/classic/group_numbers.hpp"
#include "triosim/symbolic/classic/lower.hpp"
#include "triosim/symbolic/classic/options.hpp"
#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/models/language_model.hpp"
#include "triosim/symbolic/passes/group_weights.hpp"
#include "triosim/symbolic/passes/micro_batches.hpp"
#include "triosim/symbolic/passes/stages.hpp"
#include "triosim/symbolic/passes/update_weights.hpp"
#include "triosim/symbolic/redistribution.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic::classic {

/// One training step as the published generator makes it: tensors, the nodes of each stage, and how ranks and groups
/// are numbered. Ranks are never built one by one; a rank's trace is its stage's nodes with its own groups and peers.
class Step {
 public:
  /// Throws `ConfigError` for options that make no step.
  explicit Step(const Options& options) : options_{check(options)} {
    const Assembly assembly = assembly_of(options_);
    spatial_ = assembly == Assembly::moe || assembly == Assembly::embedding
                   ? std::vector<std::string_view>{"dp", "tp", "cp", "ep"}
                   : std::vector<std::string_view>{"dp", "tp", "cp"};
    bind_sizes();
    staged_ = std::make_unique<StagedGraph>(build(assembly));
    measures_ = std::make_unique<Measures>(*pool_, *sizes_);

    // dp is the fastest coordinate of a rank, the stage the slowest.
    const auto size = [&](std::string_view axis) {
      return static_cast<std::uint32_t>(*sizes_->get(pool_->expressions.symbol(axis)));
    };
    std::vector<Axis> axes{{"dp", size("dp")}, {"tp", size("tp")}, {"cp", size("cp")}};
    if (spatial_.size() == 4) axes.push_back({"ep", size("ep")});
    axes.push_back({"pp", size("pp")});
    std::vector<std::size_t> positions;
    std::vector<SymbolId> symbols;
    std::vector<std::uint8_t> active;
    for (std::size_t i = 0; i < spatial_.size(); ++i) {
      positions.push_back(i);
      symbols.push_back(pool_->expressions.symbol(spatial_[i]));
      if (axes[i].size > 1) active.push_back(static_cast<std::uint8_t>(i));
    }
    if (spatial_.size() == 3) symbols.push_back(pool_->expressions.symbol("ep"));
    groups_ = std::make_unique<GroupNumbers>(DeviceMesh{std::move(axes)}, std::move(positions), spatial_.size());
    Redistribution redistribution{*pool_, std::move(symbols), std::move(active)};
    stages_ = lower(*staged_, *measures_, redistribution, options_.tag_base);
  }

  const Options& options() const noexcept { return options_; }
  const StagedGraph& staged() const noexcept { return *staged_; }
  const Graph& graph() const noexcept { return staged_->graph; }
  const std::vector<NodeList>& stages() const noexcept { return stages_; }
  const GroupNumbers& groups() const noexcept { return *groups_; }
  Measures& measures() const noexcept { return *measures_; }
  std::uint32_t ranks() const noexcept { return groups_->mesh().ranks(); }
  std::uint32_t stage_of(std::uint32_t rank) const {
    return groups_->mesh().coordinate(rank, groups_->mesh().dimensions() - 1);
  }
  /// The axes along which ranks of one stage differ, in the order of `Node::axis`.
  const std::vector<std::string_view>& spatial_axes() const noexcept { return spatial_; }

 private:
  static Options check(Options options) {
    const auto at_least = [](std::string_view flag, std::int64_t value, std::int64_t least, std::int64_t most) {
      if (value < least || value > most)
        throw ConfigError{std::string{flag}, std::to_string(value),
                          std::to_string(least) + " to " + std::to_string(most)};
    };
    constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const auto& [flag, value] :
         {std::pair{"dp", options.dp}, std::pair{"tp", options.tp}, std::pair{"sp", options.sp},
          std::pair{"ep", options.ep}, std::pair{"pp", options.pp}})
      at_least(flag, value, 1, most_ranks);
    at_least("dvocal", options.dvocal, 1, most);
    at_least("din", options.din, 0, most);
    at_least("dout", options.dout, 0, most);
    at_least("dmodel", options.dmodel, 1, most);
    at_least("dff", options.dff, 1, most);
    at_least("batch", options.batch, 1, most);
    at_least("seq", options.seq, 1, most);
    at_least("head", options.head, 0, most);
    at_least("kvhead", options.kvhead, 0, most);
    at_least("num_stacks", options.num_stacks, 1, 1'000'000);
    if (options.micro_batch == -1) options.micro_batch = options.batch;
    const Assembly assembly = assembly_of(options);
    if (assembly != Assembly::embedding && (options.micro_batch < 1 || options.batch % options.micro_batch != 0))
      throw ConfigError{"micro_batch", std::to_string(options.micro_batch),
                        "a divisor of the batch, " + std::to_string(options.batch)};
    if (assembly == Assembly::embedding) {
      at_least("micro_batch", options.micro_batch, 1, most);
      if (options.pp != 1) throw ConfigError{"pp", std::to_string(options.pp), "1, as the debug model has no blocks"};
      options.mixed_precision = false;
    }
    if (assembly == Assembly::moe) {
      at_least("experts", options.experts, 1, 1'000'000);
      at_least("kexperts", options.kexperts, 1, options.experts);
      if (options.experts % options.ep != 0)
        throw ConfigError{"ep", std::to_string(options.ep),
                          "a divisor of the experts, " + std::to_string(options.experts)};
      if (!options.tpsp) throw ConfigError{"tpsp", "false", "true, as the moe model has no other form"};
    }
    return options;
  }

  void bind_sizes() {
    const auto set = [&](std::string_view name, std::int64_t value) {
      sizes_->set(pool_->expressions.symbol(name), value);
    };
    set("Dvocal", options_.dvocal);
    if (options_.din != 0) set("Din", options_.din);
    if (options_.dout != 0) set("Dout", options_.dout);
    set("Dmodel", options_.dmodel);
    set("Dff", options_.dff);
    set("Batch", options_.batch);
    set("MicroBatch", options_.micro_batch);
    set("Seq", options_.seq);
    set("Head", options_.head);
    set("KVHead", options_.kvhead);
    set("Experts", options_.experts);
    set("KExperts", options_.kexperts);
    const bool expert_axis = spatial_.size() == 4;
    const std::int64_t tensor = expert_axis ? options_.tp : options_.tp * options_.ep;
    if (tensor > std::numeric_limits<std::int32_t>::max())
      throw ConfigError{"tp*ep", std::to_string(tensor), "fewer than 2^31 ranks"};
    set("dp", options_.dp);
    set("tp", tensor);
    set("cp", options_.sp);
    set("ep", options_.ep);
    set("pp", options_.pp);
  }

  StagedGraph build(Assembly assembly) {
    Pool& pool = *pool_;
    if (assembly == Assembly::embedding) {
      Graph graph =
          models::embedding_only(pool, options_.din != 0 ? "Din" : "Dvocal", options_.dout != 0 ? "Dout" : "Dvocal");
      graph.replace({{pool.expressions.symbol("Batch"), pool.expressions.of("MicroBatch")}});
      update_weights(graph);
      return cut_into_stages(std::move(graph), 1, StageMap{});
    }
    const auto border =
        assembly == Assembly::gpt && !options_.tpsp ? models::Border::replicated : models::Border::split;
    Graph block = assembly == Assembly::gpt ? models::gpt_block(pool, border)
                  : assembly == Assembly::llama
                      ? models::llama_block(pool)
                      : models::moe_block(pool, static_cast<std::uint32_t>(options_.experts / options_.ep));
    group_weights(block);
    const ExprId shards = options_.weight_sharded ? pool.expressions.of("dp") : pool.expressions.number(1);
    block.replace({{pool.expressions.symbol("fsdp"), shards}});
    const auto blocks = static_cast<std::uint32_t>(options_.num_stacks);
    const std::int64_t copies = options_.batch / options_.micro_batch;
    if (copies > std::numeric_limits<std::int32_t>::max())
      throw ConfigError{"micro_batch", std::to_string(options_.micro_batch), "fewer than 2^31 micro-batches"};
    Graph graph = micro_batches(models::language_model(block, blocks, border), static_cast<std::uint32_t>(copies));
    update_weights(graph);

    const auto stages = static_cast<std::uint32_t>(options_.pp);
    StageMap map = deal_blocks(blocks, stages);
    // Published so: the head is on the last stage only where the stages divide the blocks.
    if (!options_.mixed_precision) map.last = (blocks - 1) % stages;
    return cut_into_stages(std::move(graph), stages, map);
  }

  Options options_;
  std::unique_ptr<Pool> pool_ = std::make_unique<Pool>();
  std::unique_ptr<Sizes> sizes_ = std::make_unique<Sizes>();
  std::vector<std::string_view> spatial_;
  std::unique_ptr<StagedGraph> staged_;
  std::unique_ptr<Measures> measures_;
  std::unique_ptr<GroupNumbers> groups_;
  std::vector<NodeList> stages_;
};

} // namespace triosim::symbolic::classic
