#pragma once

#include "triosim/collective/call.hpp"
#include "triosim/units.hpp"

#include <concepts>
#include <cstdint>

namespace triosim::collective {

/// The `index`-th of `parts` nearly equal pieces; together they are the whole. The first ones are a byte longer.
constexpr Bytes piece(Bytes whole, std::uint32_t parts, std::uint32_t index) noexcept {
  return Bytes{whole.count() / parts + (index < whole.count() % parts ? 1 : 0)};
}

namespace archetypes {

struct Sink {
  void operator()(std::uint32_t /*peer*/, Bytes /*bytes*/) const {}
};

} // namespace archetypes

/// How a collective becomes messages. A member goes through `steps` steps; in each it sends what `sends` says and
/// waits for `receives` messages; the next begins when all of its own messages of the step have arrived at their peers
/// and all those it expects have come.
///
/// Minimum:  `steps(call)`, `sends(call, member, step, sink)` with `sink(peer, bytes)`, `receives(call, member, step)`.
/// Optional: `static constexpr bool in_order = true` if every member receives from one peer only, so that the player
///           may count arrivals without asking which step they belong to.
/// Laws:     each message that is sent is received in the same step; bytes on the wire per member are the textbook's;
///           the steps are the same in number for all members.
template <class A>
concept AlgorithmPolicy = std::copy_constructible<A> &&
    requires(const A& algorithm, const Call& call, std::uint32_t member, archetypes::Sink sink) {
  { algorithm.steps(call) } -> std::same_as<std::uint32_t>;
  { algorithm.receives(call, member, member) } -> std::same_as<std::uint32_t>;
  algorithm.sends(call, member, member, sink);
};

} // namespace triosim::collective
