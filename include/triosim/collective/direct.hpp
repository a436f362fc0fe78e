#pragma once

#include "triosim/collective/algorithm.hpp"

#include <algorithm>
#include <cstdint>

namespace triosim::collective {

/// Everybody sends to everybody at once: one step (two for an all-reduce), which a fully connected machine or a switch
/// carries well. Rooted collectives go straight from or to member 0.
struct Direct {
  std::uint32_t steps(const Call& call) const {
    if (call.members == 1) return 0;
    return call.type == CollectiveType::AllReduce ? 2 : 1;
  }

  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    const std::uint32_t n = call.members;
    const auto to_all = [&](auto&& bytes_for) {
      for (std::uint32_t distance = 1; distance < n; ++distance)
        sink((member + distance) % n, bytes_for((member + distance) % n));
    };
    const auto share_of = [&](std::uint32_t peer) { return piece(call.bytes, n, peer); };
    switch (call.type) {
    case CollectiveType::AllReduce:
      if (step == 0)
        to_all(share_of);
      else
        to_all([&](std::uint32_t) { return share_of(member); });
      break;
    case CollectiveType::ReduceScatter:
    case CollectiveType::AllToAll:
      to_all(share_of);
      break;
    case CollectiveType::AllGather:
      to_all([&](std::uint32_t) { return share_of(member); });
      break;
    case CollectiveType::Barrier:
      to_all([](std::uint32_t) { return Bytes{}; });
      break;
    case CollectiveType::Broadcast:
      if (member == 0) to_all([&](std::uint32_t) { return call.bytes; });
      break;
    case CollectiveType::Scatter:
      if (member == 0) to_all(share_of);
      break;
    case CollectiveType::Reduce:
      if (member != 0) sink(0, call.bytes);
      break;
    case CollectiveType::Gather:
      if (member != 0) sink(0, share_of(member));
      break;
    }
  }

  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t) const {
    switch (call.type) {
    case CollectiveType::Broadcast:
    case CollectiveType::Scatter:
      return member == 0 ? 0 : 1;
    case CollectiveType::Reduce:
    case CollectiveType::Gather:
      return member == 0 ? call.members - 1 : 0;
    default:
      return call.members - 1;
    }
  }
};

/// The same in rounds of `window` messages a member at most, for machines that a storm of messages would choke; 0 is
/// all at once.
struct DirectOver {
  std::uint32_t window = 0;

  std::uint32_t steps(const Call& call) const {
    if (!in_rounds(call)) return Direct{}.steps(call);
    return rounds(call) * (call.type == CollectiveType::AllReduce ? 2u : 1u);
  }
  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    if (!in_rounds(call)) return Direct{}.sends(call, member, step, sink);
    const std::uint32_t n = call.members, round = step % rounds(call);
    Direct{}.sends(call, member, step / rounds(call), [&](std::uint32_t peer, Bytes bytes) {
      if ((peer + n - member - 1) % n / window == round) sink(peer, bytes);
    });
  }
  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    if (!in_rounds(call)) return Direct{}.receives(call, member, step);
    const std::uint32_t round = step % rounds(call);
    return std::min(window, call.members - 1 - round * window);
  }

 private:
  // What has a root is one step all the same.
  bool in_rounds(const Call& call) const {
    const bool from_all = call.type == CollectiveType::AllReduce || call.type == CollectiveType::AllGather ||
                          call.type == CollectiveType::ReduceScatter || call.type == CollectiveType::AllToAll ||
                          call.type == CollectiveType::Barrier;
    return window != 0 && call.members > 1 && from_all;
  }
  std::uint32_t rounds(const Call& call) const { return (call.members - 1 + window - 1) / window; }
};

} // namespace triosim::collective
