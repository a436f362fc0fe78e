#pragma once

#include "triosim/net/flow_table.hpp"
#include "triosim/net/indexed_heap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace triosim::net {

/// Max-min fair rates of flows over links, kept up to date at the cost of what changes.
///
/// Given
///     C_l     capacity of link l, bytes per second
///     R_f     route of flow f: a set of links, not empty
/// the rates x_f >= 0 are the only ones for which
///     (1)  for each link l:  sum over the flows f on l of x_f <= C_l, and
///     (2)  for each flow f there is a link b_f in R_f, its bottleneck, that is full (equality in (1)) and on which no
///          flow is faster than f.
/// So the flows whose bottleneck is l all have the same rate, the *level* of l,
///     (3)  L_l = (C_l - S_l) / T_l,
///     S_l     sum of the rates of the flows on l that some other link holds back (settled)
///     T_l     number of the flows on l that would take whatever l gives them (takers).
///
/// Progressive filling raises the water until a link is full, settles the flows on it, and goes on. `commit` does so
/// too, but only where a change reaches. A flow keeps its rate unless (2) is contradicted:
///   * a link whose (3) came out above its level holds its flows back no longer. They are *opened*: until they are
///     settled they count as takers on all of their links;
///   * a link whose (3) is below the rate of flows that are settled elsewhere takes them over.
/// Links are settled in the order of (3), lowest first. Opening adds to T_l what was in S_l, so (3) as computed here is
/// never above the level that l ends up with, and never below the water; so nothing that has been settled in this
/// commit is contradicted later, and each link is looked at a few times at most.
/// Should more flows have been opened or moved than there are twice over (rounding in a pathological case), all of them
/// are solved from nothing. Giving up earlier does not pay: with everything affected the local way is still faster.
///
/// Bertsekas and Gallager, "Data Networks", 2nd edition, section 6.5.2, for (1), (2) and progressive filling; the same
/// system as SimGrid's lmm solver, which re-solves the connected component of what changed.
///
/// Cost: O(k log k) for a commit that touches k hops; no allocation in the steady state.
class MaxMin {
 public:
  using LinkIndex = std::uint32_t;

  MaxMin() = default;
  /// Each capacity is finite and zero or more, in bytes per second.
  explicit MaxMin(std::span<const double> capacities) : table_{capacities.size()} {
    links_.reserve(capacities.size());
    for (const double capacity : capacities)
      links_.push_back({capacity, 0, none_held, 0, 0, false});
  }

  /// A new flow over the links of `route` (not empty, none twice). It has no rate until the next commit.
  FlowId add(std::span<const LinkIndex> route) {
    const FlowId flow = table_.add(route);
    if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
    flows_[flow] = {0, open, commits_};
    for (const LinkIndex link : route) {
      ++links_[link].takers;
      touch(link);
    }
    return flow;
  }

  /// The rates of the others stay as they were until the next commit.
  void remove(FlowId flow) {
    const Flow& state = flows_[flow];
    for (const FlowTable::Hop& hop : table_.route(flow)) {
      Link& link = links_[hop.link];
      if (state.bottleneck == open) {
        --link.takers;
      } else if (state.bottleneck == hop.link) {
        --link.takers;
        if (--link.held == 0) link.level = none_held;
      } else {
        link.settled -= state.rate;
      }
      touch(hop.link);
    }
    table_.remove(flow);
  }

  /// Takes effect with the next commit.
  void set_capacity(LinkIndex link, double capacity) {
    links_[link].capacity = capacity;
    touch(link);
  }

  /// Makes the rates max-min fair again.
  void commit() {
    ++commits_;
    changed_.clear();
    moved_ = 0;
    const std::size_t limit = 2 * table_.size() + 64;
    refresh();
    while (!heap_.empty()) {
      if (moved_ > limit) {
        solve_all();
        return;
      }
      settle_lowest();
      refresh();
    }
  }

