#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/strategy/balance.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/layer_writer.hpp"
#include "triosim/strategy/schedule.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::strategy {

/// Pipeline parallelism: each rank is a stage and has some consecutive layers with their weights; `batch.simulated`
/// samples go through in micro-batches, in the order of the schedule. Stages are balanced by time: the dearest takes as
/// little for the forward and backward pass of its layers as can be. A backward layer is where its forward layer is;
/// one whose partner the trace does not tell is where the layer before it is. Between stages go the activations that a
/// later stage reads, and their gradients back. The optimizer runs once, on each stage for the weights it has, when the
/// stage has done all its micro-batches. A batch that does not divide into micro-batches has a smaller last one.
template <SchedulePolicy Schedule = OneForwardOneBackward>
struct PipelineParallel {
  using Source = Trace;

  Batch batch;
  /// Samples of a micro-batch; the whole batch if absent.
  std::optional<std::uint32_t> micro_batch;
  Schedule schedule{};

  /// Which stage has each layer, and what stage s sends to s+1 at the batch of the trace.
  struct Plan {
    std::vector<std::uint32_t> stage;    // of each layer; optimizer layers are everywhere
    std::vector<std::uint64_t> boundary; // bytes
    std::vector<double> weights;         // of each stage, as a part of the whole
  };

