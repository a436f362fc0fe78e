#pragma once

#include "triosim/collective/algorithm.hpp"
#include "triosim/collective/ring.hpp"
#include "triosim/collective/standard.hpp"

#include <cstdint>

namespace triosim::collective {

/// Over two dimensions: members are islands of `island` in a row, with fast links inside. An all-reduce scatters the
/// sums in each island, reduces each share over the islands and gathers in each island, by rings: what crosses between
/// islands is a share of the buffer and not all of it. A gather goes over the islands first, a scatter in the islands
/// first. Where the members do not make whole islands, and for all other collectives, as Standard.
struct Hierarchical {
  std::uint32_t island = 8;

  std::uint32_t steps(const Call& call) const {
    if (!in_islands(call)) return Standard{}.steps(call);
    const std::uint32_t inside = island - 1, across = call.members / island - 1;
    return call.type == CollectiveType::AllReduce ? 2 * (inside + across) : inside + across;
  }

  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    if (!in_islands(call)) return Standard{}.sends(call, member, step, sink);
    const Part part = part_of(call, step);
    const std::uint32_t first = member / island * island, place = member % island;
    if (part.inside)
      Ring{}.sends({part.type, island, call.bytes}, place, part.step,
                   [&](std::uint32_t peer, Bytes bytes) { sink(first + peer, bytes); });
    else
      Ring{}.sends({part.type, call.members / island, piece(call.bytes, island, place)}, member / island, part.step,
                   [&](std::uint32_t peer, Bytes bytes) { sink(peer * island + place, bytes); });
  }

  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    return in_islands(call) ? 1 : Standard{}.receives(call, member, step);
  }

 private:
  struct Part {
    bool inside;
    CollectiveType type;
    std::uint32_t step;
  };

  bool in_islands(const Call& call) const {
    return island > 1 && call.members % island == 0 && call.members > island &&
           (call.type == CollectiveType::AllReduce || call.type == CollectiveType::AllGather ||
            call.type == CollectiveType::ReduceScatter);
  }
  Part part_of(const Call& call, std::uint32_t step) const {
    const std::uint32_t inside = island - 1, across = call.members / island - 1;
    switch (call.type) {
    case CollectiveType::AllReduce:
      if (step < inside) return {true, CollectiveType::ReduceScatter, step};
      if (step < inside + 2 * across) return {false, CollectiveType::AllReduce, step - inside};
      return {true, CollectiveType::AllGather, step - inside - 2 * across};
    case CollectiveType::ReduceScatter:
      if (step < inside) return {true, call.type, step};
      return {false, call.type, step - inside};
    default:
      if (step < across) return {false, call.type, step};
      return {true, call.type, step - across};
    }
  }
};

} // namespace triosim::collective
