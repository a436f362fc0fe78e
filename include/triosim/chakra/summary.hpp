#pragma once

#include "triosim/chakra/collective_type.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/trace.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// What the trace of one rank adds up to.
struct Summary {
  struct Traffic {
    std::string what;  ///< name of the collective, "send" or "receive"
    std::string group; ///< of a collective; empty: all ranks
    std::uint64_t calls = 0;
    double bytes = 0; ///< sum of comm_size, whatever unit the file counts in
  };

  std::uint64_t nodes = 0;
  std::array<std::uint64_t, node_type_count> of_type{};
  std::uint64_t data_deps = 0, ctrl_deps = 0;
  double num_ops = 0, tensor_size = 0;
  /// Of all nodes, one after the other.
  double duration_micros = 0;
  /// The longest chain of dependencies, in nodes and in recorded time (not the same chain).
  std::uint64_t longest_chain = 0;
  double longest_micros = 0;
  std::vector<Traffic> traffic;
  /// What a reader should look at, a sentence each.
  std::vector<std::string> odd;
};

namespace summary_detail {

/// Longest chains over data dependencies, and control dependencies where both can be obeyed.
inline void chains(const Trace& trace, Summary& summary) {
  const Trace::Index nodes = trace.size();
  std::vector<std::uint32_t> begins(std::size_t{nodes} + 1, 0), waits(nodes, 0);
  const bool control = trace.control_can_be_obeyed();
  const auto each = [&](auto&& visit) {
    for (Trace::Index node = 0; node < nodes; ++node) {
      for (const Trace::Index before : trace.data_deps(node))
        visit(node, before);
      if (!control) continue;
      for (const Trace::Index before : trace.ctrl_deps(node))
        if (before < nodes) visit(node, before);
    }
  };
  each([&](Trace::Index node, Trace::Index before) {
    ++begins[std::size_t{before} + 1];
    ++waits[node];
  });
  for (std::size_t i = 0; i < nodes; ++i)
    begins[i + 1] += begins[i];
  std::vector<std::uint32_t> fill(begins.begin(), begins.end() - 1);
  std::vector<Trace::Index> after(begins[nodes]);
  each([&](Trace::Index node, Trace::Index before) { after[fill[before]++] = node; });

  std::vector<std::uint32_t> length(nodes, 1);
  std::vector<double> end(nodes, 0);
  std::vector<Trace::Index> ready;
  for (Trace::Index node = 0; node < nodes; ++node)
    if (waits[node] == 0) ready.push_back(node);
  while (!ready.empty()) {
    const Trace::Index node = ready.back();
    ready.pop_back();
    end[node] += static_cast<double>(trace.duration_micros(node));
    summary.longest_chain = std::max<std::uint64_t>(summary.longest_chain, length[node]);
    summary.longest_micros = std::max(summary.longest_micros, end[node]);
    for (std::uint32_t i = begins[node]; i < begins[std::size_t{node} + 1]; ++i) {
      const Trace::Index next = after[i];
      length[next] = std::max(length[next], length[node] + 1);
      end[next] = std::max(end[next], end[node]);
      if (--waits[next] == 0) ready.push_back(next);
    }
  }
}

} // namespace summary_detail

/// Cost: linear in nodes and dependencies.
inline Summary summarize(const Trace& trace) {
  Summary summary;
  summary.nodes = trace.size();
  summary.data_deps = trace.data_dep_count();
  summary.ctrl_deps = trace.ctrl_dep_count();
  std::map<std::pair<std::string, std::string>, Summary::Traffic> traffic;
  std::uint64_t no_size = 0, no_type = 0, no_peer = 0, idle_compute = 0, negative = 0;
  for (Trace::Index node = 0; node < trace.size(); ++node) {
    const NodeType type = trace.type(node);
    ++summary.of_type[static_cast<std::size_t>(type)];
    summary.duration_micros += static_cast<double>(trace.duration_micros(node));
    if (type == NodeType::metadata || type == NodeType::invalid) continue;
    const Facts facts = trace.facts(node);
    summary.num_ops += static_cast<double>(facts.num_ops.value_or(0));
    summary.tensor_size += static_cast<double>(facts.tensor_size.value_or(0));
    if (type == NodeType::comp && trace.duration_micros(node) == 0 && facts.num_ops.value_or(0) == 0 &&
        facts.tensor_size.value_or(0) == 0)
      ++idle_compute;
    std::string what;
    if (type == NodeType::comm_coll) {
      const auto known = collective_type_from_number(facts.comm_type.value_or(-1));
      what = known ? std::string{to_string(*known)} : "unknown collective";
      no_type += known ? 0u : 1u;
    } else if (type == NodeType::comm_send || type == NodeType::comm_recv) {
      what = type == NodeType::comm_send ? "send" : "receive";
      no_peer += (type == NodeType::comm_send ? facts.comm_dst : facts.comm_src) ? 0u : 1u;
    } else {
      continue;
    }
    no_size += facts.comm_size ? 0u : 1u;
    negative += facts.comm_size.value_or(0) < 0 ? 1u : 0u;
    Summary::Traffic& sum = traffic[{what, facts.group.value_or("")}];
    sum.what = what;
    sum.group = facts.group.value_or("");
    ++sum.calls;
    sum.bytes += static_cast<double>(facts.comm_size.value_or(0));
  }
  for (auto& [key, sum] : traffic)
    summary.traffic.push_back(std::move(sum));
  summary_detail::chains(trace, summary);

  const auto odd = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) summary.odd.push_back(std::to_string(count) + std::string{what});
  };
  odd(summary.of_type[0], " nodes of the type \"invalid\"");
  odd(idle_compute, " compute nodes without duration, operations and bytes");
  odd(no_size, " communication nodes without comm_size");
  odd(negative, " communication nodes with a negative comm_size");
  odd(no_type, " collectives of no known comm_type");
  odd(no_peer, " messages without the rank of their peer");
  odd(trace.absent_count(), " ids that control dependencies name and no node has");
  if (!trace.control_can_be_obeyed())
    summary.odd.push_back("data and control dependencies together have a circle, so control is not obeyed");
  for (const Losses::Entry& loss : trace.losses().entries())
    summary.odd.push_back("not understood: " + loss.what + ", " + std::to_string(loss.count) + " times");
  odd(trace.losses().others(), " more things of other kinds that were not understood");
  return summary;
}

} // namespace triosim::chakra