  /// What `lower` does with `stages` ranks. Throws `ConfigError` for more stages than forward layers.
  static Plan plan(const Trace& trace, const trace::Analysis& analysis, std::uint32_t stages) {
    const auto layers = trace.layers();
    Plan plan;
    plan.stage.assign(layers.size(), 0);
    std::vector<std::size_t> forward;
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (layers[i].stage == Stage::Forward) forward.push_back(i);

    // Unpaired backward layers go with the one before them.
    std::vector<std::size_t> owner(layers.size(), forward.empty() ? 0 : forward.back());
    std::vector<Time> cost(layers.size());
    std::size_t current = forward.empty() ? 0 : forward.back();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].stage == Stage::Forward) owner[i] = i;
      if (layers[i].stage == Stage::Backward) {
        if (analysis.pairing.forward_of[i] != trace::no_layer) current = analysis.pairing.forward_of[i];
        owner[i] = current;
      }
      if (layers[i].stage != Stage::Optimizer) cost[owner[i]] += layers[i].time;
    }
    std::vector<Time> costs;
    for (const std::size_t i : forward)
      costs.push_back(cost[i]);
    const std::vector<std::size_t> begins = balance(costs, stages);
    for (std::uint32_t stage = 0; stage < stages; ++stage)
      for (std::size_t k = begins[stage]; k < begins[stage + 1]; ++k)
        plan.stage[forward[k]] = stage;
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (layers[i].stage == Stage::Backward) plan.stage[i] = plan.stage[owner[i]];

    plan.boundary = boundaries(trace, MemoryBlocks{trace, analysis}, plan.stage, forward, begins);
    plan.weights.assign(stages, 0);
    double all = 0;
    for (const trace::Weight& weight : analysis.weights) {
      const auto bytes = static_cast<double>(trace.tensor(weight.tensor).bytes.count());
      plan.weights[plan.stage[weight.users.front()]] += bytes;
      all += bytes;
    }
    for (double& weight : plan.weights)
      weight = all > 0 ? weight / all : 1.0 / stages;
    return plan;
  }

  /// Throws `ConfigError` for a micro-batch of nothing or of more than the batch, and what `plan` throws.
  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    batch.validate();
    require_layers(trace);
    const std::uint32_t size = micro_batch.value_or(batch.simulated);
    if (size == 0 || size > batch.simulated)
      throw ConfigError{"micro-batch", std::to_string(size), "1 to " + std::to_string(batch.simulated) + ", the batch"};
    const std::uint32_t stages = cluster.ranks(), count = (batch.simulated + size - 1) / size;
    const trace::Analysis analysis = trace::analyse(trace);
    const Plan plan = PipelineParallel::plan(trace, analysis, stages);
    const MemoryBlocks memory{trace, analysis};
    TaskGraph graph{stages};
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      graph.assign(stage, stage);
      graph.add_program(program(trace, memory, plan, stage, stages, size, count));
    }
    if (stages > 1) graph.add_group(Communicators::world(stages));
    return graph;
  }

 private:
  // What crosses each cut: blocks that a stage at or before it writes (or has as its input) and a stage behind it reads
  // in the forward pass; where the trace does not show any, what the last layer before the cut writes.
  static std::vector<std::uint64_t> boundaries(const Trace& trace, const MemoryBlocks& memory,
                                               const std::vector<std::uint32_t>& stage,
                                               std::span<const std::size_t> forward,
                                               std::span<const std::size_t> begins) {
    const auto stages = static_cast<std::uint32_t>(begins.size() - 1);
    std::vector<std::uint64_t> bytes(stages - 1, 0);
    std::vector<std::uint32_t> written(memory.blocks().size(), stages), read(memory.blocks().size(), 0);
    for (const std::size_t i : forward) {
      for (const trace::TensorIndex tensor : trace.layer(i).inputs) {
        const std::uint32_t block = memory.block_of(tensor);
        if (written[block] == stages) continue;
        read[block] = std::max(read[block], stage[i]);
      }
      for (const trace::TensorIndex tensor : trace.layer(i).outputs) {
        std::uint32_t& first = written[memory.block_of(tensor)];
        if (first == stages) first = stage[i];
      }
    }
    for (std::size_t block = 0; block < written.size(); ++block)
      if (memory.blocks()[block].grows && written[block] != stages)
        for (std::uint32_t cut = written[block]; cut < read[block]; ++cut)
          bytes[cut] += memory.blocks()[block].bytes.count();
    for (std::uint32_t cut = 0; cut + 1 < stages; ++cut)
      if (bytes[cut] == 0) bytes[cut] = memory.bytes(trace.layer(forward[begins[cut + 1] - 1]).outputs, true);
    return bytes;
  }

  Program program(const Trace& trace, const MemoryBlocks& memory, const Plan& plan, std::uint32_t stage,
                  std::uint32_t stages, std::uint32_t size, std::uint32_t count) const {
    const auto layers = trace.layers();
    Program program;
    LayerWriter writer{program, trace, memory};
    // The optimizer's rows list the weights of all stages.
    std::vector<bool> here(memory.blocks().size(), false), elsewhere(memory.blocks().size(), false);
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (layers[i].stage != Stage::Optimizer)
        for (const auto list : {layers[i].inputs, layers[i].outputs})
          for (const trace::TensorIndex tensor : list)
            (plan.stage[i] == stage ? here : elsewhere)[memory.block_of(tensor)] = true;
    for (std::uint32_t block = 0; block < here.size(); ++block)
      if (elsewhere[block] && !here[block]) writer.exclude(block);

    const bool trains = trace.layer_count(Stage::Backward) > 0;
    std::vector<TaskId> after;
    for (const PipelineStep& step : schedule.order(stage, stages, count)) {
      const bool forward = step.pass == PipelineStep::Pass::Forward;
      if (!forward && !trains) continue;
      const std::uint32_t samples = std::min(size, batch.simulated - step.micro_batch * size);
      const double ratio = static_cast<double>(samples) / static_cast<double>(batch.traced);
      const auto message = [&](std::uint32_t cut, std::int32_t shift) {
        const double bytes = static_cast<double>(plan.boundary[cut]) * ratio;
        return PointToPoint{0, shift, step.micro_batch * 2 + (forward ? 0u : 1u),
                            Bytes{static_cast<std::uint64_t>(std::llround(bytes))}};
      };
      const bool has_source = forward ? stage > 0 : stage + 1 < stages;
      const bool has_target = forward ? stage + 1 < stages : stage > 0;
      const char* name = forward ? "activations" : "gradients";
      if (has_source) {
        after.push_back(program.add_receive(name, forward ? message(stage - 1, -1) : message(stage, 1)));
        program.micro_batch(step.micro_batch);
      }
      LayerWriter::Part part{.batch_ratio = ratio, .micro_batch = step.micro_batch};
      for (std::size_t i = 0; i < layers.size(); ++i)
        if (plan.stage[i] == stage && layers[i].stage == (forward ? Stage::Forward : Stage::Backward))
          after.assign(1, writer.add(i, part, after));
      if (has_target) {
        program.add_send(name, forward ? message(stage, 1) : message(stage - 1, -1), after);
        program.micro_batch(step.micro_batch);
      }
    }
    LayerWriter::Part update{.batch_ratio = batch.ratio(), .work = plan.weights[stage], .weights = plan.weights[stage]};
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (layers[i].stage == Stage::Optimizer) after.assign(1, writer.add(i, update, after));
    return program;
  }
};

} // namespace triosim::strategy
