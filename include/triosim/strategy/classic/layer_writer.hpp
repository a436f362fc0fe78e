#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::strategy::classic {

/// How the published rules treat the tensors of a trace.
struct Scaling {
  /// Everything grows with the batch, weights and optimizer state too: bytes := trunc(bytes / (traced / simulated)).
  Batch batch;
  /// Equal parts of a batch that pass one after the other, each with that part of everything.
  std::uint32_t micro_batches = 1;
  /// Tensors that the trace calls gradients are never fetched from the remote memory.
  bool gradients_stay = false;
};

/// Writes layers of a trace into a program as the published program sees them: every id is a tensor of its own, views
/// and aliases too, and the remote memory has all of them.
class LayerWriter {
 public:
  /// Program and trace must outlive the writer. Throws `ConfigError` for a trace without layers, or a batch that makes
  /// it bigger than can be counted.
  LayerWriter(Program& program, const Trace& trace, const Scaling& scaling)
      : program_{program}, trace_{trace}, scaling_{scaling}, known_(trace.tensors().size(), none) {
    if (trace.empty()) throw ConfigError{"trace", "no layer", "at least one"};
    scaling.batch.validate();
    double total = 0;
    for (const trace::Layer& layer : trace.layers())
      total += static_cast<double>((trace.bytes(layer.inputs) + trace.bytes(layer.outputs)).count());
    if (total * scaling.batch.ratio() > 0x1p62)
      throw ConfigError{"batch to simulate", std::to_string(scaling.batch.simulated),
                        "one with less than 4 EiB in all layers together"};
  }

  /// Of one micro-batch.
  std::uint64_t bytes(trace::TensorIndex tensor) const {
    const Batch& batch = scaling_.batch;
    const double ratio = static_cast<double>(batch.traced) / static_cast<double>(batch.simulated);
    return static_cast<std::uint64_t>(static_cast<double>(trace_.tensor(tensor).bytes.count()) / ratio) /
           scaling_.micro_batches;
  }

  /// The tensor of the program for one of the trace.
  TensorIndex tensor(trace::TensorIndex tensor) {
    if (known_[tensor] == none)
      known_[tensor] = program_.add_tensor(
          {Bytes{bytes(tensor)}, !(scaling_.gradients_stay && trace::is_gradient(trace_.tensor(tensor).type))});
    return known_[tensor];
  }
  /// Whether `tensor` has been asked about that one.
  bool knows(trace::TensorIndex tensor) const { return known_[tensor] != none; }
  /// Valid until the next call.
  std::span<const TensorIndex> tensors(std::span<const trace::TensorIndex> list) {
    list_.clear();
    for (const trace::TensorIndex index : list)
      list_.push_back(tensor(index));
    return list_;
  }
  /// Makes the tensors of a layer known.
  void learn(const trace::Layer& layer) {
    static_cast<void>(tensors(layer.inputs));
    static_cast<void>(tensors(layer.outputs));
  }

  struct Part {
    /// Of the layer's time, and of what it touches where ranks split it.
    double share = 1;
    std::uint32_t micro_batch = Program::no_micro_batch;
  };
  TaskId add(const trace::Layer& layer, const Part& part, std::span<const TaskId> after) {
    Operation operation;
    operation.name = layer.name;
    operation.stage = layer.stage;
    operation.recorded = layer.time;
    operation.batch_ratio = scaling_.batch.ratio();
    operation.share = part.share;
    const TaskId task = program_.add_compute(operation, after);
    program_.micro_batch(part.micro_batch);
    const auto inputs = tensors(layer.inputs);
    const std::vector<TensorIndex> first{inputs.begin(), inputs.end()};
    program_.uses(first, tensors(layer.outputs));
    return task;
  }

 private:
  static constexpr TensorIndex none = 0xFFFFFFFF;

  Program& program_;
  const Trace& trace_;
  Scaling scaling_;
  std::vector<TensorIndex> known_; // of each tensor of the trace
  std::vector<TensorIndex> list_;
};

/// The published program cannot cut up a layer whose lists of element counts are shorter than its lists of tensors.
/// Throws `ConfigError`.
inline void require_sizes(const Trace& trace) {
  for (const trace::Layer& layer : trace.layers())
    if (!layer.sizes_complete)
      throw ConfigError{"InputSize and OutputSize of layer " + std::to_string(layer.id), "fewer sizes than tensors",
                        "a size for each tensor"};
}

} // namespace triosim::strategy::classic
