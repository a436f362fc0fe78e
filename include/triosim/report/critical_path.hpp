#pragma once

#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::report {

/// An observer that finds the chain of tasks that set the time of the step: from the task that ended last back to the
/// one whose end it waited for, and so on to the beginning. A task waits for those that it depends on, for the rank
/// that was busy, in a collective for the member that came last, in a receive for its send.
///
/// Cost: 16 bytes for each task of each rank, and two stores.
class CriticalPath {
 public:
  struct Step {
    std::uint32_t rank = 0;
    TaskId task = 0;
    Time begin, end;
  };
  /// Time on the path by what it was spent on: "compute", "all-reduce dp", "message", "waiting".
  struct Share {
    std::string what;
    Time time;
  };
  struct Found {
    std::vector<Step> steps;   ///< from the beginning to the end
    std::vector<Share> shares; ///< the longest first
    std::uint32_t ranks = 0;   ///< that the path goes through
  };

  void begin(const TaskGraph& graph) {
    graph_ = &graph;
    base_.assign(1, 0);
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
      base_.push_back(base_.back() + graph.program(rank).size());
    started_.assign(base_.back(), Time::infinity());
    ended_.assign(base_.back(), Time::infinity());
    last_ = {};
    any_ = false;
  }
  void task_started(std::uint32_t rank, TaskId task, Time now) { started_[base_[rank] + task] = now; }
  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    Time& started = started_[base_[rank] + task];
    if (started == Time::infinity()) started = now;
    ended_[base_[rank] + task] = now;
    if (!any_ || now > last_.end) last_ = {rank, task, started, now};
    any_ = true;
  }

  /// Call it while the graph of the run is still there.
  Found find() {
    Found found;
    if (!any_) return found;
    index();
    std::map<std::string, Time> shares;
    std::vector<bool> seen(graph_->ranks(), false);
    Step at = last_;
    // Each step goes back in time or along a dependency; the bound is for graphs that finish everything at once.
    for (std::uint64_t guard = 0; guard <= base_.back(); ++guard) {
      found.steps.push_back(at);
      seen[at.rank] = true;
      const std::optional<Step> before = cause(at);
      const Time from = before ? std::min(before->end, at.end) : Time{};
      const Time own_begin = std::max(std::min(at.begin, at.end), from);
      shares[kind(at)] += at.end - own_begin;
      if (own_begin > from) shares["waiting"] += own_begin - from;
      if (!before) break;
      at = *before;
    }
    std::reverse(found.steps.begin(), found.steps.end());
    for (const auto& [what, time] : shares)
      if (time > Time{}) found.shares.push_back({what, time});
    std::stable_sort(found.shares.begin(), found.shares.end(),
                     [](const Share& a, const Share& b) { return a.time > b.time; });
    found.ranks = static_cast<std::uint32_t>(std::count(seen.begin(), seen.end(), true));
    return found;
  }

 private:
  Step step(std::uint32_t rank, TaskId task) const {
    return {rank, task, started_[base_[rank] + task], ended_[base_[rank] + task]};
  }

  std::string kind(const Step& at) const {
    const Program& program = graph_->program(at.rank);
    switch (program.kind(at.task)) {
    case TaskKind::Compute:
      return "compute";
    case TaskKind::Collective: {
      const Collective& collective = program.collective(at.task);
      return std::string{to_string(collective.type)} + " " + std::string{graph_->group(collective.group).name()};
    }
    case TaskKind::Fetch:
      return "fetch";
    default:
      return "message";
    }
  }

  // What the paths of all ranks are looked up in.
  void index() {
    edges_.clear();
    place_.clear();
    for (const Program& program : graph_->programs()) {
      edges_.push_back(program.edges());
      auto& places = place_.emplace_back();
      std::map<std::uint16_t, std::uint32_t> of_slot;
      std::map<std::tuple<bool, std::uint16_t, std::int32_t, std::uint32_t>, std::uint32_t> of_route;
      for (TaskId task = 0; task < program.size(); ++task) {
        const TaskKind kind = program.kind(task);
        if (kind == TaskKind::Collective) {
          const std::uint16_t slot = program.collective(task).group;
          places.collectives[slot].push_back(task);
          places.number[task] = of_slot[slot]++;
        } else if (kind == TaskKind::Send || kind == TaskKind::Receive) {
          const PointToPoint& message = program.message(task);
          places.number[task] = of_route[{kind == TaskKind::Send, message.group, message.shift, message.tag}]++;
        }
      }
    }
    busy_.clear();
  }

  // The compute task of the rank that ended at this instant.
  std::optional<TaskId> busy_until(std::uint32_t rank, Time at) {
    auto [found, fresh] = busy_.try_emplace(rank);
    if (fresh) {
      const Program& program = graph_->program(rank);
      for (TaskId task = 0; task < program.size(); ++task)
        if (program.kind(task) == TaskKind::Compute && ended_[base_[rank] + task] != Time::infinity())
          found->second.emplace_back(ended_[base_[rank] + task], task);
      std::sort(found->second.begin(), found->second.end());
    }
    const auto& list = found->second;
    const auto end = std::lower_bound(list.begin(), list.end(), std::pair{at, TaskId{0}});
    if (end == list.end() || end->first != at) return std::nullopt;
    return end->second;
  }

  /// Of all that the task had to wait for, what ended last, and not after it began.
  std::optional<Step> cause(const Step& at) {
    const Program& program = graph_->program(at.rank);
    const TaskKind kind = program.kind(at.task);
    std::optional<Step> best;
    const auto consider = [&](std::uint32_t rank, TaskId task, Time limit) {
      const Step other = step(rank, task);
      if (other.end > limit || (rank == at.rank && task == at.task)) return;
      if (!best || other.end > best->end) best = other;
    };
    if (kind == TaskKind::Receive) {
      if (const std::optional<Step> send = sender(at); send && send->end == at.end) {
        // The message was on its way: on with what let it go.
        return send;
      }
    }
    const auto dependencies = [&](std::uint32_t rank, TaskId task, Time limit) {
      for (const TaskId before : edges_[graph_->program_index(rank)].predecessors(task))
        consider(rank, before, limit);
    };
    dependencies(at.rank, at.task, at.begin);
    if (kind == TaskKind::Compute)
      if (const std::optional<TaskId> busy = busy_until(at.rank, at.begin); busy && *busy != at.task)
        consider(at.rank, *busy, at.begin);
    if (kind == TaskKind::Collective)
      members(at, [&](std::uint32_t rank, TaskId task, std::optional<TaskId> previous) {
        dependencies(rank, task, at.begin);
        if (previous) consider(rank, *previous, at.begin);
      });
    return best;
  }

  template <class Visit>
  void members(const Step& at, Visit&& visit) const {
    const Program& program = graph_->program(at.rank);
    const std::uint16_t slot = program.collective(at.task).group;
    const Communicators& group = graph_->group(slot);
    const std::uint32_t number = place_[graph_->program_index(at.rank)].number.at(at.task);
    for (const std::uint32_t rank : group.members(group.place(at.rank).communicator)) {
      const auto& lists = place_[graph_->program_index(rank)].collectives;
      const auto list = lists.find(slot);
      if (list == lists.end() || number >= list->second.size()) continue;
      visit(rank, list->second[number], number == 0 ? std::nullopt : std::optional<TaskId>{list->second[number - 1]});
    }
  }

  std::optional<Step> sender(const Step& at) const {
    const PointToPoint& message = graph_->program(at.rank).message(at.task);
    const std::uint32_t number = place_[graph_->program_index(at.rank)].number.at(at.task);
    const std::uint32_t rank = graph_->peer(at.rank, message);
    const Program& program = graph_->program(rank);
    std::uint32_t seen = 0;
    for (TaskId task = 0; task < program.size(); ++task) {
      if (program.kind(task) != TaskKind::Send || program.message(task).tag != message.tag ||
          graph_->peer(rank, program.message(task)) != at.rank)
        continue;
      if (seen++ == number) return step(rank, task);
    }
    return std::nullopt;
  }

  struct Places {
    std::map<std::uint16_t, std::vector<TaskId>> collectives; // by slot, in program order
    std::unordered_map<TaskId, std::uint32_t> number;         // of a communication among its like
  };

  const TaskGraph* graph_ = nullptr;
  std::vector<std::uint64_t> base_;
  std::vector<Time> started_, ended_;
  Step last_;
  bool any_ = false;
  std::vector<Program::Edges> edges_;
  std::vector<Places> place_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<Time, TaskId>>> busy_;
};

} // namespace triosim::report
