#pragma once

#include "triosim/error.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::player::published {

/// A micro-batch on a rank: the published program keeps the progress of each on its own.
using Lane = std::uint32_t;

/// One use of a tensor by a layer.
struct Use {
  TensorIndex tensor = 0;
  /// The remote memory has it. Without, it counts as present where the published program exempts gradients.
  bool fetchable = true;
  std::uint64_t bytes = 0;
};

/// What the published program calls a layer: a compute task, flat for the hot path.
struct Layer {
  double seconds = 0;
  std::uint32_t inputs = 0, outputs = 0, end = 0; // begins in Table::uses, and the end of the outputs
};

/// The layers that one micro-batch passes on the ranks of one program, in order: those of the forward pass, then the
/// others. All micro-batches pass the same layers, with the same tensors: the published rule.
class Table {
 public:
  /// `seconds_of(task)` is the time of a compute task, `touched(bytes, operation)` how much of a tensor a task touches.
  /// Throws `ConfigError` where micro-batches differ in their number of layers.
  template <class Seconds, class Touched>
  Table(const Program& program, Seconds&& seconds_of, Touched&& touched) {
    for (TaskId task = 0; task < program.size(); ++task) {
      if (program.kind(task) != TaskKind::Compute) continue;
      const std::uint32_t micro_batch = micro_batch_of(program, task);
      if (micro_batch >= tasks_.size()) tasks_.resize(micro_batch + std::size_t{1});
      tasks_[micro_batch].push_back(task);
    }
    if (tasks_.empty()) tasks_.resize(1);
    for (const auto& tasks : tasks_)
      if (tasks.size() != tasks_[0].size())
        throw ConfigError{"micro-batches", std::to_string(tasks.size()) + " layers",
                          std::to_string(tasks_[0].size()) + " as in the first micro-batch"};
    for (const TaskId task : tasks_[0]) {
      const Operation operation = program.operation(task);
      if (operation.stage == Stage::Forward) ++forward_;
      Layer& layer = layers_.emplace_back();
      layer.seconds = seconds_of(task);
      layer.inputs = static_cast<std::uint32_t>(uses_.size());
      const auto add = [&](std::span<const TensorIndex> tensors) {
        for (const TensorIndex tensor : tensors) {
          const TaskTensor& what = program.tensors()[tensor];
          uses_.push_back({tensor, what.persistent, touched(what.bytes.count(), operation)});
        }
      };
      add(program.inputs(task));
      layer.outputs = static_cast<std::uint32_t>(uses_.size());
      add(program.outputs(task));
      layer.end = static_cast<std::uint32_t>(uses_.size());
    }
    tensors_ = static_cast<std::uint32_t>(program.tensors().size());
  }

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(layers_.size()); }
  /// How many of them are of the forward pass.
  std::uint32_t forward() const noexcept { return forward_; }
  std::uint32_t tensors() const noexcept { return tensors_; }
  std::uint32_t micro_batches() const noexcept { return static_cast<std::uint32_t>(tasks_.size()); }
  double seconds(std::uint32_t layer) const { return layers_[layer].seconds; }
  TaskId task(std::uint32_t micro_batch, std::uint32_t layer) const { return tasks_[micro_batch][layer]; }
  std::span<const Use> inputs(std::uint32_t layer) const {
    return std::span{uses_}.subspan(layers_[layer].inputs, layers_[layer].outputs - layers_[layer].inputs);
  }
  std::span<const Use> outputs(std::uint32_t layer) const {
    return std::span{uses_}.subspan(layers_[layer].outputs, layers_[layer].end - layers_[layer].outputs);
  }

  /// Inputs and outputs together.
  std::span<const Use> touches(std::uint32_t layer) const {
    return std::span{uses_}.subspan(layers_[layer].inputs, layers_[layer].end - layers_[layer].inputs);
  }

  /// The tensors of the layer are those `offset` further on.
  void rename(std::uint32_t layer, TensorIndex offset) {
    for (std::uint32_t i = layers_[layer].inputs; i < layers_[layer].end; ++i)
      uses_[i].tensor += offset;
  }

  static std::uint32_t micro_batch_of(const Program& program, TaskId task) {
    const std::uint32_t number = program.micro_batch_of(task);
    return number == Program::no_micro_batch ? 0 : number;
  }

 private:
  std::vector<Layer> layers_;
  std::vector<Use> uses_;
  std::vector<std::vector<TaskId>> tasks_; // of each micro-batch
  std::uint32_t forward_ = 0;
  std::uint32_t tensors_ = 0;
};

} // namespace triosim::player::published
