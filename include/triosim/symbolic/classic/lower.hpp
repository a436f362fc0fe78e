#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/classic/nodes.hpp"
#include "triosim/symbolic/classic/prune.hpp"
#include "triosim/symbolic/measures.hpp"
#include "triosim/symbolic/passes/stages.hpp"
#include "triosim/symbolic/redistribution.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::symbolic::classic {

namespace lower_detail {

/// Tensors and node places of the whole graph while it is lowered stage by stage.
class Lowering {
 public:
  Lowering(const StagedGraph& staged, Measures& measures, Redistribution& redistribution, std::uint64_t tag_base)
      : staged_{staged}, graph_{staged.graph}, measures_{measures},
        redistribution_{redistribution}, tag_base_{tag_base}, output_(graph_.size()),
        sends_begin_(graph_.size() + 1, 0), received_as_(graph_.size(), none) {
    // The transfers that start at each tensor, in order; a tensor arrives by one transfer at most.
    const std::vector<Transfer>& transfers = staged.transfers;
    for (const Transfer& transfer : transfers)
      ++sends_begin_[transfer.tensor + 1];
    for (std::size_t i = 0; i < graph_.size(); ++i)
      sends_begin_[i + 1] += sends_begin_[i];
    sends_.resize(transfers.size());
    std::vector<std::uint32_t> fill(sends_begin_.begin(), sends_begin_.end() - 1);
    for (std::uint32_t i = 0; i < transfers.size(); ++i) {
      sends_[fill[transfers[i].tensor]++] = i;
      received_as_[transfers[i].shadow] = i;
    }
  }

  std::vector<NodeList> run() {
    std::vector<NodeList> stages;
    for (const std::vector<TensorId>& tensors : staged_.stages)
      stages.push_back(stage(tensors));
    for (NodeList& nodes : stages) {
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        Node& node = nodes[i];
        if (node.kind == TaskKind::Send) node.id = next_id_ + 2 * (node.tag - tag_base_);
        if (node.kind == TaskKind::Receive) node.id = next_id_ + 2 * (node.tag - tag_base_) + 1;
      }
      prune_empty(nodes);
    }
    return stages;
  }

 private:
  static constexpr auto none = static_cast<std::uint32_t>(-1);

  NodeList stage(const std::vector<TensorId>& tensors) {
    NodeList nodes;
    struct First {
      std::uint32_t compute, first, second; // where the operands' own output is awaited
    };
    std::vector<First> firsts;
    firsts.reserve(tensors.size());
    for (TensorId id : tensors) {
      const Tensor& tensor = graph_[id];
      Node node;
      node.id = next_id_++;
      node.tensor = id;
      node.work = measures_.whole(tensor.cost);
      node.elements = measures_.whole_elements(tensor.result.shape);
      const std::uint32_t compute = nodes.add(node);
      First first{compute, compute, compute};
      chain(nodes, compute, tensor, false, first.first);
      chain(nodes, compute, tensor, true, first.second);
      firsts.push_back(first);
      output_[id] = compute;
      for (std::uint32_t i = sends_begin_[id]; i < sends_begin_[id + 1]; ++i)
        nodes.depend(transfer(nodes, id, sends_[i], TaskKind::Send), compute);
      if (received_as_[id] != none) output_[id] = transfer(nodes, id, received_as_[id], TaskKind::Receive);
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = graph_[tensors[i]];
      if (tensor.x1 != no_tensor) nodes.depend(firsts[i].first, output_[tensor.x1]);
      if (tensor.x2 != no_tensor) nodes.depend(firsts[i].second, output_[tensor.x2]);
      for (TensorId before : graph_.extra(tensor))
        nodes.depend(firsts[i].compute, output_[before]);
    }
    return nodes;
  }

  /// The collectives that lay out one operand anew, each after the one before, and the computation after the last.
  void chain(NodeList& nodes, std::uint32_t compute, const Tensor& tensor, bool second, std::uint32_t& first) {
    const TensorId operand = second ? tensor.x2 : tensor.x1;
    if (operand == no_tensor) return;
    const Layout& wanted = second ? tensor.x2_layout : tensor.x1_layout;
    const std::span<const AxisStep> steps = redistribution_(graph_[operand].result, wanted);
    std::uint32_t last = none;
    for (const AxisStep& step : steps) {
      Node node;
      node.id = next_id_++;
      node.kind = TaskKind::Collective;
      node.collective = step.type;
      node.axis = step.axis;
      node.for_second = second;
      node.tensor = nodes[compute].tensor;
      node.work = measures_.whole_elements(graph_[operand].result.shape);
      node.elements = measures_.whole_elements(wanted.shape);
      const std::uint32_t added = nodes.add(node);
      if (last == none)
        first = added;
      else
        nodes.depend(added, last);
      last = added;
    }
    if (last != none) nodes.depend(compute, last);
  }

  std::uint32_t transfer(NodeList& nodes, TensorId tensor, std::uint32_t number, TaskKind kind) {
    const Transfer& transfer = staged_.transfers[number];
    Node node;
    node.kind = kind;
    node.tensor = tensor;
    node.peer_stage = kind == TaskKind::Send ? transfer.to : transfer.from;
    node.tag = tag_base_ + number;
    node.work = measures_.whole_elements(graph_[transfer.tensor].result.shape);
    node.elements = kind == TaskKind::Send ? 0 : node.work;
    return nodes.add(node);
  }

  const StagedGraph& staged_;
  const Graph& graph_;
  Measures& measures_;
  Redistribution& redistribution_;
  std::uint64_t tag_base_;
  std::uint64_t next_id_ = 1;
  std::vector<std::uint32_t> output_; // node that a tensor's consumers wait for, within its stage
  std::vector<std::uint32_t> sends_begin_, sends_;
  std::vector<std::uint32_t> received_as_;
};

} // namespace lower_detail

/// The nodes of every stage, as the published generator makes, numbers and orders them. Once per stage: ranks differ in
/// groups and peers alone. Throws `ConfigError` for sizes that are missing or too large and layouts that cannot be met.
inline std::vector<NodeList> lower(const StagedGraph& staged, Measures& measures, Redistribution& redistribution,
                                   std::uint64_t tag_base) {
  return lower_detail::Lowering{staged, measures, redistribution, tag_base}.run();
}

} // namespace triosim::symbolic::classic
