#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/memory/uses.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace triosim::memory {

/// All that a step needs has to fit into the memory of its device (`Cluster::memory_capacity`); where no capacity is
/// given, the peak is measured. A persistent tensor takes room for the whole step; any other from the start of the
/// first task that touches it to the end of the last one. (A receive starts when its message has come; a collective,
/// when it is the rank's turn.) What the graph does not list, such as buffers of a communication library and
/// fragmentation, is not counted. Never changes a time.
///
/// Throws `OutOfMemory` where the tensors alive at one time do not fit. Cost: 4 bytes for each rank and tensor; a task
/// costs a visit to each of its tensors.
class Bounded {
 public:
  static constexpr bool keeps_account = true;

  void begin(const TaskGraph& graph, const Cluster& cluster) {
    graph_ = &graph;
    uses_ = Uses{graph};
    capacity_ = cluster.memory_capacity ? cluster.memory_capacity->count() : std::numeric_limits<std::uint64_t>::max();
    left_.assign(uses_.places(), 0);
    in_use_.assign(uses_.ranks(), 0);
    for (std::uint32_t rank = 0; rank < uses_.ranks(); ++rank) {
      for (TensorIndex tensor = 0; tensor < uses_.tensors(rank); ++tensor) {
        if (uses_.persistent(rank, tensor))
          in_use_[rank] += uses_.bytes(rank, tensor);
        else
          left_[uses_.place(rank, tensor)] = uses_.count(rank, tensor);
      }
      if (in_use_[rank] > capacity_) throw OutOfMemory{rank, "the start of the step", in_use_[rank], capacity_};
    }
    peak_ = in_use_;
  }

  template <class Fetcher>
  bool acquire(std::uint32_t rank, TaskId task, Fetcher&&) {
    std::uint64_t in_use = in_use_[rank];
    for (const Use& use : uses_.of(rank, task)) {
      if (uses_.persistent(rank, use.tensor)) continue;
      std::uint32_t& left = left_[uses_.place(rank, use.tensor)];
      if ((left & alive) == 0) in_use += uses_.bytes(rank, use.tensor);
      left |= alive;
    }
    if (in_use > capacity_) throw OutOfMemory{rank, describe(*graph_, rank, task), in_use, capacity_};
    in_use_[rank] = in_use;
    peak_[rank] = std::max(peak_[rank], in_use);
    return true;
  }
  void arrived(std::uint32_t, std::uint32_t) {}
  void release(std::uint32_t rank, TaskId task) {
    for (const Use& use : uses_.of(rank, task))
      if (!uses_.persistent(rank, use.tensor) && --left_[uses_.place(rank, use.tensor)] == alive)
        in_use_[rank] -= uses_.bytes(rank, use.tensor);
  }

  Bytes in_use(std::uint32_t rank) const { return Bytes{in_use_[rank]}; }
  Bytes peak(std::uint32_t rank) const { return Bytes{peak_[rank]}; }

 private:
  static constexpr std::uint32_t alive = 1u << 31;

  const TaskGraph* graph_ = nullptr;
  Uses uses_;
  std::uint64_t capacity_ = 0;
  std::vector<std::uint32_t> left_; // tasks that have yet to touch the tensor; the highest bit: it takes room
  std::vector<std::uint64_t> in_use_, peak_;
};

} // namespace triosim::memory
