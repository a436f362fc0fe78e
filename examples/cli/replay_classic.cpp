#include "cli/replay_rules.hpp"

#include <triosim/error.hpp>
#include <triosim/player/streams/system.hpp>

namespace triosim::cli {

Report replay_classic(const ReplayOptions& options, const ReplayInput& input) {
  namespace streams = player::streams;
  if (!options.timeline.empty())
    throw ConfigError{"--timeline", options.timeline, "--rules physical: classic rules have no timeline"};
  if (!options.scenario.empty())
    throw ConfigError{"--scenario", options.scenario, "--rules physical: classic rules have no scenarios"};
  if (options.backend == Backend::congestion_unaware)
    return streams::System<streams::CongestionUnaware>{input.workload, input.settings, input.dimensions, input.memory}
        .run();
  if (options.backend == Backend::congestion_aware)
    return streams::System<streams::CongestionAware>{input.workload, input.settings, input.dimensions, input.memory}
        .run();
  throw ConfigError{"--backend", "a network of the physical rules",
                    "congestion-unaware or congestion-aware by classic rules"};
}

} // namespace triosim::cli
