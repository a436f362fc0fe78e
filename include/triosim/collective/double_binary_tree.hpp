#pragma once

#include "triosim/collective/algorithm.hpp"
#include "triosim/collective/standard.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace triosim::collective {

/// Two binary trees of which each carries half of the buffer, in chunks that follow each other up one tree and down
/// again (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
/// Computing 2009; NCCL's trees since 2.4): log2 N steps of latency, full bandwidth. Nobody is an inner node of both
/// trees: the second is the first with the members mirrored (N even) or shifted by one (N odd).
///
/// All-reduce, broadcast and reduce; everything else as Standard.
struct DoubleBinaryTree {
  std::uint32_t steps(const Call& call) const {
    if (!in_trees(call)) return Standard{}.steps(call);
    const std::uint32_t height = height_of(0, call.members), chunks = chunks_of(call);
    // The last chunk is at the root `height` steps after it began, and at the lowest leaf as many later.
    if (call.type == CollectiveType::Reduce) return chunks + height - 1;
    const std::uint32_t down = chunks + depth_of_all(call.members) - 1;
    return call.type == CollectiveType::Broadcast ? down : down + height;
  }

  template <class Sink>
  void sends(const Call& call, std::uint32_t member, std::uint32_t step, Sink&& sink) const {
    if (!in_trees(call)) return Standard{}.sends(call, member, step, sink);
    for (std::uint32_t tree = 0; tree < 2; ++tree) {
      const std::uint32_t n = call.members, at = place(call, member, tree);
      if (const auto chunk = up_chunk(call, at, step); chunk < chunks_of(call) && at != 0)
        sink(member_at(call, parent(at, n), tree), bytes_of(call, tree, chunk));
      if (const auto chunk = down_chunk(call, at, step); chunk < chunks_of(call))
        each_child(at, n,
                   [&](std::uint32_t child) { sink(member_at(call, child, tree), bytes_of(call, tree, chunk)); });
    }
  }

  std::uint32_t receives(const Call& call, std::uint32_t member, std::uint32_t step) const {
    if (!in_trees(call)) return Standard{}.receives(call, member, step);
    std::uint32_t count = 0;
    for (std::uint32_t tree = 0; tree < 2; ++tree) {
      const std::uint32_t n = call.members, at = place(call, member, tree);
      each_child(at, n, [&](std::uint32_t child) { count += up_chunk(call, child, step) < chunks_of(call) ? 1u : 0u; });
      if (at != 0) count += down_chunk(call, parent(at, n), step) < chunks_of(call) ? 1u : 0u;
    }
    return count;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  static bool in_trees(const Call& call) {
    return call.members > 1 && (call.type == CollectiveType::AllReduce || call.type == CollectiveType::Broadcast ||
                                call.type == CollectiveType::Reduce);
  }
  /// Of each tree; pieces of some 128 KiB.
  static std::uint32_t chunks_of(const Call& call) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(call.bytes.count() >> 18, 1, 32));
  }
  static Bytes bytes_of(const Call& call, std::uint32_t tree, std::uint32_t chunk) {
    return piece(piece(call.bytes, 2, tree), chunks_of(call), chunk);
  }

  // What has a root has member 0 at the root of both trees.
  static std::uint32_t place(const Call& call, std::uint32_t member, std::uint32_t tree) {
    const std::uint32_t n = call.members;
    if (tree == 0) return member;
    if (call.type != CollectiveType::AllReduce) return member == 0 ? 0 : n - member;
    return n % 2 == 0 ? n - 1 - member : (member + n - 1) % n;
  }
  static std::uint32_t member_at(const Call& call, std::uint32_t at, std::uint32_t tree) {
    const std::uint32_t n = call.members;
    if (tree == 0) return at;
    if (call.type != CollectiveType::AllReduce) return at == 0 ? 0 : n - at;
    return n % 2 == 0 ? n - 1 - at : (at + 1) % n;
  }

  // An in-order tree over any number of places: 0 is the root with one child, and the height of another is the number
  // of zeros at the end of its number.
  static std::uint32_t height_of(std::uint32_t at, std::uint32_t n) {
    return at == 0 ? static_cast<std::uint32_t>(std::bit_width(n - 1))
                   : static_cast<std::uint32_t>(std::countr_zero(at));
  }
  static std::uint32_t parent(std::uint32_t at, std::uint32_t n) {
    const std::uint32_t bit = at & (~at + 1), up = (at ^ bit) | (bit << 1);
    return up >= n ? at ^ bit : up;
  }
  template <class Visit>
  static void each_child(std::uint32_t at, std::uint32_t n, Visit&& visit) {
    if (at == 0) {
      if (n > 1) visit(std::bit_floor(n - 1));
      return;
    }
    const std::uint32_t low = (at & (~at + 1)) >> 1;
    if (low == 0) return;
    visit(at - low);
    for (std::uint32_t step = low; step != 0; step >>= 1)
      if (at + step < n) {
        visit(at + step);
        return;
      }
  }
  static std::uint32_t depth(std::uint32_t at, std::uint32_t n) {
    std::uint32_t depth = 0;
    for (; at != 0; at = parent(at, n))
      ++depth;
    return depth;
  }
  /// No place is deeper: one below the root, then as many levels as its child is high.
  static std::uint32_t depth_of_all(std::uint32_t n) { return n < 2 ? 0 : 1 + height_of(std::bit_floor(n - 1), n); }

  /// Which chunk a place hands up (or down) in a step; a number that is no chunk where it hands nothing.
  static std::uint32_t up_chunk(const Call& call, std::uint32_t at, std::uint32_t step) {
    if (call.type == CollectiveType::Broadcast) return none;
    const std::uint32_t height = height_of(at, call.members);
    return step >= height ? step - height : none;
  }
  static std::uint32_t down_chunk(const Call& call, std::uint32_t at, std::uint32_t step) {
    if (call.type == CollectiveType::Reduce) return none;
    const std::uint32_t after =
        depth(at, call.members) + (call.type == CollectiveType::AllReduce ? height_of(0, call.members) : 0);
    return step >= after ? step - after : none;
  }
};

} // namespace triosim::collective
