#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/classic/layer_writer.hpp"
#include "triosim/strategy/classic/rules.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::strategy::classic {

/// The published case 4, pipeline parallelism in the manner of GPipe. The batch goes through in R =
/// simulated div micro-batch parts (a remainder is dropped), each 1/R of everything. The F forward layers are cut by
/// their number: rank r has those from r F div N up to (r+1) F div N; all other layers, the optimizer's too, likewise
/// from the last rank to the first. Gradients are not reduced, and the optimizer's layers run R times, wherever they
/// are.
///
/// All micro-batches have the same tensors.
struct PipelineParallel {
  using Source = Trace;
  using Rules = rules::classic::Pipeline;

  Batch batch;
  /// Samples; the whole batch at once without.
  std::optional<std::uint32_t> micro_batch;

  /// Throws `ConfigError` for micro-batches that are empty or larger than the batch, fewer layers than ranks in either
  /// pass, layers not in the order of their ids with the forward layers first, or more than 2^22 layers of all
  /// micro-batches together.
  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    require_sizes(trace);
    batch.validate();
    const std::uint32_t size = micro_batch.value_or(batch.simulated), stages = cluster.ranks();
    if (size == 0 || size > batch.simulated)
      throw ConfigError{"micro-batch", std::to_string(size),
                        "1 to " + std::to_string(batch.simulated) + ", the batch to simulate"};
    const std::uint32_t micro_batches = batch.simulated / size;
    if (std::uint64_t{micro_batches} * trace.layers().size() > most_layers)
      throw ConfigError{"micro-batch", std::to_string(size),
                        "fewer than " + std::to_string(most_layers) + " layers of all micro-batches together, not " +
                            std::to_string(micro_batches) + " x " + std::to_string(trace.layers().size())};
    const std::size_t forward = trace.layer_count(Stage::Forward), others = trace.layers().size() - forward;
    if (stages == 0 || stages > forward || stages > others)
      throw ConfigError{"ranks", std::to_string(stages),
                        "1 to " + std::to_string(std::min(forward, others)) + " stages for " + std::to_string(forward) +
                            " forward and " + std::to_string(others) + " other layers"};
    for (std::size_t i = 0; i < trace.layers().size(); ++i)
      if ((i > 0 && trace.layer(i).id <= trace.layer(i - 1).id) ||
          (trace.layer(i).stage == Stage::Forward) != (i < forward))
        throw ConfigError{"layer " + std::to_string(trace.layer(i).id), "out of order",
                          "ascending ids, and the forward layers first"};

    const Scaling scaling{.batch = batch, .micro_batches = micro_batches, .gradients_stay = true};
    TaskGraph graph{stages};
    for (std::uint32_t rank = 0; rank < stages; ++rank) {
      const Pass there{rank * forward / stages, (rank + 1) * forward / stages};
      const std::size_t from_last = stages - 1 - rank;
      const Pass back{forward + from_last * others / stages, forward + (from_last + 1) * others / stages};
      graph.assign(rank, graph.add_program(stage(trace, scaling, there, back, rank, stages)));
    }
    graph.add_group(Communicators::world(stages));
    return graph;
  }

 private:
  static constexpr std::uint64_t most_layers = std::uint64_t{1} << 22;
  struct Pass {
    std::size_t begin, end; // of the layers
  };

  static Program stage(const Trace& trace, const Scaling& scaling, Pass there, Pass back, std::uint32_t rank,
                       std::uint32_t stages) {
    Program program;
    LayerWriter writer{program, trace, scaling};
    const std::uint32_t micro_batches = scaling.micro_batches;
    // Hand-overs ask what the rank knows, which is what any of its layers or messages has.
    for (const Pass& pass : {there, back})
      for (std::size_t i = pass.begin; i < pass.end; ++i)
        writer.learn(trace.layer(i));
    if (rank > 0) static_cast<void>(writer.tensors(trace.layer(there.begin - 1).outputs));
    if (rank + 1 < stages) static_cast<void>(writer.tensors(trace.layer(back.begin - 1).outputs));

    const double share = 1.0 / micro_batches;
    std::vector<TaskId> turned(micro_batches, 0);
    for (std::uint32_t k = 0; k < micro_batches; ++k) {
      std::vector<TaskId> after;
      if (rank > 0) after = {receive(program, trace, writer, there.begin - 1, k, -1)};
      for (std::size_t i = there.begin; i < there.end; ++i)
        after = {writer.add(trace.layer(i), {share, k}, after)};
      turned[k] = after[0];
      if (rank + 1 < stages) send(program, trace, writer, there.end - 1, k, +1, after);
    }
    for (std::uint32_t k = micro_batches; k-- > 0;) {
      std::vector<TaskId> after{turned[k]};
      if (rank + 1 < stages) after.push_back(receive(program, trace, writer, back.begin - 1, k, +1));
      for (std::size_t i = back.begin; i < back.end; ++i)
        after = {writer.add(trace.layer(i), {share, k}, after)};
      if (rank > 0) send(program, trace, writer, back.end - 1, k, -1, after);
    }
    return program;
  }

  static Bytes outputs(const Trace& trace, const LayerWriter& writer, std::size_t layer) {
    Bytes bytes;
    for (const trace::TensorIndex tensor : trace.layer(layer).outputs)
      bytes += Bytes{writer.bytes(tensor)};
    return bytes;
  }
  static std::uint32_t tag(std::uint32_t micro_batch, std::int32_t shift) {
    return 2 * micro_batch + (shift > 0 ? 0u : 1u);
  }

  static TaskId receive(Program& program, const Trace& trace, LayerWriter& writer, std::size_t layer, std::uint32_t k,
                        std::int32_t shift) {
    const TaskId task = program.add_receive(shift < 0 ? "activations" : "gradients",
                                            {0, shift, tag(k, -shift), outputs(trace, writer, layer)});
    program.micro_batch(k);
    program.uses({}, writer.tensors(trace.layer(layer).outputs));
    return task;
  }

  // What the rank must keep while it hands over is what it has of the tensors of the layer that comes next.
  static void send(Program& program, const Trace& trace, LayerWriter& writer, std::size_t layer, std::uint32_t k,
                   std::int32_t shift, std::span<const TaskId> after) {
    std::vector<TensorIndex> kept;
    for (const auto list : {trace.layer(layer + 1).inputs, trace.layer(layer + 1).outputs})
      for (const trace::TensorIndex tensor : list)
        if (writer.knows(tensor)) kept.push_back(writer.tensor(tensor));
    program.add_send(shift > 0 ? "activations" : "gradients", {0, shift, tag(k, shift), outputs(trace, writer, layer)},
                     after);
    program.micro_batch(k);
    program.uses(kept, {});
  }
};

} // namespace triosim::strategy::classic
