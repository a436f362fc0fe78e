#pragma once

#include "triosim/task_graph.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace triosim {

/// What a task graph adds up to, over all ranks.
struct GraphSummary {
  /// Collectives of one type in the communicators of one slot.
  struct Traffic {
    CollectiveType type = CollectiveType::AllReduce;
    std::string group;
    /// Of the first communicator with more than one member.
    std::uint32_t members = 0;
    /// Counted once for each rank that takes part; communicators of one member are left out.
    std::uint64_t calls = 0;
    /// Sum of the buffers, see `Collective::bytes`.
    double bytes = 0;
  };

  std::uint32_t ranks = 0;
  std::uint32_t programs = 0;
  std::uint64_t tasks = 0;
  std::array<std::uint64_t, 5> of_kind{}; ///< by TaskKind
  double flops = 0;
  /// Memory traffic of compute tasks.
  double memory_bytes = 0;
  /// By group slot, then type.
  std::vector<Traffic> collectives;
  /// Of sends.
  double sent_bytes = 0;
  double fetched_bytes = 0;
};

/// Adds up each program once. Cost: tasks of the programs + ranks x group slots.
inline GraphSummary summarize(const TaskGraph& graph) {
  constexpr std::size_t types = 9;
  const std::size_t slots = graph.groups().size();
  struct OfProgram {
    GraphSummary sums;
    std::vector<GraphSummary::Traffic> traffic; // by slot and type
  };
  std::vector<OfProgram> programs;
  for (const Program& program : graph.programs()) {
    OfProgram& of = programs.emplace_back();
    of.traffic.resize(slots * types);
    for (TaskId task = 0; task < program.size(); ++task) {
      const TaskKind kind = program.kind(task);
      ++of.sums.of_kind[static_cast<std::size_t>(kind)];
      switch (kind) {
      case TaskKind::Compute: {
        const Operation operation = program.operation(task);
        of.sums.flops += operation.flops.count();
        of.sums.memory_bytes += static_cast<double>(operation.bytes.count());
        break;
      }
      case TaskKind::Collective: {
        const Collective& collective = program.collective(task);
        auto& traffic = of.traffic[collective.group * types + static_cast<std::size_t>(collective.type)];
        ++traffic.calls;
        traffic.bytes += static_cast<double>(collective.bytes.count());
        break;
      }
      case TaskKind::Send:
        of.sums.sent_bytes += static_cast<double>(program.message(task).bytes.count());
        break;
      case TaskKind::Receive:
        break;
      case TaskKind::Fetch:
        of.sums.fetched_bytes += static_cast<double>(program.fetch(task).count());
        break;
      }
    }
  }

  GraphSummary all;
  all.ranks = graph.ranks();
  all.programs = static_cast<std::uint32_t>(graph.programs().size());
  all.tasks = graph.tasks();
  std::vector<GraphSummary::Traffic> traffic(slots * types);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    const OfProgram& of = programs[graph.program_index(rank)];
    for (std::size_t kind = 0; kind < all.of_kind.size(); ++kind)
      all.of_kind[kind] += of.sums.of_kind[kind];
    all.flops += of.sums.flops;
    all.memory_bytes += of.sums.memory_bytes;
    all.sent_bytes += of.sums.sent_bytes;
    all.fetched_bytes += of.sums.fetched_bytes;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const std::uint32_t members = graph.groups()[slot].size(rank);
      if (members < 2) continue;
      for (std::size_t type = 0; type < types; ++type) {
        const GraphSummary::Traffic& own = of.traffic[slot * types + type];
        GraphSummary::Traffic& sum = traffic[slot * types + type];
        if (own.calls == 0) continue;
        if (sum.members == 0) sum.members = members;
        sum.calls += own.calls;
        sum.bytes += own.bytes;
      }
    }
  }
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i].calls == 0) continue;
    traffic[i].type = static_cast<CollectiveType>(i % types);
    traffic[i].group = graph.groups()[i / types].name();
    all.collectives.push_back(std::move(traffic[i]));
  }
  return all;
}

} // namespace triosim