  /// Bytes per second, as of the last commit.
  double rate(FlowId flow) const { return flows_[flow].rate; }
  /// The link that holds the flow back, as of the last commit.
  LinkIndex bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }
  /// The flows whose rate the last commit changed or set, each once.
  std::span<const FlowId> changed() const noexcept { return changed_; }

  const FlowTable& table() const noexcept { return table_; }
  double capacity(LinkIndex link) const { return links_[link].capacity; }

 private:
  struct Link {
    double capacity;
    double settled;       // S: sum of the rates of the flows that other links hold back
    double level;         // rate of the flows held back here; none_held if there is none
    std::uint32_t takers; // T: flows held back here, and open ones
    std::uint32_t held;   // flows held back here
    bool touched;
  };
  struct Flow {
    double rate = 0;
    LinkIndex bottleneck = open;
    std::uint32_t reported = 0; // the commit that put it into changed_ last
  };

  static constexpr LinkIndex open = 0xFFFFFFFF;
  static constexpr double none_held = std::numeric_limits<double>::infinity();

  // What rounding may do to a level: it must not start an avalanche of changes that are none.
  static double tolerance(const Link& link, double level) noexcept {
    return 1e-13 * level + 4e-15 * link.capacity / (link.takers + 1);
  }

  void touch(LinkIndex index) {
    Link& link = links_[index];
    if (link.touched) return;
    link.touched = true;
    touched_.push_back(index);
  }

  // Brings the heap up to date with the links that have been touched.
  void refresh() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const LinkIndex index = touched_[i];
      Link& link = links_[index];
      if (link.takers == 0) {
        if (table_.flows_on(index).empty()) link.settled = 0;
        link.touched = false;
        // Flows that were settled elsewhere may be too many here once the last taker has gone.
        if (link.settled > link.capacity * (1 + 1e-13) && !filling_) {
          heap_.set(index, 0);
        } else {
          heap_.erase(index);
        }
        continue;
      }
      const double key = std::max(0.0, link.capacity - link.settled) / link.takers;
      if (link.held > 0 && !filling_ && key > link.level + tolerance(link, link.level)) open_flows_of(index);
      link.touched = false;
      if (link.takers > link.held || key < link.level - tolerance(link, link.level)) {
        heap_.set(index, key);
      } else {
        heap_.erase(index);
      }
    }
    touched_.clear();
  }

  // The link holds its flows back no longer. It counts as touched, so this does not touch it.
  void open_flows_of(LinkIndex index) {
    for (const FlowTable::Member& member : table_.flows_on(index)) {
      Flow& flow = flows_[member.flow];
      if (flow.bottleneck != index) continue;
      flow.bottleneck = open;
      ++moved_;
      for (const FlowTable::Hop& hop : table_.route(member.flow)) {
        if (hop.link == index) continue;
        Link& other = links_[hop.link];
        other.settled -= flow.rate;
        ++other.takers;
        touch(hop.link);
      }
    }
    links_[index].held = 0;
    links_[index].level = none_held;
  }

  // Settles the flows of the link at the top of the heap.
  void settle_lowest() {
    const auto [key, index] = heap_.pop();
    Link& link = links_[index];
    const std::span<const FlowTable::Member> members = table_.flows_on(index);

    faster_.clear();
    double settled = 0;
    std::uint32_t takers = 0;
    for (const FlowTable::Member& member : members) {
      const Flow& flow = flows_[member.flow];
      if (flow.bottleneck == open || flow.bottleneck == index) {
        ++takers;
      } else {
        settled += flow.rate;
        if (flow.rate > key && !filling_) faster_.push_back(flow.rate);
      }
    }
    double level = takers == 0 ? 0 : std::max(0.0, link.capacity - settled) / takers;
    if (!faster_.empty()) {
      // Flows that are settled elsewhere, but at more than their share here: fastest first, until none is.
      std::sort(faster_.begin(), faster_.end(), std::greater<>{});
      for (const double rate : faster_) {
        if (rate <= level) break;
        settled -= rate;
        level = std::max(0.0, link.capacity - settled) / ++takers;
      }
      if (!heap_.empty() && level > heap_.top().key && level > key + tolerance(link, key)) {
        heap_.set(index, level);
        return;
      }
    }
    const double slack = tolerance(link, level);
    if (link.held > 0 && level >= link.level - slack && level <= link.level + slack) level = link.level;

    settled = 0;
    takers = 0;
    for (const FlowTable::Member& member : members) {
      Flow& flow = flows_[member.flow];
      const bool elsewhere = flow.bottleneck != open && flow.bottleneck != index;
      if (elsewhere && (filling_ || flow.rate <= level + slack)) {
        settled += flow.rate;
        continue;
      }
      ++takers;
      settle(member.flow, index, level, slack);
    }
    link.settled = settled;
    link.takers = takers;
    link.held = takers;
    link.level = level;
  }

  // The flow is held back by link `index` at `level` from here on.
  void settle(FlowId id, LinkIndex index, double level, double slack) {
    Flow& flow = flows_[id];
    const LinkIndex before = flow.bottleneck;
    const double rate_before = flow.rate;
    const bool same = rate_before >= level - slack && rate_before <= level + slack && rate_before > 0;
    const double rate = same ? rate_before : level;
    if (before == index && same) return;
    flow.bottleneck = index;
    flow.rate = rate;
    if (!same) report(id, flow);
    if (before != open) ++moved_;
    for (const FlowTable::Hop& hop : table_.route(id)) {
      if (hop.link == index) continue;
      Link& other = links_[hop.link];
      if (before == open) {
        --other.takers;
        other.settled += rate;
      } else if (before == hop.link) {
        --other.takers;
        if (--other.held == 0) other.level = none_held;
        other.settled += rate;
      } else {
        other.settled += rate - rate_before;
      }
      touch(hop.link);
    }
  }

  void report(FlowId id, Flow& flow) {
    if (flow.reported == commits_) return;
    flow.reported = commits_;
    changed_.push_back(id);
  }

  // Progressive filling from nothing.
  void solve_all() {
    filling_ = true;
    heap_.clear();
    touched_.clear();
    for (LinkIndex index = 0; index < links_.size(); ++index) {
      Link& link = links_[index];
      const auto members = table_.flows_on(index);
      link.settled = 0;
      link.level = none_held;
      link.takers = static_cast<std::uint32_t>(members.size());
      link.held = 0;
      link.touched = false;
      for (const FlowTable::Member& member : members)
        flows_[member.flow].bottleneck = open;
      if (link.takers > 0) heap_.set(index, link.capacity / link.takers);
    }
    while (!heap_.empty()) {
      settle_lowest();
      refresh();
    }
    filling_ = false;
  }

  FlowTable table_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  IndexedHeap<double> heap_; // links whose level may have to change, by (3)
  std::vector<LinkIndex> touched_;
  std::vector<double> faster_;
  std::vector<FlowId> changed_;
  std::size_t moved_ = 0; // flows opened or taken over in this commit
  std::uint32_t commits_ = 0;
  bool filling_ = false; // solve_all is at work: what is settled stays so
};

} // namespace triosim::net
