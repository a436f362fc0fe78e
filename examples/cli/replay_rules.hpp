#pragma once

#include "cli/maybe_timeline.hpp"
#include "cli/replay.hpp"

#include <triosim/machine.hpp>
#include <triosim/player/streams/settings.hpp>
#include <triosim/report/report.hpp>
#include <triosim/task_graph/replay_workload.hpp>

#include <optional>
#include <vector>

namespace triosim::cli {

/// What the files of a replay hold.
struct ReplayInput {
  ReplayWorkload workload;
  player::streams::Settings settings;
  std::vector<player::streams::Dimension> dimensions;
  player::streams::RemoteMemory memory;
  std::optional<Machine> machine;
};

Report replay_classic(const ReplayOptions& options, const ReplayInput& input);
Report replay_physical(const ReplayOptions& options, const ReplayInput& input, MaybeTimeline& timeline);

} // namespace triosim::cli
