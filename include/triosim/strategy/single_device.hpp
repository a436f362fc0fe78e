#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/layer_writer.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/trace.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace triosim::strategy {

/// Every rank plays the whole trace by itself, layer after layer as on one stream, and exchanges nothing. The time of a
/// step is the sum of the layer times, whatever the machine.
struct SingleDevice {
  using Source = Trace;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    batch.validate();
    require_layers(trace);
    Program program;
    const MemoryBlocks memory{trace, trace::analyse(trace)};
    LayerWriter writer{program, trace, memory};
    const LayerWriter::Part part{.batch_ratio = batch.ratio()};
    TaskId last = 0;
    for (std::size_t layer = 0; layer < trace.layers().size(); ++layer)
      last = writer.add(layer, part, layer == 0 ? std::span<const TaskId>{} : std::span<const TaskId>{&last, 1});
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    return graph;
  }
};

} // namespace triosim::strategy
