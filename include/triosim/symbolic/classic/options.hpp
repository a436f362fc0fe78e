#pragma once

#include <cstdint>
#include <string_view>

namespace triosim::symbolic::classic {

enum class ModelType : std::uint8_t { dense, llama, gpt, moe, debug };

/// What the published generator takes, with its defaults. Sizes count elements, sequences or heads.
struct Options {
  ModelType model_type = ModelType::dense;
  std::int64_t dp = 1, tp = 1, sp = 1, ep = 1, pp = 1;
  /// Shard the weights of blocks over the data axis.
  bool weight_sharded = false;
  /// Split the sequence over the tensor axis at the borders of blocks.
  bool tpsp = true;
  /// For dense and llama it also chooses the gated model with grouped keys.
  bool mixed_precision = false;
  std::int64_t dvocal = 32000, dmodel = 8192, dff = 28672;
  std::int64_t batch = 64;
  /// Of all data-parallel ranks together; -1 means the whole batch.
  std::int64_t micro_batch = -1;
  std::int64_t seq = 1024, head = 64, kvhead = 8, num_stacks = 80, experts = 8, kexperts = 2;
  /// Of the debug model: the sizes of its matrix; 0 means dvocal.
  std::int64_t din = 0, dout = 0;
  /// Tag of the first transfer between stages; the published generator draws it.
  std::uint64_t tag_base = 0;
};

/// Which blocks are really built.
enum class Assembly : std::uint8_t { gpt, llama, moe, embedding };

constexpr Assembly assembly_of(const Options& options) noexcept {
  switch (options.model_type) {
  case ModelType::debug:
    return Assembly::embedding;
  case ModelType::moe:
    return Assembly::moe;
  case ModelType::gpt:
    return Assembly::gpt;
  case ModelType::dense:
  case ModelType::llama:
    break;
  }
  return options.mixed_precision ? Assembly::llama : Assembly::gpt;
}

} // namespace triosim::symbolic::classic
