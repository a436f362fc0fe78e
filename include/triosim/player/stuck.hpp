#pragma once

#include "triosim/task_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::player {

/// One line for each task that has not ended: first those that nothing in the graph holds back, with `reason(rank,
/// task)`; then those that wait for other tasks. `waits(rank, task)` is how many predecessors have not ended, or
/// 0xFFFFFFFF for a task that has. At most `limit` lines, the last of which counts the rest.
template <class Waits, class Reason>
std::vector<std::string> describe_stuck(const TaskGraph& graph, std::span<const Program::Edges> edges, Waits&& waits,
                                        Reason&& reason, std::size_t limit = 10'000) {
  std::vector<std::string> lines;
  std::size_t beyond = 0;
  const auto add = [&](auto&& make) {
    if (lines.size() < limit)
      lines.push_back(make());
    else
      ++beyond;
  };
  const auto title = [&](std::uint32_t rank, TaskId task) {
    const Program& program = graph.program(rank);
    return "rank " + std::to_string(rank) + ": " + std::string{to_string(program.kind(task))} + " " +
           std::string{program.name(task)} + " (task " + std::to_string(task) + ") ";
  };
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    for (TaskId task = 0; task < graph.program(rank).size(); ++task)
      if (waits(rank, task) == 0) add([&] { return title(rank, task) + reason(rank, task); });
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    for (TaskId task = 0; task < graph.program(rank).size(); ++task)
      if (waits(rank, task) != 0 && waits(rank, task) != 0xFFFFFFFF)
        add([&] {
          std::string text = title(rank, task) + "waits for";
          const char* separator = " ";
          for (const TaskId before : edges[graph.program_index(rank)].predecessors(task))
            if (waits(rank, before) != 0xFFFFFFFF) {
              text.append(separator).append(graph.program(rank).name(before));
              separator = ", ";
            }
          return text;
        });
  if (beyond > 0) lines.push_back("and " + std::to_string(beyond) + " more tasks");
  return lines;
}

/// Why a receive waits: which tags have come instead.
inline std::string describe_receive(std::uint32_t source, std::uint32_t tag, std::span<const std::uint32_t> others) {
  std::string text = "waits for a message from rank " + std::to_string(source) + " with tag " + std::to_string(tag);
  if (others.empty()) return text;
  text.append(", which sent");
  for (std::size_t i = 0; i < others.size() && i < 3; ++i)
    text.append(i == 0 ? " tag " : ", ").append(std::to_string(others[i]));
  if (others.size() > 3) text.append(" and ").append(std::to_string(others.size() - 3)).append(" more");
  return text.append(" instead");
}

/// Why a collective waits: which members have not come to it.
inline std::string describe_absent(std::span<const std::uint32_t> members, const std::vector<bool>& joined) {
  std::string text = "waits for rank";
  std::size_t absent = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!joined[i] && ++absent <= 8) text.append(absent == 1 ? " " : ", ").append(std::to_string(members[i]));
  if (absent > 8) text.append(" and ").append(std::to_string(absent - 8)).append(" more");
  return text;
}

} // namespace triosim::player
