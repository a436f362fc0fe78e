#pragma once

namespace triosim::rules::classic {

// What ranks have to do with each other under the published rules; player/published.hpp plays them.

/// Every rank on its own.
struct Alone {};
/// All-reduces when the step is over.
struct AfterStep {};
/// All-reduces beside the layers.
struct Overlapped {};
/// All ranks wait for each all-reduce.
struct Barrier {};
/// Stages that hand micro-batches on.
struct Pipeline {};

} // namespace triosim::rules::classic
