#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/classic/layer_writer.hpp"
#include "triosim/strategy/classic/rules.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/trace.hpp"

#include <span>
#include <utility>

namespace triosim::strategy::classic {

/// The published case 0: each rank plays the whole trace, and nothing is exchanged.
struct SingleDevice {
  using Source = Trace;
  using Rules = rules::classic::Alone;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    Program program;
    LayerWriter writer{program, trace, {.batch = batch}};
    TaskId last = 0;
    for (const trace::Layer& layer : trace.layers())
      last = writer.add(layer, {}, std::span{&last, program.size() == 0 ? 0u : 1u});
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    return graph;
  }
};

} // namespace triosim::strategy::classic
