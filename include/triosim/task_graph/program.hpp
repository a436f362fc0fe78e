#pragma once

#include "triosim/collective/call.hpp"
#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim {

using TaskId = std::uint32_t;
using TensorIndex = std::uint32_t;

enum class TaskKind : std::uint8_t { Compute, Collective, Send, Receive, Fetch };

constexpr std::string_view to_string(TaskKind kind) noexcept {
  constexpr std::string_view names[] = {"compute", "collective", "send", "receive", "fetch"};
  return names[static_cast<std::size_t>(kind)];
}

/// All members of the rank's communicator in slot `group` together. `bytes` is the whole buffer of one rank: what it
/// holds before an all-reduce or reduce-scatter, and after an all-gather; what it sends in all in an all-to-all.
struct Collective {
  CollectiveType type = CollectiveType::AllReduce;
  std::uint16_t group = 0;
  Bytes bytes;
};

/// One message to (or from) the rank `shift` places behind in the communicator of slot `group`; matched by
/// (source, destination, tag) in order.
struct PointToPoint {
  std::uint16_t group = 0;
  std::int32_t shift = 0;
  std::uint32_t tag = 0;
  Bytes bytes;
};

/// A piece of device memory that tasks of a program read and write.
struct TaskTensor {
  Bytes bytes;
  /// Exists before the step begins and after it ends: weights, optimizer state, the batch.
  bool persistent = false;
};

/// What some ranks do: tasks with what each waits for. Kept as structure of arrays; dependencies of a task are a run of
/// one array. Built by adding tasks in program order; a task may depend on any other, also on a later one, as long as
/// no circle arises (`TaskGraph::validate` finds it).
///
/// Among tasks that are ready, a rank starts the lowest number first. Compute tasks run one at a time; collectives of
/// one group slot run one at a time, strictly in program order (as NCCL runs what a stream was given).
class Program {
 public:
  static constexpr std::uint32_t no_micro_batch = 0xFFFFFFFF;

  // ---- building --------------------------------------------------------------------------------------------------
  /// `operation.name` is copied.
  TaskId add_compute(const Operation& operation, std::span<const TaskId> after = {}) {
    operations_.push_back(operation);
    operations_.back().name = {};
    return add(TaskKind::Compute, operation.name, operations_.size() - 1, after);
  }
  TaskId add_collective(std::string_view name, Collective collective, std::span<const TaskId> after = {}) {
    collectives_.push_back(collective);
    return add(TaskKind::Collective, name, collectives_.size() - 1, after);
  }
  TaskId add_send(std::string_view name, PointToPoint message, std::span<const TaskId> after = {}) {
    messages_.push_back(message);
    return add(TaskKind::Send, name, messages_.size() - 1, after);
  }
  TaskId add_receive(std::string_view name, PointToPoint message, std::span<const TaskId> after = {}) {
    messages_.push_back(message);
    return add(TaskKind::Receive, name, messages_.size() - 1, after);
  }
  /// Reads `bytes` from the machine's remote memory.
  TaskId add_fetch(std::string_view name, Bytes bytes, std::span<const TaskId> after = {}) {
    fetches_.push_back(bytes);
    return add(TaskKind::Fetch, name, fetches_.size() - 1, after);
  }
  /// `task` waits for `before` as well.
  void depend(TaskId task, TaskId before) { late_.emplace_back(task, before); }

  TensorIndex add_tensor(TaskTensor tensor) {
    tensors_.push_back(tensor);
    return static_cast<TensorIndex>(tensors_.size() - 1);
  }
  /// What the task added last reads and writes; memory policies look at it.
  void uses(std::span<const TensorIndex> inputs, std::span<const TensorIndex> outputs) {
    input_ends_.resize(size(), static_cast<std::uint32_t>(uses_.size()));
    use_ends_.resize(size(), static_cast<std::uint32_t>(uses_.size()));
    uses_.insert(uses_.end(), inputs.begin(), inputs.end());
    input_ends_.back() = static_cast<std::uint32_t>(uses_.size());
    uses_.insert(uses_.end(), outputs.begin(), outputs.end());
    use_ends_.back() = static_cast<std::uint32_t>(uses_.size());
  }
  /// The micro-batch that the task added last belongs to, for those who look at a timeline.
  void micro_batch(std::uint32_t number) { micro_batch_.back() = number; }

