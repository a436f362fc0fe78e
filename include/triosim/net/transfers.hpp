#pragma once

#include "triosim/net/flow_table.hpp"
#include "triosim/net/indexed_heap.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triosim::net {

/// Bytes under way on links that are shared by some rule: how many of each flow are left, and when it will be done.
/// `Sharing` gives the rates (MaxMin, EqualSplit).
///
/// A flow's bytes are brought up to date only when its rate changes:
///     left -= rate * (now - since);   since = now;   finish = now + left / rate
/// and its place in the queue of finish times only when that moves earlier; one that moves later is found out when it
/// comes to the top.
///
/// All changes of an instant are gathered and take effect with one `commit`.
template <class Sharing>
class Transfers {
 public:
  Transfers() = default;
  explicit Transfers(Sharing sharing) : sharing_{std::move(sharing)} {}

  /// Takes its share from the next commit on, which is at `now`. Not empty, `route` neither.
  FlowId start(std::span<const std::uint32_t> route, Bytes bytes) {
    const FlowId flow = sharing_.add(route);
    if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
    flows_[flow] = {static_cast<double>(bytes.count()), 0, Time{}, Time::infinity(), sequence_++};
    dirty_ = true;
    return flow;
  }

  /// Changes what a link carries, from the next commit on.
  void set_capacity(std::uint32_t link, Bandwidth bandwidth) {
    sharing_.set_capacity(link, bandwidth.bytes_per_second());
    dirty_ = true;
  }

  /// Shares the links anew. Call it once for each instant at which something started, finished or changed.
  void commit(Time now) {
    if (!dirty_) return;
    dirty_ = false;
    sharing_.commit();
    for (const FlowId id : sharing_.changed()) {
      Flow& flow = flows_[id];
      flow.left = std::max(0.0, flow.left - flow.rate * seconds(now - flow.since));
      flow.since = now;
      flow.rate = sharing_.rate(id);
      const double picoseconds = flow.left > 0 ? flow.left / flow.rate * 1e12 : 0;
      if (!(picoseconds < 9e18 - static_cast<double>(now.picoseconds()))) {
        flow.finish = Time::infinity();
        queue_.erase(id);
        continue;
      }
      flow.finish = now + Time{std::llround(picoseconds)};
      const Key key{flow.finish, flow.sequence};
      if (!queue_.contains(id) || key < queue_.key(id)) queue_.set(id, key);
    }
  }

  /// When the next flow is done if nothing changes; `Time::infinity()` if none ever is.
  Time next_finish() {
    while (!queue_.empty()) {
      const auto& top = queue_.top();
      const Flow& flow = flows_[top.id];
      if (flow.finish == top.key.finish) return flow.finish;
      queue_.set(top.id, {flow.finish, flow.sequence});
    }
    return Time::infinity();
  }

  /// Takes out the flows that are done at `now`, in the order in which they were started, and calls `done(flow)` for
  /// each.
  template <class Done>
  void finish(Time now, Done&& done) {
    while (next_finish() <= now) {
      const FlowId flow = queue_.pop().id;
      sharing_.remove(flow);
      dirty_ = true;
      done(flow);
    }
  }

  /// Something has changed that the rates do not show yet.
  bool dirty() const noexcept { return dirty_; }
  /// Flows under way.
  std::size_t size() const noexcept { return sharing_.table().size(); }
  const Sharing& sharing() const noexcept { return sharing_; }

 private:
  struct Flow {
    double left = 0; // bytes, at `since`
    double rate = 0; // bytes per second
    Time since;
    Time finish;
    std::uint64_t sequence = 0;
  };
  struct Key {
    Time finish;
    std::uint64_t sequence;
    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.finish != b.finish ? a.finish < b.finish : a.sequence < b.sequence;
    }
  };

  static double seconds(Time time) noexcept { return static_cast<double>(time.picoseconds()) * 1e-12; }

  Sharing sharing_;
  std::vector<Flow> flows_;
  IndexedHeap<Key> queue_; // by finish; a key may be too early, never too late
  std::uint64_t sequence_ = 0;
  bool dirty_ = false;
};

} // namespace triosim::net
