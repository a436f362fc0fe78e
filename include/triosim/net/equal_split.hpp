#pragma once

#include "triosim/net/flow_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace triosim::net {

/// The published TrioSim's sharing: a link of capacity C that carries k flows gives each C/k, and a flow has
/// the least of what its links give it:
///     x_f = min over the links l of f of C_l / k_l.
/// What a flow cannot use on a link is left unused, so this is never faster than MaxMin.
///
/// Cost: O(hops of the flows that share a link with what changed) for a commit; no allocation in the steady state.
class EqualSplit {
 public:
  using LinkIndex = std::uint32_t;

  EqualSplit() = default;
  /// Each capacity is finite and zero or more, in bytes per second.
  explicit EqualSplit(std::span<const double> capacities) : table_{capacities.size()} {
    links_.reserve(capacities.size());
    for (const double capacity : capacities)
      links_.push_back({capacity, capacity, false});
  }

  /// A new flow over the links of `route` (not empty, none twice). It has no rate until the next commit.
  FlowId add(std::span<const LinkIndex> route) {
    const FlowId flow = table_.add(route);
    if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
    flows_[flow] = {};
    new_.push_back(flow);
    for (const LinkIndex link : route)
      touch(link);
    return flow;
  }

  /// The rates of the others stay as they were until the next commit.
  void remove(FlowId flow) {
    for (const FlowTable::Hop& hop : table_.route(flow))
      touch(hop.link);
    table_.remove(flow);
  }

  /// Takes effect with the next commit.
  void set_capacity(LinkIndex link, double capacity) {
    links_[link].capacity = capacity;
    touch(link);
  }

  void commit() {
    ++commits_;
    changed_.clear();
    // A flow followed by another leaves the shares as they were: then only the newcomer has to be looked at.
    std::size_t unlike = 0;
    for (const LinkIndex index : touched_) {
      Link& link = links_[index];
      link.touched = false;
      const std::size_t flows = table_.flows_on(index).size();
      const double share = flows == 0 ? link.capacity : link.capacity / static_cast<double>(flows);
      if (share == link.share) continue;
      link.share = share;
      touched_[unlike++] = index;
    }
    for (const FlowId flow : new_)
      if (!table_.route(flow).empty()) update(flow);
    for (std::size_t i = 0; i < unlike; ++i)
      for (const FlowTable::Member& member : table_.flows_on(touched_[i]))
        update(member.flow);
    touched_.clear();
    new_.clear();
  }

  /// Bytes per second, as of the last commit.
  double rate(FlowId flow) const { return flows_[flow].rate; }
  /// The flows whose rate the last commit changed or set, each once.
  std::span<const FlowId> changed() const noexcept { return changed_; }

  const FlowTable& table() const noexcept { return table_; }
  double capacity(LinkIndex link) const { return links_[link].capacity; }

 private:
  struct Link {
    double capacity;
    double share; // of each flow on it, as of the last commit
    bool touched;
  };
  struct Flow {
    double rate = 0;
    std::uint32_t updated = 0; // the commit that looked at it last
  };

  void touch(LinkIndex index) {
    Link& link = links_[index];
    if (link.touched) return;
    link.touched = true;
    touched_.push_back(index);
  }

  void update(FlowId id) {
    Flow& flow = flows_[id];
    if (flow.updated == commits_) return;
    flow.updated = commits_;
    double rate = std::numeric_limits<double>::infinity();
    for (const FlowTable::Hop& hop : table_.route(id))
      rate = std::min(rate, links_[hop.link].share);
    if (rate == flow.rate) return;
    flow.rate = rate;
    changed_.push_back(id);
  }

  FlowTable table_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<LinkIndex> touched_;
  std::vector<FlowId> new_; // since the last commit; some may have gone again
  std::vector<FlowId> changed_;
  std::uint32_t commits_ = 0;
};

} // namespace triosim::net
