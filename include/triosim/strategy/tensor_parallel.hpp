#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/layer_writer.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triosim::strategy {

/// Tensor parallelism in column/row pairs (Shoeybi et al., "Megatron-LM", 2019, section 3). N ranks share
/// `batch.simulated` samples. Of two flagged forward layers in a row, with nothing but layers on the way from one to
/// the other between them, the first splits its weights by columns (output channels) and the second by rows (input
/// channels): activations outside the pair stay whole on every rank, those inside are split, and so is the work of the
/// layers inside. The pair costs one all-reduce of its output in the forward pass and one of the gradient of its input
/// in the backward pass. A flagged layer without a partner is split by columns, and its output gathered. Backward
/// layers follow their forward layers; layers outside pairs run whole on every rank; the optimizer updates what a rank
/// holds.
///
/// The gradient of the data is not reduced: nobody needs it. Declared approximations: the bias of a row layer is split
/// with its weight; a layer inside a pair is taken to split as well as the pair does.
struct TensorParallel {
  using Source = Trace;

  Batch batch;

  /// What is done with each layer of a trace.
  struct Plan {
    enum class Role : std::uint8_t { Whole, Column, Row, Inside };
    std::vector<Role> role;
    /// Bytes (at the batch of the trace) that are reduced, or gathered, when the layer has ended; 0 for nothing.
    std::vector<std::uint64_t> reduced, gathered;
    /// The part of the weights that a rank holds, by bytes.
    double weights_held = 1;
  };

  /// What `lower` does on `ranks` ranks, for those who want to look.
  static Plan plan(const Trace& trace, const trace::Analysis& analysis, std::uint32_t ranks) {
    const auto layers = trace.layers();
    Plan plan;
    plan.role.assign(layers.size(), Plan::Role::Whole);
    plan.reduced.assign(layers.size(), 0);
    plan.gathered.assign(layers.size(), 0);
    if (ranks == 1) return plan;
    const trace::Dataflow flow = trace::Dataflow::of(trace);
    const MemoryBlocks memory{trace, analysis};

    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].stage != Stage::Forward || !layers[i].tensor_parallel) continue;
      plan.role[i] = Plan::Role::Column;
      const std::size_t partner = next_on_the_way(trace, flow, i);
      if (partner == layers.size()) {
        plan.gathered[i] = memory.bytes(layers[i].outputs, true);
        continue;
      }
      for (std::size_t inside = i + 1; inside < partner; ++inside)
        plan.role[inside] = Plan::Role::Inside;
      plan.role[partner] = Plan::Role::Row;
      plan.reduced[partner] = memory.bytes(layers[partner].outputs, true);
      i = partner;
    }

    for (std::size_t i = 0; i < layers.size(); ++i) {
      const trace::LayerIndex forward = analysis.pairing.forward_of[i];
      if (layers[i].stage != Stage::Backward || forward == trace::no_layer) continue;
      plan.role[i] = plan.role[forward];
      if (plan.role[i] == Plan::Role::Column && !flow.before(forward).empty())
        plan.reduced[i] = memory.bytes(trace.layer(forward).inputs, true); // of its inputs' gradients
    }

    double held = 0, all = 0;
    for (const trace::Weight& weight : analysis.weights) {
      const double bytes = static_cast<double>(trace.tensor(weight.tensor).bytes.count());
      const bool split = std::any_of(weight.users.begin(), weight.users.end(),
                                     [&](trace::LayerIndex user) { return plan.role[user] != Plan::Role::Whole; });
      held += split ? bytes / ranks : bytes;
      all += bytes;
    }
    if (all > 0) plan.weights_held = held / all;
    return plan;
  }

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    batch.validate();
    require_layers(trace);
    const std::uint32_t ranks = cluster.ranks();
    const trace::Analysis analysis = trace::analyse(trace);
    const Plan plan = TensorParallel::plan(trace, analysis, ranks);
    const double split = 1.0 / ranks;
    Program program;
    const MemoryBlocks memory{trace, analysis};
    LayerWriter writer{program, trace, memory};
    std::vector<TaskId> after;
    for (std::size_t layer = 0; layer < trace.layers().size(); ++layer) {
      LayerWriter::Part part{.batch_ratio = batch.ratio()};
      if (trace.layer(layer).stage == Stage::Optimizer) {
        part.work = part.weights = plan.weights_held;
      } else if (plan.role[layer] != Plan::Role::Whole) {
        const bool backward = trace.layer(layer).stage == Stage::Backward;
        part.work = part.weights = split;
        // A column layer reads whole activations and writes split ones; a row layer the other way round; backward, both
        // the other way round again.
        const auto whole_in = backward ? Plan::Role::Row : Plan::Role::Column;
        const auto whole_out = backward ? Plan::Role::Column : Plan::Role::Row;
        part.inputs = plan.role[layer] == whole_in ? 1 : split;
        part.outputs = plan.role[layer] == whole_out ? 1 : split;
      }
      after.assign(1, writer.add(layer, part, after));
      const auto scaled = [&](std::uint64_t bytes) {
        return Bytes{static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * batch.ratio()))};
      };
      if (plan.reduced[layer] > 0)
        after.assign(1, program.add_collective("activations",
                                               {CollectiveType::AllReduce, 0, scaled(plan.reduced[layer])}, after));
      if (plan.gathered[layer] > 0)
        after.assign(1, program.add_collective("activations",
                                               {CollectiveType::AllGather, 0, scaled(plan.gathered[layer])}, after));
    }
    TaskGraph graph{ranks};
    graph.add_program(std::move(program));
    if (ranks > 1) graph.add_group(Communicators::world(ranks));
    return graph;
  }

 private:
  // The next flagged layer, if all that it reads comes from layer `first` through the layers between them, and these
  // read nothing else either; the number of layers if not.
  static std::size_t next_on_the_way(const Trace& trace, const trace::Dataflow& flow, std::size_t first) {
    for (std::size_t i = first + 1; i < trace.layers().size(); ++i) {
      if (trace.layer(i).stage != Stage::Forward) break;
      const auto before = flow.before(i);
      const bool reads_the_way = std::any_of(before.begin(), before.end(), [&](auto b) { return b >= first; });
      const bool reads_else = std::any_of(before.begin(), before.end(), [&](auto b) { return b < first; });
      if (trace.layer(i).tensor_parallel) return reads_the_way && !reads_else ? i : trace.layers().size();
      if (reads_else) break;
    }
    return trace.layers().size();
  }
};

} // namespace triosim::strategy
