#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/classic/gradient_set.hpp"
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

/// The published case 1, standard data parallelism: each rank plays the whole trace; then, for each layer
/// named `aten::_foreach_addcdiv_`, its inputs that are in the gradient set are all-reduced as one. That the optimizer
/// has run by then is the published rule.
struct DataParallel {
  using Source = Trace;
  using Rules = rules::classic::AfterStep;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    Program program;
    LayerWriter writer{program, trace, {.batch = batch}};
    std::vector<TaskId> tasks;
    for (const trace::Layer& layer : trace.layers())
      tasks.push_back(writer.add(layer, {}, std::span{tasks}.last(tasks.empty() ? 0 : 1)));
    const std::vector<bool> reduced = gradient_set(trace);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (trace.layer(i).name != reducing_operator) continue;
      std::vector<TensorIndex> tensors;
      Bytes bytes;
      for (const trace::TensorIndex tensor : trace.layer(i).inputs)
        if (reduced[tensor]) {
          tensors.push_back(writer.tensor(tensor));
          bytes += Bytes{writer.bytes(tensor)};
        }
      if (tensors.empty()) continue;
      const TaskId after[] = {tasks[i], tasks.back()};
      program.add_collective("gradients", {CollectiveType::AllReduce, 0, bytes}, after);
      program.uses(tensors, {});
    }
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    graph.add_group(Communicators::world(cluster.ranks()));
    return graph;
  }
};

} // namespace triosim::strategy::classic
