#pragma once

#include "triosim/error.hpp"
#include "triosim/mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim {

/// One division of all ranks into communicators, such as "every tensor-parallel group". A program names the division
/// (its slot), and each rank finds its own communicator and its place in it: so one program serves all ranks.
class Communicators {
 public:
  /// Where a rank is: which communicator, and which member of it.
  struct Place {
    std::uint32_t communicator = 0;
    std::uint32_t index = 0;
  };

  /// All ranks in one communicator.
  static Communicators world(std::uint32_t ranks) {
    std::vector<std::uint32_t> members(ranks);
    std::iota(members.begin(), members.end(), 0u);
    return Communicators{"world", ranks, {0, ranks}, std::move(members)};
  }

  /// Ranks that differ in the named axes only share a communicator; members in rank order.
  static Communicators along(const DeviceMesh& mesh, std::span<const std::string_view> axes) {
    std::string name;
    std::vector<bool> varies(mesh.dimensions(), false);
    for (const std::string_view axis : axes) {
      varies[mesh.index(axis)] = true;
      name.append(name.empty() ? "" : "*").append(axis);
    }
    std::uint32_t size = 1;
    for (std::size_t i = 0; i < mesh.dimensions(); ++i)
      size *= varies[i] ? mesh.axis(i).size : 1;
    // A rank's communicator is the number that its coordinates in the other axes spell.
    const std::uint32_t count = mesh.ranks() / size;
    std::vector<std::uint32_t> begins(count + 1), members(mesh.ranks()), used(count, 0);
    for (std::uint32_t c = 0; c <= count; ++c)
      begins[c] = c * size;
    for (std::uint32_t rank = 0; rank < mesh.ranks(); ++rank) {
      std::uint32_t communicator = 0, stride = 1;
      for (std::size_t i = 0; i < mesh.dimensions(); ++i)
        if (!varies[i]) {
          communicator += mesh.coordinate(rank, i) * stride;
          stride *= mesh.axis(i).size;
        }
      members[begins[communicator] + used[communicator]++] = rank;
    }
    return Communicators{std::move(name), mesh.ranks(), std::move(begins), std::move(members)};
  }
  static Communicators along(const DeviceMesh& mesh, std::string_view axis) {
    return along(mesh, std::span<const std::string_view>{&axis, 1});
  }

  /// Any groups; ranks that none names are alone. Throws `ConfigError` for a rank that is named twice or does not
  /// exist.
  static Communicators of(std::string name, std::uint32_t ranks, std::span<const std::vector<std::uint32_t>> groups) {
    std::vector<std::uint32_t> begins{0}, members;
    std::vector<bool> seen(ranks, false);
    for (const auto& group : groups) {
      for (const std::uint32_t rank : group) {
        if (rank >= ranks || seen[rank])
          throw ConfigError{name, std::to_string(rank), "each rank below " + std::to_string(ranks) + " once"};
        seen[rank] = true;
        members.push_back(rank);
      }
      begins.push_back(static_cast<std::uint32_t>(members.size()));
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      if (!seen[rank]) {
        members.push_back(rank);
        begins.push_back(static_cast<std::uint32_t>(members.size()));
      }
    return Communicators{std::move(name), ranks, std::move(begins), std::move(members)};
  }

  std::string_view name() const noexcept { return name_; }
  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(begins_.size() - 1); }
  Place place(std::uint32_t rank) const { return places_[rank]; }
  std::span<const std::uint32_t> members(std::uint32_t communicator) const {
    return std::span{members_}.subspan(begins_[communicator], begins_[communicator + 1] - begins_[communicator]);
  }
  /// The size of the communicator that `rank` is in.
  std::uint32_t size(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(members(places_[rank].communicator).size());
  }
  /// The rank `shift` places behind `rank` in its communicator, round and round.
  std::uint32_t peer(std::uint32_t rank, std::int32_t shift) const {
    const Place at = places_[rank];
    const auto group = members(at.communicator);
    const auto size = static_cast<std::int64_t>(group.size());
    return group[static_cast<std::size_t>(((at.index + static_cast<std::int64_t>(shift)) % size + size) % size)];
  }

 private:
  Communicators(std::string name, std::uint32_t ranks, std::vector<std::uint32_t> begins,
                std::vector<std::uint32_t> members)
      : name_{std::move(name)}, begins_{std::move(begins)}, members_{std::move(members)}, places_(ranks) {
    for (std::uint32_t c = 0; c + 1 < begins_.size(); ++c)
      for (std::uint32_t i = begins_[c]; i < begins_[c + 1]; ++i)
        places_[members_[i]] = {c, i - begins_[c]};
  }

  std::string name_;
  std::vector<std::uint32_t> begins_;  // of each communicator in members_
  std::vector<std::uint32_t> members_; // ranks, communicator by communicator
  std::vector<Place> places_;          // of each rank
};

} // namespace triosim
