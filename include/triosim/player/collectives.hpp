#pragma once

#include "triosim/collective/algorithm.hpp"
#include "triosim/task_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::player {

/// One collective that is gathering its members or under way.
struct CollectiveRun {
  collective::Call call;
  std::uint16_t group = 0;
  std::uint32_t communicator = 0;
  std::uint32_t joined = 0;
  std::uint32_t finished = 0;
  std::uint32_t steps = 0;
  bool in_order = false;
  /// Tells this collective from others that had its place before.
  std::uint64_t generation = 0;
  /// Of each member: its task, the step it is in, its own messages of the step that have not arrived, and the messages
  /// that have come to it (in all, or by step where they may come out of order).
  std::vector<TaskId> task;
  std::vector<bool> has_joined;
  std::vector<std::uint32_t> step, outgoing, arrived, expected;
  std::vector<std::uint32_t> arrived_by_step;
};

/// The collectives of a run. A rank can enter the next collective of a communicator only when it has finished the one
/// before, so at most one is gathering at a time.
class CollectiveRuns {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  explicit CollectiveRuns(const TaskGraph& graph) {
    for (const Communicators& group : graph.groups())
      gathering_.emplace_back(group.count(), none);
  }

  CollectiveRun& operator[](std::uint32_t run) { return runs_[run]; }
  const CollectiveRun& at(std::uint32_t run) const { return runs_[run]; }
  std::uint32_t gathering(std::uint16_t group, std::uint32_t communicator) const {
    return gathering_[group][communicator];
  }

  /// The run that gathers in this communicator; a new one if there is none.
  std::uint32_t gather(std::uint16_t group, std::uint32_t communicator, const collective::Call& call) {
    std::uint32_t& slot = gathering_[group][communicator];
    if (slot != none) return slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(runs_.size());
      runs_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    CollectiveRun& run = runs_[slot];
    ++run.generation;
    run.call = call;
    run.group = group;
    run.communicator = communicator;
    run.joined = run.finished = 0;
    run.task.assign(call.members, 0);
    run.has_joined.assign(call.members, false);
    run.step.assign(call.members, 0);
    run.outgoing.assign(call.members, 0);
    run.arrived.assign(call.members, 0);
    run.expected.assign(call.members, 0);
    return slot;
  }
  /// All members have come: the next collective of this communicator may gather.
  void close(std::uint32_t run) { gathering_[runs_[run].group][runs_[run].communicator] = none; }
  void release(std::uint32_t run) { free_.push_back(run); }

 private:
  std::vector<std::vector<std::uint32_t>> gathering_; // [group][communicator]
  std::vector<CollectiveRun> runs_;
  std::vector<std::uint32_t> free_;
};

} // namespace triosim::player