  // ---- reading ---------------------------------------------------------------------------------------------------
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(kind_.size()); }
  TaskKind kind(TaskId task) const { return kind_[task]; }
  std::string_view name(TaskId task) const { return names_[name_[task]]; }
  std::uint32_t micro_batch_of(TaskId task) const { return micro_batch_[task]; }
  Operation operation(TaskId task) const {
    Operation operation = operations_[payload_[task]];
    operation.name = name(task);
    return operation;
  }
  const Collective& collective(TaskId task) const { return collectives_[payload_[task]]; }
  const PointToPoint& message(TaskId task) const { return messages_[payload_[task]]; }
  Bytes fetch(TaskId task) const { return fetches_[payload_[task]]; }
  std::span<const TaskTensor> tensors() const noexcept { return tensors_; }
  std::span<const TensorIndex> inputs(TaskId task) const {
    if (task >= input_ends_.size()) return {};
    const std::uint32_t begin = task == 0 ? 0 : use_ends_[task - 1];
    return std::span{uses_}.subspan(begin, input_ends_[task] - begin);
  }
  std::span<const TensorIndex> outputs(TaskId task) const {
    if (task >= input_ends_.size()) return {};
    return std::span{uses_}.subspan(input_ends_[task], use_ends_[task] - input_ends_[task]);
  }

  /// Who waits for whom, both ways, each list in ascending order without repeats.
  struct Edges {
    std::vector<std::uint32_t> before_begins, before;
    std::vector<std::uint32_t> after_begins, after;
    std::span<const TaskId> predecessors(TaskId task) const {
      return std::span{before}.subspan(before_begins[task], before_begins[task + 1] - before_begins[task]);
    }
    std::span<const TaskId> successors(TaskId task) const {
      return std::span{after}.subspan(after_begins[task], after_begins[task + 1] - after_begins[task]);
    }
  };

  /// Throws `ConfigError` for a dependency on a task that does not exist.
  Edges edges() const {
    Edges edges;
    const std::uint32_t tasks = size();
    edges.before_begins.assign(tasks + 1, 0);
    const auto each = [&](auto&& visit) {
      for (TaskId task = 0; task < tasks; ++task)
        for (std::uint32_t i = task == 0 ? 0 : dependency_ends_[task - 1]; i < dependency_ends_[task]; ++i)
          visit(task, dependencies_[i]);
      for (const auto& [task, before] : late_)
        visit(task, before);
    };
    each([&](TaskId task, TaskId before) {
      if (task >= tasks || before >= tasks)
        throw ConfigError{"dependency", std::to_string(before), "a task below " + std::to_string(tasks)};
      ++edges.before_begins[task + 1];
    });
    for (std::uint32_t i = 0; i < tasks; ++i)
      edges.before_begins[i + 1] += edges.before_begins[i];
    std::vector<std::uint32_t> fill(edges.before_begins.begin(), edges.before_begins.end() - 1);
    edges.before.resize(edges.before_begins[tasks]);
    each([&](TaskId task, TaskId before) { edges.before[fill[task]++] = before; });
    std::uint32_t kept = 0, begin = 0;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const auto first = edges.before.begin() + begin, last = edges.before.begin() + edges.before_begins[task + 1];
      begin = edges.before_begins[task + 1];
      std::sort(first, last);
      const auto end = std::unique(first, last);
      std::copy(first, end, edges.before.begin() + kept);
      edges.before_begins[task] = kept;
      kept += static_cast<std::uint32_t>(end - first);
    }
    edges.before_begins[tasks] = kept;
    edges.before.resize(kept);

    edges.after_begins.assign(tasks + 1, 0);
    for (const TaskId before : edges.before)
      ++edges.after_begins[before + 1];
    for (std::uint32_t i = 0; i < tasks; ++i)
      edges.after_begins[i + 1] += edges.after_begins[i];
    fill.assign(edges.after_begins.begin(), edges.after_begins.end() - 1);
    edges.after.resize(kept);
    for (TaskId task = 0; task < tasks; ++task)
      for (const TaskId before : edges.predecessors(task))
        edges.after[fill[before]++] = task;
    return edges;
  }

 private:
  TaskId add(TaskKind kind, std::string_view name, std::size_t payload, std::span<const TaskId> after) {
    kind_.push_back(kind);
    payload_.push_back(static_cast<std::uint32_t>(payload));
    name_.push_back(intern(name));
    micro_batch_.push_back(no_micro_batch);
    dependencies_.insert(dependencies_.end(), after.begin(), after.end());
    dependency_ends_.push_back(static_cast<std::uint32_t>(dependencies_.size()));
    // A task without `uses` has an empty run.
    if (!use_ends_.empty()) {
      input_ends_.resize(size(), static_cast<std::uint32_t>(uses_.size()));
      use_ends_.resize(size(), static_cast<std::uint32_t>(uses_.size()));
    }
    return size() - 1;
  }

  std::uint32_t intern(std::string_view name) {
    const auto found = interned_.find(name);
    if (found != interned_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    interned_.emplace(name, number);
    return number;
  }

  std::vector<TaskKind> kind_;
  std::vector<std::uint32_t> payload_, name_, micro_batch_;
  std::vector<std::uint32_t> dependency_ends_, dependencies_;
  std::vector<std::pair<TaskId, TaskId>> late_;
  std::vector<Operation> operations_; // without their names
  std::vector<Collective> collectives_;
  std::vector<PointToPoint> messages_;
  std::vector<Bytes> fetches_;
  std::vector<TaskTensor> tensors_;
  std::vector<std::uint32_t> input_ends_, use_ends_; // of each task in uses_
  std::vector<TensorIndex> uses_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> interned_;
};

} // namespace triosim
