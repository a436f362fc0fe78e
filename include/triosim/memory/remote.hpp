#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/memory/residence.hpp"
#include "triosim/memory/uses.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace triosim::memory {

/// Tensors live in the machine's remote memory (`Cluster::topology.memory()`) and are brought to the device when they
/// are needed. This is the idea of the published TrioSim's memory with the physics left in: data arrive before they are
/// used, what exists only on the device is saved before it is dropped, and nothing is read that has not been written.
///
/// * At the start all persistent tensors are in the remote memory and none is on a device; others do not exist yet.
/// * A task starts when all that it reads is on the device and all that it writes has room there. What is missing comes
///   in one message. What nobody has written yet (a buffer that only this task fills, data that a peer has sent) gets
///   room without a message, and so does what is only written.
/// * When a compute task starts, what the next `prefetch_depth` tasks in program order read is requested, one message
///   for each task, as far as there is room for it beside all that those before it will need. To make room, tensors
///   are dropped that the remote memory has as well, least recently used first, but none that these tasks need.
/// * When a task is short of room, tensors that no started task needs are evicted, least recently used first; those
///   prefetched for later tasks are among them. What the remote memory has as well is dropped at once. What was written
///   since is first sent there, a message each, and its room is free when the message has arrived.
/// * A tensor that is not persistent gives up its room when the last task that touches it has ended.
/// * At the end, changed tensors that are on the device stay there: they are not sent back.
///
/// While a task waits for room no other task of its rank is given room, so that two cannot starve each other; a task
/// that needs none may overtake it. Without a capacity nothing is ever evicted.
///
/// Laws: with a network that takes no time, the same times as Unbounded, with whatever capacity the run needs where
/// compute tasks alone touch tensors; the bytes that a rank reads, over the bandwidth of its link, bound its time from
/// below; without a capacity each persistent tensor is read once at most and nothing is written back. Two things are no
/// laws. Less capacity may be faster: of unequal pieces, a smaller cache may happen to keep the better ones (of equal
/// pieces, one a task, it never does). Moving memory may make a run faster than Unbounded: where several tasks are
/// ready, a delay changes their order, and any order may be lucky (Graham's anomalies); a chain of tasks is never
/// faster.
///
/// Throws `TopologyError` where the machine has no remote memory, and `OutOfMemory` for a task whose own tensors exceed
/// the capacity. A collective holds its tensors while it waits for its peers: where two ranks wait for each other's
/// room in this way, the run ends in `Deadlock`, as it would on the machine.
///
/// Cost: 28 bytes for each rank and tensor, one for each rank and task; a visit to each tensor of a task and of those
/// prefetched, and one for each tensor that is dropped; no allocation in the steady state.
class Remote {
 public:
  static constexpr bool keeps_account = true;

  Remote() = default;
  explicit Remote(std::uint32_t prefetch_depth) : depth_{prefetch_depth} {}

  void begin(const TaskGraph& graph, const Cluster& cluster) {
    if (!cluster.topology.memory()) throw TopologyError{"tensors live in the remote memory, which the topology lacks"};
    graph_ = &graph;
    capacity_ = cluster.memory_capacity ? cluster.memory_capacity->count() : std::numeric_limits<std::uint64_t>::max();
    residence_ = Residence{Uses{graph}};
    claimant_.assign(graph.ranks(), none);
    task_begins_.assign(1, 0);
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
      task_begins_.push_back(task_begins_.back() + uses().tasks(rank));
    progress_.assign(task_begins_.back(), Progress::Ahead);
  }

  template <class Fetcher>
  bool acquire(std::uint32_t rank, TaskId task, Fetcher&& fetch) {
    Progress& progress = progress_[task_begins_[rank] + task];
    if (progress == Progress::Ahead) {
      check_own(rank, task);
      progress = Progress::Named;
    }
    if (progress == Progress::Named) {
      if (missing(rank, task) > 0) {
        if (claimant_[rank] != none) return false;
        claimant_[rank] = task;
      }
      // What is there stays there from now on.
      for (const Use& use : uses().of(rank, task))
        if (residence_.at(rank, use.tensor).where != Where::Absent) residence_.hold(rank, use.tensor);
      progress = Progress::Claiming;
    }
    if (progress == Progress::Claiming) {
      if (!make_room(rank, missing(rank, task), fetch)) return false;
      if (claimant_[rank] == task) claimant_[rank] = none;
      bring(rank, task, true, fetch);
      progress = Progress::Coming;
    }
    if (progress == Progress::Coming) {
      for (const Use& use : uses().of(rank, task))
        if (residence_.at(rank, use.tensor).where != Where::Here) return false;
      progress = Progress::Started;
    }
    return true;
  }

  template <class Fetcher>
  void prefetch(std::uint32_t rank, TaskId task, Fetcher&& fetch) {
    if (depth_ == 0 || claimant_[rank] != none) return;
    window_.clear();
    for (TaskId next = uses().next(rank, task); next < uses().tasks(rank) && window_.size() < depth_;
         next = uses().next(rank, next))
      if (progress_[task_begins_[rank] + next] == Progress::Ahead) window_.push_back(next);
    held_.clear();
    for (const TaskId next : window_)
      for (const Use& use : uses().of(rank, next))
        if (residence_.at(rank, use.tensor).where != Where::Absent) {
          residence_.hold(rank, use.tensor);
          held_.push_back(use.tensor);
        }
    std::uint64_t needed = 0; // by those of the window so far, beyond what has room already
    for (const TaskId next : window_) {
      needed += missing(rank, next);
      if (!drop_saved(rank, needed)) break;
      const std::uint64_t before = residence_.in_use(rank);
      bring(rank, next, false, fetch);
      needed -= residence_.in_use(rank) - before;
    }
    for (const TensorIndex tensor : held_)
      residence_.let_go(rank, tensor);
  }

