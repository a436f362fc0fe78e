#pragma once

#include "triosim/units.hpp"

#include <cstdint>

namespace triosim::engine {

/// What happens at an instant: a kind for the handler's switch, an entity (a rank, say; below 2^24) and an argument.
/// Eight bytes by value: an event costs no allocation and no indirect call.
class Event {
 public:
  static constexpr std::uint32_t max_entity = (1u << 24) - 1;

  constexpr Event() noexcept = default;
  constexpr Event(std::uint8_t kind, std::uint32_t entity, std::uint32_t argument) noexcept
      : kind_and_entity_{static_cast<std::uint32_t>(kind) << 24 | (entity & max_entity)}, argument_{argument} {}

  constexpr std::uint8_t kind() const noexcept { return static_cast<std::uint8_t>(kind_and_entity_ >> 24); }
  constexpr std::uint32_t entity() const noexcept { return kind_and_entity_ & max_entity; }
  constexpr std::uint32_t argument() const noexcept { return argument_; }

  friend constexpr bool operator==(Event, Event) noexcept = default;

 private:
  std::uint32_t kind_and_entity_ = 0;
  std::uint32_t argument_ = 0;
};

/// An event and its instant, as a queue keeps them.
struct TimedEvent {
  Time time;
  Event event;
};

} // namespace triosim::engine
