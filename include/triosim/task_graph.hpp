#pragma once

#include "triosim/error.hpp"
#include "triosim/task_graph/groups.hpp"
#include "triosim/task_graph/program.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim {

/// What every rank will do. Ranks that do the same thing share one program (SPMD); what differs between them, the
/// communicators they are in and the peers they talk to, follows from their place in the group slots.
class TaskGraph {
 public:
  TaskGraph() = default;
  /// Every rank starts out with program 0.
  explicit TaskGraph(std::uint32_t ranks) : program_of_(ranks, 0) {}

  // ---- building --------------------------------------------------------------------------------------------------
  std::uint32_t add_program(Program program) {
    programs_.push_back(std::move(program));
    return static_cast<std::uint32_t>(programs_.size() - 1);
  }
  void assign(std::uint32_t rank, std::uint32_t program) { program_of_[rank] = program; }
  /// The slot's number is what `Collective::group` and `PointToPoint::group` name.
  std::uint16_t add_group(Communicators communicators) {
    if (groups_.size() >= std::numeric_limits<std::uint16_t>::max())
      throw ConfigError{"groups", std::to_string(groups_.size() + 1), "at most 65535"};
    groups_.push_back(std::move(communicators));
    return static_cast<std::uint16_t>(groups_.size() - 1);
  }

  // ---- reading ---------------------------------------------------------------------------------------------------
  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(program_of_.size()); }
  std::span<const Program> programs() const noexcept { return programs_; }
  std::uint32_t program_index(std::uint32_t rank) const { return program_of_[rank]; }
  const Program& program(std::uint32_t rank) const { return programs_[program_of_[rank]]; }
  std::span<const Communicators> groups() const noexcept { return groups_; }
  const Communicators& group(std::uint16_t slot) const { return groups_[slot]; }
  /// Tasks of all ranks together.
  std::uint64_t tasks() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t program : program_of_)
      sum += programs_[program].size();
    return sum;
  }
  /// The rank that a send of `rank` goes to, or that a receive of `rank` comes from.
  std::uint32_t peer(std::uint32_t rank, const PointToPoint& message) const {
    return groups_[message.group].peer(rank, message.shift);
  }

  /// Throws `ConfigError` for ranks without a program, group slots that do not exist, and circles of dependencies; the
  /// message names the tasks of the circle.
  void validate() const {
    for (const std::uint32_t program : program_of_)
      if (program >= programs_.size())
        throw ConfigError{"program", std::to_string(program), "one of " + std::to_string(programs_.size())};
    for (const Communicators& group : groups_)
      if (group.ranks() != ranks())
        throw ConfigError{std::string{group.name()}, std::to_string(group.ranks()) + " ranks",
                          std::to_string(ranks()) + " as in the graph"};
    for (const Program& program : programs_)
      validate(program);
  }

 private:
  void validate(const Program& program) const {
    const Program::Edges edges = program.edges();
    const std::uint32_t tasks = program.size();
    std::vector<std::uint32_t> waits(tasks);
    std::vector<TaskId> ready;
    for (TaskId task = 0; task < tasks; ++task) {
      std::uint32_t slot = 0;
      if (program.kind(task) == TaskKind::Collective) slot = program.collective(task).group + 1u;
      if (program.kind(task) == TaskKind::Send || program.kind(task) == TaskKind::Receive)
        slot = program.message(task).group + 1u;
      if (slot > groups_.size())
        throw ConfigError{std::string{program.name(task)}, "group " + std::to_string(slot - 1),
                          "one of " + std::to_string(groups_.size())};
      waits[task] = static_cast<std::uint32_t>(edges.predecessors(task).size());
      if (waits[task] == 0) ready.push_back(task);
    }
    std::uint32_t done = 0;
    while (!ready.empty()) {
      const TaskId task = ready.back();
      ready.pop_back();
      ++done;
      for (const TaskId next : edges.successors(task))
        if (--waits[next] == 0) ready.push_back(next);
    }
    if (done == tasks) return;
    // Walk back along unfinished predecessors until a task repeats: the walk is then on a circle.
    TaskId at = 0;
    while (waits[at] == 0)
      ++at;
    std::vector<std::uint32_t> step(tasks, 0);
    std::vector<TaskId> walk;
    while (step[at] == 0) {
      walk.push_back(at);
      step[at] = static_cast<std::uint32_t>(walk.size());
      for (const TaskId before : edges.predecessors(at))
        if (waits[before] != 0) {
          at = before;
          break;
        }
    }
    std::string circle;
    for (std::size_t i = walk.size(); i + 1 > step[at]; --i)
      circle.append(program.name(walk[i - 1])).append(" (task ").append(std::to_string(walk[i - 1])).append(") -> ");
    throw ConfigError{"dependencies", circle.append(program.name(walk.back())), "no circle"};
  }

  std::vector<Program> programs_;
  std::vector<std::uint32_t> program_of_; // of each rank
  std::vector<Communicators> groups_;
};

} // namespace triosim
