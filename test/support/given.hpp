#pragma once

#include <triosim/cluster.hpp>
#include <triosim/task_graph.hpp>

namespace triosim::test {

/// The strategy of those who have a graph already.
struct Given {
  using Source = TaskGraph;
  TaskGraph lower(const TaskGraph& graph, const Cluster&) const { return graph; }
};

} // namespace triosim::test
