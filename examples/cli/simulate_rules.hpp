#pragma once

#include "cli/maybe_timeline.hpp"
#include "cli/simulate.hpp"

#include <triosim/report/report.hpp>
#include <triosim/trace/trace.hpp>

namespace triosim::cli {

/// The two rule sets, each with its registry of compiled simulators.
Report simulate_classic(const SimulateOptions& options, const Trace& trace, MaybeTimeline& timeline);
Report simulate_physical(const SimulateOptions& options, const Trace& trace, MaybeTimeline& timeline);

} // namespace triosim::cli
