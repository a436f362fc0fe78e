#pragma once

#include "triosim/mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace triosim::symbolic::classic {

/// The published numbering of communicator groups. A group is the ranks that differ along one spatial axis alone.
/// Numbers run from 1: axis by axis, within an axis by the other coordinates, stage slowest and then the axes in order.
/// Axes of one rank have groups too.
class GroupNumbers {
 public:
  /// `axes` are positions of the spatial axes in `mesh`, `stage` is that of the pipeline axis.
  GroupNumbers(const DeviceMesh& mesh, std::vector<std::size_t> axes, std::size_t stage)
      : mesh_{mesh}, axes_{std::move(axes)}, stage_{stage} {
    std::uint32_t next = 1;
    for (std::size_t axis : axes_) {
      first_.push_back(next);
      next += mesh_.ranks() / mesh_.axis(axis).size;
    }
  }

  const DeviceMesh& mesh() const noexcept { return mesh_; }
  std::size_t axes() const noexcept { return axes_.size(); }

  /// The group of a rank along the `i`-th spatial axis.
  std::uint32_t group(std::size_t i, std::uint32_t rank) const {
    std::uint32_t place = mesh_.coordinate(rank, stage_);
    for (std::size_t other : axes_)
      if (other != axes_[i]) place = place * mesh_.axis(other).size + mesh_.coordinate(rank, other);
    return first_[i] + place;
  }

  /// The rank at the same place of another stage.
  std::uint32_t peer(std::uint32_t rank, std::uint32_t stage) const {
    return rank + (stage - mesh_.coordinate(rank, stage_)) * mesh_.stride(stage_);
  }

  /// Calls `visit(number, members)` in the order of numbers; members by their coordinate on the axis.
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<std::uint32_t> members;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::uint32_t size = mesh_.axis(axes_[i]).size;
      for (std::uint32_t place = 0; place < mesh_.ranks() / size; ++place) {
        std::uint32_t rest = place, base = 0;
        for (std::size_t k = axes_.size(); k-- > 0;)
          if (k != i) {
            base += rest % mesh_.axis(axes_[k]).size * mesh_.stride(axes_[k]);
            rest /= mesh_.axis(axes_[k]).size;
          }
        base += rest * mesh_.stride(stage_);
        members.clear();
        for (std::uint32_t member = 0; member < size; ++member)
          members.push_back(base + member * mesh_.stride(axes_[i]));
        visit(first_[i] + place, members);
      }
    }
  }

 private:
  DeviceMesh mesh_;
  std::vector<std::size_t> axes_;
  std::size_t stage_;
  std::vector<std::uint32_t> first_;
};

} // namespace triosim::symbolic::classic
