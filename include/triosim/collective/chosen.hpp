#pragma once

#include "triosim/collective/direct.hpp"
#include "triosim/collective/double_binary_tree.hpp"
#include "triosim/collective/halving_doubling.hpp"
#include "triosim/collective/hierarchical.hpp"
#include "triosim/collective/standard.hpp"

#include <cstdint>
#include <utility>

namespace triosim::collective {

/// An algorithm that is known when the program runs, for those who read its name from a file.
struct Chosen {
  enum class Kind : std::uint8_t { Standard, Direct, HalvingDoubling, DoubleBinaryTree, Hierarchical };

  Kind kind = Kind::Standard;
  std::uint32_t window = 0; ///< of Direct; 0: all at once
  std::uint32_t island = 8; ///< of Hierarchical

 private:
  template <class Use>
  decltype(auto) with(Use&& use) const {
    switch (kind) {
    case Kind::Direct:
      return use(DirectOver{window});
    case Kind::HalvingDoubling:
      return use(HalvingDoubling{});
    case Kind::DoubleBinaryTree:
      return use(DoubleBinaryTree{});
    case Kind::Hierarchical:
      return use(Hierarchical{island});
    default:
      return use(Standard{});
    }
  }

 public:
  std::uint32_t steps(const Call& call) const {
    return with([&](const auto& algorithm) { return algorithm.steps(call); });
  }
  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    with([&](const auto& algorithm) { algorithm.sends(call, member, step, sink); });
  }
  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    return with([&](const auto& algorithm) { return algorithm.receives(call, member, step); });
  }
};

} // namespace triosim::collective
