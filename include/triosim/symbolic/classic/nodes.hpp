#pragma once

#include "triosim/symbolic/tensor.hpp"
#include "triosim/task_graph/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::symbolic::classic {

/// One node of a trace, the same for all ranks of a stage but for groups and peers.
struct Node {
  std::uint64_t id = 0;
  TaskKind kind = TaskKind::Compute;
  CollectiveType collective = CollectiveType::AllReduce;
  std::uint8_t axis = 0;        ///< of a collective: which spatial axis
  bool for_second = false;      ///< of a collective: moves the second operand, not the first
  TensorId tensor = no_tensor;  ///< to which the node belongs
  std::uint32_t peer_stage = 0; ///< of a send or receive
  std::uint64_t tag = 0;        ///< of a send or receive
  std::int64_t work = 0;        ///< operations, or elements communicated
  std::int64_t elements = 0;    ///< of the result
};

/// The nodes of a stage in the order of the trace, and what each waits for: a list in order, in which a node may be
/// named twice, held as runs of one array that can grow and lose their head.
class NodeList {
 public:
  std::size_t size() const noexcept { return nodes_.size(); }
  Node& operator[](std::size_t i) { return nodes_[i]; }
  const Node& operator[](std::size_t i) const { return nodes_[i]; }
  const std::vector<Node>& nodes() const noexcept { return nodes_; }

  std::uint32_t add(const Node& node) {
    nodes_.push_back(node);
    runs_.push_back({});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::span<const std::uint32_t> dependencies(std::size_t i) const {
    return std::span{pool_}.subspan(runs_[i].begin, runs_[i].end - runs_[i].begin);
  }
  void depend(std::uint32_t node, std::uint32_t before) {
    Run& run = runs_[node];
    if (run.end == run.capacity) grow(run);
    pool_[run.end++] = before;
  }
  /// Takes away the first mention of `before`.
  void forget(std::uint32_t node, std::uint32_t before) {
    Run& run = runs_[node];
    std::uint32_t at = run.begin;
    while (at != run.end && pool_[at] != before)
      ++at;
    if (at == run.end) return;
    // Mentions go from the front, mostly: of a list of many micro-batches the head is dropped, not the tail moved.
    for (; at != run.begin; --at)
      pool_[at] = pool_[at - 1];
    ++run.begin;
  }

  /// Keeps the nodes that `keep` names, in order; dependencies must name kept nodes only.
  void keep_only(const std::vector<bool>& keep) {
    std::vector<std::uint32_t> place(nodes_.size());
    std::vector<std::uint32_t> packed;
    packed.reserve(pool_.size());
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (keep[i]) place[i] = kept++;
    kept = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!keep[i]) continue;
      const auto begin = static_cast<std::uint32_t>(packed.size());
      for (std::uint32_t before : dependencies(i))
        packed.push_back(place[before]);
      const auto end = static_cast<std::uint32_t>(packed.size());
      nodes_[kept] = nodes_[i];
      runs_[kept++] = {begin, end, end};
    }
    nodes_.resize(kept);
    runs_.resize(kept);
    pool_ = std::move(packed);
  }

 private:
  struct Run {
    std::uint32_t begin = 0, end = 0, capacity = 0;
  };

  void grow(Run& run) {
    const std::uint32_t count = run.end - run.begin;
    const auto begin = static_cast<std::uint32_t>(pool_.size());
    const std::uint32_t capacity = count < 2 ? 4 : 2 * count;
    pool_.resize(pool_.size() + capacity);
    for (std::uint32_t i = 0; i < count; ++i)
      pool_[begin + i] = pool_[run.begin + i];
    run = {begin, begin + count, begin + capacity};
  }

  std::vector<Node> nodes_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> pool_;
};

} // namespace triosim::symbolic::classic
