#pragma once

#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/ring.hpp"
#include "triosim/task_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::player::published {

/// The all-reduces of a program that every rank has, in program order, with the layer that each depends on.
class Exchanges {
 public:
  struct Exchange {
    TaskId task = 0;
    std::uint64_t bytes = 0;
    std::uint32_t layer = 0;
    TensorIndex name = 0; // the first tensor that is reduced
    bool empty = true;    // no tensor is
  };

  static constexpr std::uint32_t none = 0xFFFFFFFF;

  Exchanges() = default;
  Exchanges(const TaskGraph& graph, const Table& table) {
    if (graph.ranks() == 0) return;
    const Program& program = graph.program(0);
    std::vector<std::uint32_t> layer_of(program.size(), 0);
    for (std::uint32_t layer = 0; layer < table.size(); ++layer)
      layer_of[table.task(0, layer)] = layer;
    of_layer_.assign(table.size(), none);
    const Program::Edges edges = program.edges();
    for (TaskId task = 0; task < program.size(); ++task) {
      if (program.kind(task) != TaskKind::Collective) continue;
      Exchange exchange{task, program.collective(task).bytes.count(), 0, 0, program.inputs(task).empty()};
      if (!exchange.empty) exchange.name = program.inputs(task)[0];
      for (const TaskId before : edges.predecessors(task))
        if (program.kind(before) == TaskKind::Compute) exchange.layer = layer_of[before];
      if (exchange.layer < of_layer_.size()) of_layer_[exchange.layer] = static_cast<std::uint32_t>(exchanges_.size());
      exchanges_.push_back(exchange);
    }
  }

  std::size_t size() const noexcept { return exchanges_.size(); }
  const Exchange& operator[](std::size_t i) const { return exchanges_[i]; }
  /// The one that depends on the layer, or none.
  const Exchange* of_layer(std::uint32_t layer) const {
    return of_layer_[layer] == none ? nullptr : &exchanges_[of_layer_[layer]];
  }

 private:
  std::vector<Exchange> exchanges_;
  std::vector<std::uint32_t> of_layer_;
};

} // namespace triosim::player::published
