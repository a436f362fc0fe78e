#pragma once

#include "triosim/error.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triosim::memory {

/// A tensor that a task touches.
struct Use {
  TensorIndex tensor = 0;
  bool reads = false;
  bool writes = false;
};

/// What a memory policy looks up about a graph: for each task its tensors, each once; for each tensor its size and how
/// many tasks touch it. Ranks of one program share the tables; `place(rank, tensor)` numbers what each has of its own.
class Uses {
 public:
  Uses() = default;
  /// Throws `ConfigError` for tensors that do not exist and for more than 4 EiB of them in a program.
  explicit Uses(const TaskGraph& graph) {
    for (const Program& program : graph.programs())
      tables_.push_back(table(program));
    places_.reserve(graph.ranks() + std::size_t{1});
    places_.push_back(0);
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      program_.push_back(graph.program_index(rank));
      places_.push_back(places_.back() + graph.program(rank).tensors().size());
    }
  }

  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(program_.size()); }
  std::span<const Use> of(std::uint32_t rank, TaskId task) const {
    const Table& table = tables_[program_[rank]];
    return std::span{table.uses}.subspan(table.begins[task], table.begins[task + 1] - table.begins[task]);
  }
  /// The first task behind `task` that touches a tensor; the number of tasks if none does.
  TaskId next(std::uint32_t rank, TaskId task) const { return tables_[program_[rank]].next[task]; }
  std::uint32_t tasks(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(tables_[program_[rank]].next.size());
  }
  std::size_t place(std::uint32_t rank, TensorIndex tensor) const { return places_[rank] + tensor; }
  /// Of all ranks together.
  std::size_t places() const { return places_.back(); }
  std::uint32_t tensors(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(tables_[program_[rank]].bytes.size());
  }
  std::uint64_t bytes(std::uint32_t rank, TensorIndex tensor) const { return tables_[program_[rank]].bytes[tensor]; }
  bool persistent(std::uint32_t rank, TensorIndex tensor) const { return tables_[program_[rank]].persistent[tensor]; }
  /// How many tasks touch the tensor.
  std::uint32_t count(std::uint32_t rank, TensorIndex tensor) const { return tables_[program_[rank]].count[tensor]; }

 private:
  struct Table {
    std::vector<std::uint32_t> begins; // of each task in `uses`
    std::vector<Use> uses;
    std::vector<TaskId> next;
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint8_t> persistent;
    std::vector<std::uint32_t> count;
  };

  static Table table(const Program& program) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 62;
    Table table;
    const auto tensors = program.tensors();
    std::uint64_t sum = 0;
    for (const TaskTensor& tensor : tensors) {
      sum += std::min(tensor.bytes.count(), limit + 1);
      if (sum > limit) throw ConfigError{"tensors", "more than 4 EiB", "sizes that add up to less"};
      table.bytes.push_back(tensor.bytes.count());
      table.persistent.push_back(tensor.persistent ? 1 : 0);
    }
    table.count.assign(tensors.size(), 0);
    // Where the tensor stands in `uses` for the task that touched it last.
    constexpr std::uint32_t nowhere = 0xFFFFFFFF;
    std::vector<std::uint32_t> last(tensors.size(), nowhere);
    table.begins.push_back(0);
    for (TaskId task = 0; task < program.size(); ++task) {
      const auto add = [&](TensorIndex tensor, bool reads) {
        if (tensor >= tensors.size())
          throw ConfigError{std::string{program.name(task)}, "tensor " + std::to_string(tensor),
                            "a tensor below " + std::to_string(tensors.size())};
        std::uint32_t& at = last[tensor];
        if (at == nowhere || at < table.begins.back()) {
          at = static_cast<std::uint32_t>(table.uses.size());
          table.uses.push_back({tensor, false, false});
          ++table.count[tensor];
        }
        (reads ? table.uses[at].reads : table.uses[at].writes) = true;
      };
      for (const TensorIndex tensor : program.inputs(task))
        add(tensor, true);
      for (const TensorIndex tensor : program.outputs(task))
        add(tensor, false);
      table.begins.push_back(static_cast<std::uint32_t>(table.uses.size()));
    }
    table.next.resize(program.size());
    TaskId next = program.size();
    for (TaskId task = program.size(); task-- > 0;) {
      table.next[task] = next;
      if (table.begins[task] != table.begins[task + 1]) next = task;
    }
    return table;
  }

  std::vector<Table> tables_;          // of each program
  std::vector<std::uint32_t> program_; // of each rank
  std::vector<std::size_t> places_;    // where each rank's tensors begin
};

/// "NAME (task 7)", as OutOfMemory names it.
inline std::string describe(const TaskGraph& graph, std::uint32_t rank, TaskId task) {
  return std::string{graph.program(rank).name(task)} + " (task " + std::to_string(task) + ")";
}

} // namespace triosim::memory
