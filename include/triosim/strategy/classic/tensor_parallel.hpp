#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/classic/layer_writer.hpp"
#include "triosim/strategy/classic/rules.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triosim::strategy::classic {

/// The published case 3, tensor parallelism: a layer that the trace flags takes 1/N of its time and touches
/// 1/N of all its inputs and outputs, whatever they are, and the outputs that are left are all-reduced, forward and
/// backward alike. The other layers run in full on every rank.
struct TensorParallel {
  using Source = Trace;
  using Rules = rules::classic::Barrier;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    require_sizes(trace);
    Program program;
    LayerWriter writer{program, trace, {.batch = batch, .gradients_stay = true}};
    const auto parts = static_cast<double>(cluster.ranks());
    TaskId last = 0;
    for (const trace::Layer& layer : trace.layers()) {
      const std::span before{&last, program.size() == 0 ? 0u : 1u};
      last = writer.add(layer, {.share = layer.tensor_parallel ? 1 / parts : 1}, before);
      if (!layer.tensor_parallel) continue;
      Bytes bytes;
      for (const trace::TensorIndex tensor : layer.outputs)
        bytes += Bytes{static_cast<std::uint64_t>(static_cast<double>(writer.bytes(tensor)) / parts)};
      last = program.add_collective("outputs", {CollectiveType::AllReduce, 0, bytes}, std::span{&last, 1});
      program.uses(writer.tensors(layer.outputs), {});
    }
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    graph.add_group(Communicators::world(cluster.ranks()));
    return graph;
  }
};

} // namespace triosim::strategy::classic
