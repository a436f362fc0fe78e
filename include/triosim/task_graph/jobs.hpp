#pragma once

#include "triosim/error.hpp"
#include "triosim/task_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim {

/// A task graph that runs on some of the ranks of a machine: rank i of the graph is `ranks[i]` of the machine.
struct Job {
  const TaskGraph* graph = nullptr;
  std::vector<std::uint32_t> ranks;
};

namespace jobs_detail {

/// The same program with its group slots `shift` higher.
inline Program shifted(const Program& program, std::uint16_t shift) {
  Program copy;
  const Program::Edges edges = program.edges();
  for (const TaskTensor& tensor : program.tensors())
    copy.add_tensor(tensor);
  for (TaskId task = 0; task < program.size(); ++task) {
    switch (program.kind(task)) {
    case TaskKind::Compute:
      copy.add_compute(program.operation(task));
      break;
    case TaskKind::Collective: {
      Collective collective = program.collective(task);
      collective.group = static_cast<std::uint16_t>(collective.group + shift);
      copy.add_collective(program.name(task), collective);
      break;
    }
    case TaskKind::Send:
    case TaskKind::Receive: {
      PointToPoint message = program.message(task);
      message.group = static_cast<std::uint16_t>(message.group + shift);
      if (program.kind(task) == TaskKind::Send)
        copy.add_send(program.name(task), message);
      else
        copy.add_receive(program.name(task), message);
      break;
    }
    case TaskKind::Fetch:
      copy.add_fetch(program.name(task), program.fetch(task));
      break;
    }
    if (program.micro_batch_of(task) != Program::no_micro_batch) copy.micro_batch(program.micro_batch_of(task));
    if (!program.inputs(task).empty() || !program.outputs(task).empty())
      copy.uses(program.inputs(task), program.outputs(task));
  }
  for (TaskId task = 0; task < program.size(); ++task)
    for (const TaskId before : edges.predecessors(task))
      copy.depend(task, before);
  return copy;
}

} // namespace jobs_detail

/// Several jobs on one machine of `ranks` ranks, which share its network and nothing else; ranks without a job do
/// nothing. Throws `ConfigError` where a job has not as many ranks as its graph, or a rank is out of range or taken.
inline TaskGraph join_jobs(std::uint32_t ranks, std::span<const Job> jobs) {
  TaskGraph all{ranks};
  const std::uint32_t idle = all.add_program(Program{});
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    all.assign(rank, idle);
  std::vector<bool> taken(ranks, false);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Job& job = jobs[j];
    const std::string name = "job " + std::to_string(j);
    if (job.ranks.size() != job.graph->ranks())
      throw ConfigError{name, std::to_string(job.ranks.size()) + " ranks",
                        std::to_string(job.graph->ranks()) + ", as its graph has"};
    for (const std::uint32_t rank : job.ranks) {
      if (rank >= ranks || taken[rank])
        throw ConfigError{name, "rank " + std::to_string(rank),
                          "each rank below " + std::to_string(ranks) + " once over all jobs"};
      taken[rank] = true;
    }
    const auto first_slot = static_cast<std::uint16_t>(all.groups().size());
    for (const Communicators& group : job.graph->groups()) {
      std::vector<std::vector<std::uint32_t>> members;
      for (std::uint32_t c = 0; c < group.count(); ++c) {
        members.emplace_back();
        for (const std::uint32_t rank : group.members(c))
          members.back().push_back(job.ranks[rank]);
      }
      all.add_group(Communicators::of(name + " " + std::string{group.name()}, ranks, members));
    }
    const auto first_program = static_cast<std::uint32_t>(all.programs().size());
    for (const Program& program : job.graph->programs())
      all.add_program(jobs_detail::shifted(program, first_slot));
    for (std::uint32_t rank = 0; rank < job.graph->ranks(); ++rank)
      all.assign(job.ranks[rank], first_program + job.graph->program_index(rank));
  }
  return all;
}

} // namespace triosim