  void arrived(std::uint32_t rank, std::uint32_t key) {
    const Parcel parcel = parcels_[key];
    parcels_[key].first = free_parcel_;
    free_parcel_ = key;
    if (parcel.to_memory)
      residence_.sent(rank, parcel.first);
    else
      unpack(rank, parcel.first);
  }

  void release(std::uint32_t rank, TaskId task) {
    progress_[task_begins_[rank] + task] = Progress::Done;
    for (const Use& use : uses().of(rank, task)) {
      const Residence::Tensor& tensor = residence_.at(rank, use.tensor);
      if (use.writes) residence_.written(rank, use.tensor);
      residence_.let_go(rank, use.tensor);
      if (--residence_.at(rank, use.tensor).left > 0 || uses().persistent(rank, use.tensor)) continue;
      // What is on its way is needed until it has left.
      if (tensor.sending)
        residence_.leave(rank, use.tensor);
      else
        residence_.drop(rank, use.tensor);
    }
  }

  Bytes in_use(std::uint32_t rank) const { return Bytes{residence_.in_use(rank)}; }
  Bytes peak(std::uint32_t rank) const { return Bytes{residence_.peak(rank)}; }

 private:
  using Where = Residence::Where;
  static constexpr std::uint32_t none = Residence::none;

  // A task is ahead until somebody asks for it by name; it then claims what is there, waits for room, and for what
  // comes.
  enum class Progress : std::uint8_t { Ahead, Named, Claiming, Coming, Started, Done };

  // Tensors on their way: one to the memory, or a chain of them from there.
  struct Parcel {
    std::uint32_t first = none;
    bool to_memory = false;
  };

  const Uses& uses() const noexcept { return residence_.uses(); }

  void check_own(std::uint32_t rank, TaskId task) const {
    std::uint64_t own = 0;
    for (const Use& use : uses().of(rank, task))
      own += uses().bytes(rank, use.tensor);
    if (own > capacity_) throw OutOfMemory{rank, describe(*graph_, rank, task), own, capacity_};
  }

  /// The room that the task needs beyond what has room already.
  std::uint64_t missing(std::uint32_t rank, TaskId task) {
    std::uint64_t sum = 0;
    for (const Use& use : uses().of(rank, task))
      if (residence_.at(rank, use.tensor).where == Where::Absent) sum += uses().bytes(rank, use.tensor);
    return sum;
  }

  // Evicts until there will be room; says whether there is now.
  template <class Fetcher>
  bool make_room(std::uint32_t rank, std::uint64_t room, Fetcher&& fetch) {
    while (residence_.in_use(rank) - residence_.leaving(rank) + room > capacity_) {
      const TensorIndex victim = residence_.oldest(rank);
      if (victim == none) break;
      Residence::Tensor& tensor = residence_.at(rank, victim);
      if (tensor.saved) {
        residence_.drop(rank, victim);
        continue;
      }
      residence_.leave(rank, victim);
      if (tensor.sending) continue;
      tensor.sending = true;
      const Bytes bytes{uses().bytes(rank, victim)};
      if (bytes == Bytes{})
        residence_.sent(rank, victim);
      else
        fetch.store(bytes, parcel(victim, true));
    }
    return residence_.in_use(rank) + room <= capacity_;
  }

  bool drop_saved(std::uint32_t rank, std::uint64_t room) {
    while (residence_.in_use(rank) + room > capacity_) {
      const TensorIndex victim = residence_.oldest_saved(rank);
      if (victim == none) return false;
      residence_.drop(rank, victim);
    }
    return true;
  }

  // Gives room to what the task lacks, all of it or only what has to be read, and sends for that.
  template <class Fetcher>
  void bring(std::uint32_t rank, TaskId task, bool all, Fetcher&& fetch) {
    TensorIndex chain = none;
    Bytes bytes;
    for (const Use& use : uses().of(rank, task)) {
      Residence::Tensor& tensor = residence_.at(rank, use.tensor);
      const bool reads = use.reads && tensor.saved;
      if (tensor.where != Where::Absent || !(all || reads)) continue;
      tensor.holds += all ? 1 : 0;
      residence_.enter(rank, use.tensor, reads ? Where::Coming : Where::Here);
      if (!reads) continue;
      tensor.after = std::exchange(chain, use.tensor);
      bytes += Bytes{uses().bytes(rank, use.tensor)};
    }
    if (bytes == Bytes{})
      unpack(rank, chain);
    else
      fetch(bytes, parcel(chain, false));
  }

  void unpack(std::uint32_t rank, TensorIndex chain) {
    while (chain != none) {
      const TensorIndex tensor = std::exchange(chain, residence_.at(rank, chain).after);
      residence_.at(rank, tensor).after = none;
      residence_.came(rank, tensor);
    }
  }

  std::uint32_t parcel(TensorIndex first, bool to_memory) {
    std::uint32_t key = free_parcel_;
    if (key == none) {
      key = static_cast<std::uint32_t>(parcels_.size());
      parcels_.emplace_back();
    } else {
      free_parcel_ = parcels_[key].first;
    }
    parcels_[key] = {first, to_memory};
    return key;
  }

  std::uint32_t depth_ = 2;
  const TaskGraph* graph_ = nullptr;
  std::uint64_t capacity_ = 0;
  Residence residence_;
  std::vector<TaskId> claimant_; // of each rank: the task that waits for room
  std::vector<std::size_t> task_begins_;
  std::vector<Progress> progress_; // [rank][task]
  std::vector<Parcel> parcels_;
  std::uint32_t free_parcel_ = none;
  std::vector<TaskId> window_; // scratch of prefetch
  std::vector<TensorIndex> held_;
};

} // namespace triosim::memory
