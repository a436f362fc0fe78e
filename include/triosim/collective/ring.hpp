#pragma once

#include "triosim/collective/algorithm.hpp"

#include <cstdint>

namespace triosim::collective {

/// Members in a ring, each sends to the next. An all-reduce of S bytes over N members is a reduce-scatter and an
/// all-gather, 2(N-1) steps of S/N bytes: 2(N-1)/N S bytes a member, which no algorithm can undercut (Patarasuk and
/// Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 2009). Broadcast, reduce, gather
/// and scatter pass whole buffers or shares along the ring from or to member 0.
struct Ring {
  static constexpr bool in_order = true;

  std::uint32_t steps(const Call& call) const {
    const std::uint32_t rounds = call.members - 1;
    switch (call.type) {
    case CollectiveType::AllReduce:
    case CollectiveType::Barrier:
      return 2 * rounds;
    default:
      return rounds;
    }
  }

  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    const std::uint32_t n = call.members, next = (member + 1) % n;
    const auto chunk = [&](std::uint32_t owner) { return piece(call.bytes, n, owner % n); };
    switch (call.type) {
    case CollectiveType::AllReduce:
      // Reduce-scatter: the chunk that began its journey at `member - step`. All-gather: the one completed there.
      sink(next, step < n - 1 ? chunk(member + n - step % n) : chunk(member + 1 + 2 * n - step + (n - 1)));
      break;
    case CollectiveType::ReduceScatter:
      sink(next, chunk(member + n - step));
      break;
    case CollectiveType::AllGather:
      sink(next, chunk(member + n - step));
      break;
    case CollectiveType::Barrier:
      sink(next, Bytes{});
      break;
    // After k steps a block for the member at distance d still has d-k hops to go: n-1-step blocks travel.
    case CollectiveType::AllToAll: {
      Bytes travelling;
      for (std::uint32_t distance = step + 1; distance < n; ++distance)
        travelling += chunk(member + n - step + distance);
      sink(next, travelling);
      break;
    }
    // Member 0 starts; step k is the hop from member k to k+1.
    case CollectiveType::Broadcast:
      if (member == step) sink(next, call.bytes);
      break;
    // The partial sum travels from member 1 round to member 0.
    case CollectiveType::Reduce:
      if (member == step + 1) sink(next, call.bytes);
      break;
    // What members further on have to get, or what members before have given, travels together.
    case CollectiveType::Scatter:
      if (member == step) {
        Bytes rest;
        for (std::uint32_t m = step + 1; m < n; ++m)
          rest += chunk(m);
        sink(next, rest);
      }
      break;
    case CollectiveType::Gather:
      if (member == step + 1) {
        Bytes sum;
        for (std::uint32_t m = 1; m <= member; ++m)
          sum += chunk(m);
        sink(next, sum);
      }
      break;
    }
  }

  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    switch (call.type) {
    case CollectiveType::Broadcast:
    case CollectiveType::Scatter:
      return member == step + 1 ? 1 : 0;
    case CollectiveType::Reduce:
    case CollectiveType::Gather:
      return member == (step + 2) % call.members ? 1 : 0;
    default:
      return 1;
    }
  }
};

} // namespace triosim::collective
