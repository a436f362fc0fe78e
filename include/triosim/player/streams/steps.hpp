#pragma once

#include "triosim/player/streams/plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace triosim::player::streams {

/// Who sends what to whom in a phase, packet by packet, seen from the member at `place` of `phase.size`. Packet numbers
/// count from 0. A slot tells apart whom a member receives from.
class Steps {
 public:
  Steps(const Phase& phase, std::uint32_t place, bool clockwise) noexcept
      : phase_{phase}, place_{place}, clockwise_{clockwise} {}

  /// Packets that each member sends.
  std::uint32_t packets() const noexcept {
    const std::uint32_t n = phase_.size;
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return static_cast<std::uint32_t>(std::countr_zero(n)) * (phase_.type == CollectiveType::AllReduce ? 2u : 1u);
    case Implementation::Kind::Direct:
      return phase_.type == CollectiveType::AllReduce ? 2 * (n - 1) : n - 1;
    default:
      return phase_.type == CollectiveType::AllReduce  ? 2 * (n - 1)
             : phase_.type == CollectiveType::AllToAll ? n * (n - 1) / 2
                                                       : n - 1;
    }
  }
  /// Packets on their way at once.
  std::uint32_t window() const noexcept {
    if (phase_.how.kind != Implementation::Kind::Direct) return 1;
    return phase_.how.window == 0 ? phase_.size - 1 : std::min(phase_.how.window, phase_.size - 1);
  }
  /// After a run of `window()` receptions that are not reduced, this many that may be.
  std::uint32_t reduced_run() const noexcept {
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return static_cast<std::uint32_t>(std::countr_zero(phase_.size)) - 1;
    case Implementation::Kind::Direct:
      return window();
    default:
      return phase_.size - 1;
    }
  }

  std::uint32_t to(std::uint32_t packet) const noexcept {
    const std::uint32_t n = phase_.size;
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return place_ ^ distance(packet);
    case Implementation::Kind::Direct:
      return (place_ + 1 + packet % (n - 1)) % n;
    default:
      return (place_ + (clockwise_ ? 1 : n - 1)) % n;
    }
  }
  std::uint32_t from(std::uint32_t packet) const noexcept {
    const std::uint32_t n = phase_.size;
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return place_ ^ distance(packet);
    case Implementation::Kind::Direct:
      return (place_ + n - 1 - packet % (n - 1)) % n;
    default:
      return (place_ + (clockwise_ ? n - 1 : 1)) % n;
    }
  }
  std::int64_t bytes(std::uint32_t packet) const noexcept {
    const std::int64_t first = phase_.message();
    if (phase_.how.kind != Implementation::Kind::HalvingDoubling) return first;
    if (phase_.type == CollectiveType::AllGather) return first << packet;
    const auto levels = static_cast<std::uint32_t>(std::countr_zero(phase_.size));
    if (packet < levels) return first >> packet;
    // On the way back sizes double from where they were halved to.
    return (first >> levels) << (packet - levels + 1);
  }

  std::uint32_t slots() const noexcept {
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return static_cast<std::uint32_t>(std::countr_zero(phase_.size));
    case Implementation::Kind::Direct:
      return phase_.size;
    case Implementation::Kind::DoubleBinaryTree:
      return 3;
    default:
      return 1;
    }
  }
  /// Of what comes from the member at `sender`.
  std::uint32_t slot(std::uint32_t sender) const noexcept {
    switch (phase_.how.kind) {
    case Implementation::Kind::HalvingDoubling:
      return static_cast<std::uint32_t>(std::countr_zero(place_ ^ sender));
    case Implementation::Kind::Direct:
      return sender;
    default:
      return 0;
    }
  }

 private:
  std::uint32_t distance(std::uint32_t packet) const noexcept {
    const auto levels = static_cast<std::uint32_t>(std::countr_zero(phase_.size));
    const bool falls = phase_.type == CollectiveType::AllGather || packet >= levels;
    const std::uint32_t level = packet % levels;
    return falls ? phase_.size >> (level + 1) : 1u << level;
  }

  const Phase& phase_;
  std::uint32_t place_;
  bool clockwise_;
};

/// A member's place in one of the two trees of a double binary tree over 2^k members, numbered in order: the root, at
/// one end, has one child, a full tree of the others.
struct TreePlace {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint32_t parent = none, left = none, right = none;

  TreePlace(std::uint32_t place, std::uint32_t members, bool root_is_last) {
    const std::uint32_t root = root_is_last ? members - 1 : 0;
    const std::uint32_t base = root_is_last ? 0 : 1; // of the full tree, members - 1 in order
    const std::uint32_t top = members / 2 - 1;       // its root
    if (place == root) {
      left = base + top;
      return;
    }
    const std::uint32_t x = place - base + 1; // from 1: the lowest bit tells the height
    const std::uint32_t low = x & (~x + 1);
    if (low > 1) {
      left = base + x - low / 2 - 1;
      right = base + x + low / 2 - 1;
    }
    if (x == members / 2) {
      parent = root;
    } else {
      const std::uint32_t up = (x & (low << 1)) != 0 ? x - low : x + low;
      parent = base + up - 1;
    }
  }
};

} // namespace triosim::player::streams
