#pragma once

namespace triosim {

/// How a graph is played under a rule set: `PlayerFor<Rules>::template type<Engine, Net, Memory, Observing>`, which is
/// told how long each task takes as a `PlayerFor<Rules>::Duration`: a Time, or seconds as a double for rules that are
/// finer than a picosecond. `PlayerFor<Rules>::name` is what a report calls them. simulator.hpp has the physical rules,
/// player/published.hpp the classic ones.
template <class Rules>
struct PlayerFor;

} // namespace triosim
