#pragma once

#include "triosim/collective/algorithm.hpp"
#include "triosim/collective/direct.hpp"
#include "triosim/collective/ring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace triosim::collective {

/// Recursive halving, then doubling (Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations
/// in MPICH", IJHPCA 2005): log2 N steps each way with buffers that halve, the same bytes as a ring and far fewer
/// steps. Of N members that are no power of two, those beyond the last one first hand their buffers to a partner and
/// get the result back: two steps and 2 S bytes more for these. A barrier is log2 N rounds (dissemination).
///
/// All-gather and reduce-scatter of other numbers than powers of two go by rings, all-to-all and what has a root
/// directly.
struct HalvingDoubling {
  std::uint32_t steps(const Call& call) const {
    const Shape shape{call.members};
    switch (call.type) {
    case CollectiveType::AllReduce:
      return 2 * shape.levels + (shape.extra != 0 ? 2u : 0u);
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
      return shape.extra == 0 ? shape.levels : Ring{}.steps(call);
    case CollectiveType::Barrier:
      return shape.levels + (shape.extra != 0 ? 1u : 0u);
    default:
      return Direct{}.steps(call);
    }
  }

  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    const Shape shape{call.members};
    switch (call.type) {
    case CollectiveType::AllReduce: {
      const bool folded = shape.extra != 0;
      if (folded && step == 0) {
        if (member >= shape.power) sink(member - shape.power, call.bytes);
        return;
      }
      const std::uint32_t at = step - (folded ? 1u : 0u);
      if (folded && at == 2 * shape.levels) {
        if (member < shape.extra) sink(member + shape.power, call.bytes);
        return;
      }
      if (member >= shape.power) return;
      if (at < shape.levels)
        halve(call.bytes, shape, member, at, sink);
      else
        twice(call.bytes, shape, member, at - shape.levels, sink);
      return;
    }
    case CollectiveType::ReduceScatter:
      if (shape.extra != 0) return Ring{}.sends(call, member, step, sink);
      return halve(call.bytes, shape, member, step, sink);
    case CollectiveType::AllGather:
      if (shape.extra != 0) return Ring{}.sends(call, member, step, sink);
      return twice(call.bytes, shape, member, step, sink);
    case CollectiveType::Barrier:
      sink((member + (1u << step)) % call.members, Bytes{});
      return;
    default:
      Direct{}.sends(call, member, step, sink);
    }
  }

  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    const Shape shape{call.members};
    switch (call.type) {
    case CollectiveType::AllReduce:
      if (shape.extra != 0 && step == 0) return member < shape.extra ? 1 : 0;
      if (shape.extra != 0 && step + 1 == steps(call)) return member >= shape.power ? 1 : 0;
      return member < shape.power ? 1 : 0;
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
    case CollectiveType::Barrier:
      return 1;
    default:
      return Direct{}.receives(call, member, step);
    }
  }

 private:
  struct Shape {
    std::uint32_t power, levels, extra;
    explicit Shape(std::uint32_t members)
        : power{std::bit_floor(members)}, levels{static_cast<std::uint32_t>(std::countr_zero(power))}, extra{members -
                                                                                                             power} {}
  };

  /// Bytes of `count` of the `parts` pieces from `first` on.
  static Bytes span(Bytes whole, std::uint32_t parts, std::uint32_t first, std::uint32_t count) {
    const auto until = [&](std::uint64_t piece) {
      return whole.count() / parts * piece + std::min<std::uint64_t>(piece, whole.count() % parts);
    };
    return Bytes{until(std::uint64_t{first} + count) - until(first)};
  }
  template <class Sink>
  static void halve(Bytes bytes, const Shape& shape, std::uint32_t member, std::uint32_t step, Sink&& sink) {
    const std::uint32_t distance = shape.power >> (step + 1), peer = member ^ distance;
    sink(peer, span(bytes, shape.power, peer & ~(distance - 1), distance));
  }
  template <class Sink>
  static void twice(Bytes bytes, const Shape& shape, std::uint32_t member, std::uint32_t step, Sink&& sink) {
    const std::uint32_t distance = 1u << step;
    sink(member ^ distance, span(bytes, shape.power, member & ~(distance - 1), distance));
  }
};

} // namespace triosim::collective
