#pragma once

#include "triosim/player/published/tables.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace triosim::player::published {

/// The published program's all-reduce over all ranks in a ring, one at a time. S bytes are N chunks of
/// S div N, the first with the remainder on top; N-1 steps scatter and reduce, N-1 gather. In a step every rank sends
/// one chunk to the next rank, all at once, and when the last of them has arrived the next step is sent.
///
/// It is free for the next all-reduce as soon as its last step has been *sent*.
template <class Devices>
class Ring {
 public:
  explicit Ring(Devices& devices) : devices_{devices} {}

  /// Nothing more is to be sent. Messages may still be under way.
  bool idle() const noexcept { return phase_ == Phase::Idle; }
  /// Idle, and everything sent has arrived.
  bool quiet() const noexcept { return idle() && outstanding_ == 0; }

  /// The sizes of the chunks from now on. `name` is the tensor under which the devices keep them.
  void cut(std::uint64_t bytes, TensorIndex name) {
    const std::uint32_t ranks = devices_.ranks();
    chunk_ = bytes / ranks;
    first_chunk_ = chunk_ + bytes % ranks;
    name_ = name;
    devices_.residency().put_chunks(name, chunk_, first_chunk_, ranks);
  }
  /// Begins with the first step if idle. `task` is what observers are told, `keep` what a device keeps if all else must
  /// make room.
  void begin(TaskId task, std::span<const Use> keep) {
    keep_ = keep;
    if (!idle()) return;
    phase_ = Phase::Scatter;
    step_ = 0;
    task_ = task;
    for (std::uint32_t rank = 0; rank < devices_.ranks(); ++rank)
      devices_.observing().task_started(rank, task, devices_.now());
  }

  /// Sends the next step if everything of the one before has arrived. True if that was the last step.
  bool advance() {
    if (outstanding_ > 0 || idle()) return false;
    const std::uint32_t ranks = devices_.ranks();
    // Scatter: the chunk that began its journey at rank - step. Gather: the one that was completed there.
    const std::uint32_t ahead = phase_ == Phase::Gather ? 1 : 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t chunk = (rank + ahead + ranks - step_) % ranks, next = (rank + 1) % ranks;
      const std::uint64_t bytes = size(chunk);
      devices_.make_room_for_chunk(next, bytes, keep_, task_);
      devices_.send({devices_.lane(rank, 0), devices_.lane(next, 0), chunk, task_}, bytes);
    }
    outstanding_ = ranks;
    if (++step_ < ranks - 1) return false;
    step_ = 0;
    if (phase_ == Phase::Scatter) {
      phase_ = Phase::Gather;
      return false;
    }
    phase_ = Phase::Idle;
    return true;
  }

  /// A chunk has come to `rank`.
  void arrived(std::uint32_t rank, std::uint32_t chunk) {
    --outstanding_;
    devices_.residency().put_chunk(rank, name_, chunk);
    if (!idle() || outstanding_ != 0) return;
    for (std::uint32_t r = 0; r < devices_.ranks(); ++r)
      devices_.observing().task_finished(r, task_, devices_.now());
  }

  /// Calls `report(rank, task, reason)` for the all-reduce that cannot go on.
  template <class Report>
  void unfinished(Report&& report) const {
    if (quiet()) return;
    for (std::uint32_t rank = 0; rank < devices_.ranks(); ++rank)
      report(rank, task_, "waits for chunks that never arrive");
  }

 private:
  enum class Phase : std::uint8_t { Idle, Scatter, Gather };

  std::uint64_t size(std::uint32_t chunk) const { return chunk == 0 ? first_chunk_ : chunk_; }

  Devices& devices_;
  std::uint64_t chunk_ = 0, first_chunk_ = 0;
  TensorIndex name_ = 0;
  std::span<const Use> keep_;
  TaskId task_ = 0;
  Phase phase_ = Phase::Idle;
  std::uint32_t step_ = 0;
  std::uint32_t outstanding_ = 0; // messages of the step
};

} // namespace triosim::player::published
