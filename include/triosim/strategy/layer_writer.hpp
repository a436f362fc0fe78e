#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/dataflow.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace triosim::strategy {

/// The memory of a trace: tensors in the same place (same storage, same size) are one block. Weights, optimizer state
/// and the batch were there before the step and stay; the rest lives from its first use to its last. What has an entry
/// for each sample grows with the batch (trace::scales_with_batch).
class MemoryBlocks {
 public:
  MemoryBlocks(const Trace& trace, const trace::Analysis& analysis)
      : block_of_{trace::places(trace)}, blocks_(trace.tensors().size()) {
    for (std::size_t tensor = 0; tensor < trace.tensors().size(); ++tensor) {
      Block& block = blocks_[block_of_[tensor]];
      const trace::TensorRole role = analysis.roles[tensor];
      block.bytes = std::max(block.bytes, trace.tensors()[tensor].bytes);
      block.persistent |= role == trace::TensorRole::Weight || role == trace::TensorRole::OptimizerState ||
                          role == trace::TensorRole::Data;
      block.grows &= trace::scales_with_batch(role);
    }
  }

  struct Block {
    Bytes bytes;
    bool persistent = false;
    bool grows = true; // with the batch
  };

  std::uint32_t block_of(trace::TensorIndex tensor) const { return block_of_[tensor]; }
  std::span<const Block> blocks() const noexcept { return blocks_; }
  /// Of these tensors, each block once: what grows with the batch if `growing`, else the rest.
  std::uint64_t bytes(std::span<const trace::TensorIndex> tensors, bool growing) const {
    std::vector<std::uint32_t> seen;
    std::uint64_t sum = 0;
    for (const trace::TensorIndex tensor : tensors)
      if (blocks_[block_of_[tensor]].grows == growing &&
          std::find(seen.begin(), seen.end(), block_of_[tensor]) == seen.end()) {
        seen.push_back(block_of_[tensor]);
        sum += blocks_[seen.back()].bytes.count();
      }
    return sum;
  }

 private:
  std::vector<std::uint32_t> block_of_; // of each tensor
  std::vector<Block> blocks_;
};

/// Writes layers of a trace into a program as compute tasks, each with the memory that it touches.
class LayerWriter {
 public:
  /// The part of a layer that a task does.
  struct Part {
    /// Samples of this task over the samples of the trace.
    double batch_ratio = 1;
    /// Of the layer's work, its input and output activations, and its weights: less than 1 where ranks share them.
    double work = 1, inputs = 1, outputs = 1, weights = 1;
    std::uint32_t micro_batch = Program::no_micro_batch;
  };

  /// All three must outlive the writer.
  LayerWriter(Program& program, const Trace& trace, const MemoryBlocks& memory)
      : program_{program}, trace_{trace}, memory_{memory}, foreign_(memory.blocks().size(), false) {}

  /// A block that this program never holds, whichever layer lists it.
  void exclude(std::uint32_t block) { foreign_[block] = true; }

  TaskId add(std::size_t index, const Part& part, std::span<const TaskId> after) {
    const trace::Layer& layer = trace_.layer(index);
    Operation operation;
    operation.name = layer.name;
    operation.stage = layer.stage;
    operation.recorded = layer.time;
    operation.batch_ratio = part.batch_ratio;
    operation.share = part.work;
    const TaskId task = program_.add_compute(operation, after);
    program_.micro_batch(part.micro_batch);
    list(layer.inputs, part, part.inputs, inputs_);
    list(layer.outputs, part, part.outputs, outputs_);
    program_.uses(inputs_, outputs_);
    return task;
  }

 private:
  void list(std::span<const trace::TensorIndex> tensors, const Part& part, double activations,
            std::vector<TensorIndex>& uses) {
    uses.clear();
    for (const trace::TensorIndex tensor : tensors) {
      const std::uint32_t number = memory_.block_of(tensor);
      if (foreign_[number]) continue;
      const MemoryBlocks::Block& block = memory_.blocks()[number];
      // Micro-batches share weights and have activations of their own.
      const auto key = std::pair{number, block.grows ? part.micro_batch : Program::no_micro_batch};
      const auto [found, fresh] = known_.try_emplace(key, 0);
      if (fresh) {
        const double scale = block.grows ? part.batch_ratio * activations : part.weights;
        found->second = program_.add_tensor(
            {Bytes{static_cast<std::uint64_t>(std::llround(static_cast<double>(block.bytes.count()) * scale))},
             block.persistent});
      }
      uses.push_back(found->second);
    }
  }

  Program& program_;
  const Trace& trace_;
  const MemoryBlocks& memory_;
  std::vector<bool> foreign_; // of each block
  std::map<std::pair<std::uint32_t, std::uint32_t>, TensorIndex> known_;
  std::vector<TensorIndex> inputs_, outputs_;
};

/// Throws `ConfigError` for a trace without layers, which no strategy can lower.
inline void require_layers(const Trace& trace) {
  if (trace.empty()) throw ConfigError{"trace", "no layer", "at least one"};
}

} // namespace triosim::strategy
