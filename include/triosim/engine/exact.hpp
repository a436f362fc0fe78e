#pragma once

#include "triosim/engine/event.hpp"
#include "triosim/units.hpp"

#include <concepts>

namespace triosim::engine {

/// An engine that can also count time in seconds as a double, as the published TrioSim does: finer than a picosecond
/// below three hours, and rounded as there. Only the classic rules ask for it.
template <class E>
concept ExactClock = requires(E engine, const E& constant, double at, Event event) {
  { constant.seconds() } -> std::same_as<double>;
  engine.schedule_seconds(at, event);
};

/// The present, as finely as the engine knows it.
template <class Engine>
double seconds(const Engine& engine) {
  if constexpr (ExactClock<Engine>)
    return engine.seconds();
  else
    return static_cast<double>(engine.now().picoseconds()) / 1e12;
}

/// `event` happens `delay` seconds from now.
template <class Engine>
void schedule_in(Engine& engine, double delay, Event event) {
  if constexpr (ExactClock<Engine>)
    engine.schedule_seconds(engine.seconds() + delay, event);
  else
    engine.schedule(engine.now() + Time::from_seconds(delay), event);
}

} // namespace triosim::engine
