#pragma once

#include "triosim/memory/uses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triosim::memory {

/// Where the tensors of each rank are, and in which order those that nobody holds would be evicted. Knows sizes, but
/// nothing of tasks and messages.
///
/// A tensor is absent, coming, or here. It is *saved* while the remote memory has its present content. Somebody may
/// *hold* it, several times over. Those that are here and that nobody holds are in one of two lists, saved and unsaved,
/// least recently used first. One that is *leaving* is in neither, and gives up its room when it has been sent.
class Residence {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  enum class Where : std::uint8_t { Absent, Coming, Here };

  struct Tensor {
    std::uint32_t left = 0; // tasks that have yet to touch it
    std::uint32_t holds = 0;
    std::uint32_t stamp = 0;                 // when it was used last
    TensorIndex before = none, after = none; // in its list; `after` also links what is coming together
    Where where = Where::Absent;
    bool saved = false;
    bool leaving = false;
    bool sending = false;
    bool outdated = false; // it was written to since it has been sent off
  };

  Residence() = default;
  explicit Residence(Uses uses) : uses_{std::move(uses)}, tensors_(uses_.places()), devices_(uses_.ranks()) {
    for (std::uint32_t rank = 0; rank < uses_.ranks(); ++rank)
      for (TensorIndex tensor = 0; tensor < uses_.tensors(rank); ++tensor) {
        at(rank, tensor).left = uses_.count(rank, tensor);
        at(rank, tensor).saved = uses_.persistent(rank, tensor);
      }
  }

  const Uses& uses() const noexcept { return uses_; }
  Tensor& at(std::uint32_t rank, TensorIndex tensor) { return tensors_[uses_.place(rank, tensor)]; }
  std::uint64_t in_use(std::uint32_t rank) const { return devices_[rank].in_use; }
  std::uint64_t peak(std::uint32_t rank) const { return devices_[rank].peak; }
  /// The part of `in_use` that will be free without anybody's doing.
  std::uint64_t leaving(std::uint32_t rank) const { return devices_[rank].leaving; }

  /// Nobody may evict it from now on, and one that is leaving stays.
  void hold(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    if (t.leaving) {
      t.leaving = false;
      devices_[rank].leaving -= uses_.bytes(rank, tensor);
    } else if (listed(t)) {
      unlink(rank, t);
    }
    ++t.holds;
  }
  void let_go(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    --t.holds;
    if (listed(t)) link(rank, tensor);
  }

  /// An absent tensor is given room, with content to come or (`Where::Here`) without.
  void enter(std::uint32_t rank, TensorIndex tensor, Where where) {
    Device& device = devices_[rank];
    at(rank, tensor).where = where;
    device.in_use += uses_.bytes(rank, tensor);
    device.peak = std::max(device.peak, device.in_use);
    if (listed(at(rank, tensor))) link(rank, tensor);
  }
  void came(std::uint32_t rank, TensorIndex tensor) {
    at(rank, tensor).where = Where::Here;
    if (listed(at(rank, tensor))) link(rank, tensor);
  }
  /// Gives up the room of one that is here and that nobody holds.
  void drop(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    devices_[rank].in_use -= uses_.bytes(rank, tensor);
    if (t.leaving)
      devices_[rank].leaving -= uses_.bytes(rank, tensor);
    else
      unlink(rank, t);
    t.leaving = false;
    t.where = Where::Absent;
  }
  /// One that is here and that nobody holds gives up its room as soon as it has been sent.
  void leave(std::uint32_t rank, TensorIndex tensor) {
    unlink(rank, at(rank, tensor));
    at(rank, tensor).leaving = true;
    devices_[rank].leaving += uses_.bytes(rank, tensor);
  }
  /// Somebody wrote to it while holding it.
  void written(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    t.saved = false;
    t.outdated = t.sending;
  }
  void sent(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    const bool in_list = listed(t);
    if (in_list) unlink(rank, t);
    t.saved = !t.outdated;
    t.sending = t.outdated = false;
    if (in_list) link(rank, tensor);
    if (t.leaving) drop(rank, tensor);
  }

  /// The saved tensor that was used least recently; `none` if there is none.
  TensorIndex oldest_saved(std::uint32_t rank) const { return devices_[rank].lists[1].first; }
  /// The one to be evicted next, saved or not. One whose outdated content is on its way cannot be sent as well yet.
  TensorIndex oldest(std::uint32_t rank) {
    TensorIndex unsaved = devices_[rank].lists[0].first;
    while (unsaved != none && at(rank, unsaved).outdated)
      unsaved = at(rank, unsaved).after;
    const TensorIndex saved = oldest_saved(rank);
    if (unsaved == none || saved == none) return unsaved == none ? saved : unsaved;
    return at(rank, saved).stamp < at(rank, unsaved).stamp ? saved : unsaved;
  }

 private:
  struct List {
    TensorIndex first = none, last = none;
  };
  struct Device {
    std::uint64_t in_use = 0, peak = 0, leaving = 0;
    std::uint32_t clock = 0;
    std::array<List, 2> lists; // unsaved, saved
  };

  static bool listed(const Tensor& t) { return t.where == Where::Here && t.holds == 0 && !t.leaving; }

  void link(std::uint32_t rank, TensorIndex tensor) {
    Tensor& t = at(rank, tensor);
    List& list = devices_[rank].lists[t.saved];
    t.stamp = ++devices_[rank].clock;
    t.before = list.last;
    t.after = none;
    (list.last == none ? list.first : at(rank, list.last).after) = tensor;
    list.last = tensor;
  }
  void unlink(std::uint32_t rank, Tensor& t) {
    List& list = devices_[rank].lists[t.saved];
    (t.before == none ? list.first : at(rank, t.before).after) = t.after;
    (t.after == none ? list.last : at(rank, t.after).before) = t.before;
    t.before = t.after = none;
  }

  Uses uses_;
  std::vector<Tensor> tensors_; // [rank][tensor]
  std::vector<Device> devices_; // of each rank
};

} // namespace triosim::memory
