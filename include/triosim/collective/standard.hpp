#pragma once

#include "triosim/collective/direct.hpp"
#include "triosim/collective/ring.hpp"

#include <cstdint>

namespace triosim::collective {

/// What a library such as NCCL does with large buffers: rings for all-reduce, all-gather and reduce-scatter, direct
/// messages for all-to-all and for what has a root.
struct Standard {
  std::uint32_t steps(const Call& call) const { return rings(call.type) ? Ring{}.steps(call) : Direct{}.steps(call); }
  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    if (rings(call.type))
      Ring{}.sends(call, member, step, sink);
    else
      Direct{}.sends(call, member, step, sink);
  }
  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    return rings(call.type) ? Ring{}.receives(call, member, step) : Direct{}.receives(call, member, step);
  }
  /// Whether arrivals of this call come from one peer only, in the order of the steps.
  static bool in_order(const Call& call) { return rings(call.type) || Direct{}.steps(call) == 1; }

 private:
  static bool rings(CollectiveType type) {
    return type == CollectiveType::AllReduce || type == CollectiveType::AllGather ||
           type == CollectiveType::ReduceScatter || type == CollectiveType::Barrier;
  }
};

/// The algorithms by which a network's collectives become messages: its own `Collectives` if it names some.
template <class Net>
struct AlgorithmOf {
  using type = Standard;
};
template <class Net>
requires requires {
  typename Net::Collectives;
}
struct AlgorithmOf<Net> {
  using type = typename Net::Collectives;
};

} // namespace triosim::collective
