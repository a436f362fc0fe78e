#pragma once

#include "triosim/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace triosim {

/// What one rank did with its time: `compute + exposed_communication + idle` is the time of the step, and
/// `overlapped_communication` is the part of `compute` under which messages of this rank were on their way.
struct RankReport {
  Time compute;
  Time exposed_communication;
  Time overlapped_communication;
  Time idle;
  /// When its last task ended.
  Time finish;
  Bytes peak_memory;
  Bytes bytes_sent;
  std::uint64_t messages_sent = 0;
};

/// A named stretch of the step, for runs that have such.
struct Phase {
  std::string name;
  Time end;
};

/// What one link carried, see report::LinkLoads.
struct LinkUse {
  std::uint32_t from = 0, to = 0; ///< nodes of the topology: devices first, then switches and memories
  Bytes bytes;
  /// Of what it could have carried in the whole run.
  double utilisation = 0;
};

/// What part of the chain of tasks that set the time of the step was spent on what, see report::CriticalPath.
struct PathShare {
  std::string what;
  Time time;
};

/// What came out of one run.
struct Report {
  /// From the first event to the end of the last task.
  Time total;
  std::vector<RankReport> ranks;
  std::vector<Phase> phases;
  std::uint64_t events = 0;
  std::uint64_t tasks = 0;
  /// The rules by which the run was played: "physical" or "classic".
  std::string rules = "physical";
  /// Those with the highest utilisation, for runs that were watched.
  std::vector<LinkUse> busiest_links;
  /// The longest share first, and how many tasks and ranks the path goes through; for runs that were watched.
  std::vector<PathShare> critical_path;
  std::uint64_t critical_tasks = 0;
  std::uint32_t critical_ranks = 0;
};

} // namespace triosim
