#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::net {

/// The place of a flow in a FlowTable. A place is used again once its flow has been removed.
using FlowId = std::uint32_t;

/// Which flow crosses which link, both ways round: the route of a flow, and the flows of a link. Adding and removing a
/// flow costs O(links of its route) and allocates nothing once the table has grown to what is needed.
class FlowTable {
 public:
  /// A link of a flow's route, and where the flow stands in that link's list.
  struct Hop {
    std::uint32_t link;
    std::uint32_t place;
  };
  /// A flow in a link's list, and which hop of all hops that is.
  struct Member {
    FlowId flow;
    std::uint32_t hop;
  };

  FlowTable() = default;
  explicit FlowTable(std::size_t links) : members_(links) {}

  /// A flow over the links of `route`: each below `links()`, none twice.
  FlowId add(std::span<const std::uint32_t> route) {
    FlowId flow;
    if (free_flows_.empty()) {
      flow = static_cast<FlowId>(places_.size());
      places_.emplace_back();
    } else {
      flow = free_flows_.back();
      free_flows_.pop_back();
    }
    const auto length = static_cast<std::uint32_t>(route.size());
    const std::uint32_t first = take_block(length);
    places_[flow] = {first, length};
    for (std::uint32_t i = 0; i < length; ++i) {
      std::vector<Member>& list = members_[route[i]];
      hops_[first + i] = {route[i], static_cast<std::uint32_t>(list.size())};
      list.push_back({flow, first + i});
    }
    ++size_;
    return flow;
  }

  void remove(FlowId flow) {
    for (const Hop& hop : route(flow)) {
      std::vector<Member>& list = members_[hop.link];
      const Member last = list.back();
      list.pop_back();
      if (hop.place == list.size()) continue;
      list[hop.place] = last;
      hops_[last.hop].place = hop.place;
    }
    free_blocks_[size_class(places_[flow].length)].push_back(places_[flow].first);
    places_[flow] = {};
    free_flows_.push_back(flow);
    --size_;
  }

  std::span<const Hop> route(FlowId flow) const { return {hops_.data() + places_[flow].first, places_[flow].length}; }
  std::span<const Member> flows_on(std::uint32_t link) const { return members_[link]; }

  std::size_t links() const noexcept { return members_.size(); }
  /// Flows now in the table.
  std::size_t size() const noexcept { return size_; }
  /// One more than the highest place used so far.
  std::size_t places() const noexcept { return places_.size(); }

 private:
  struct Place {
    std::uint32_t first = 0;
    std::uint32_t length = 0;
  };

  // Blocks of hops come in powers of two, so that a block that is given back fits the next route of about its length.
  static std::size_t size_class(std::uint32_t length) noexcept {
    return length == 0 ? 0 : static_cast<std::size_t>(std::bit_width(length - 1));
  }

  std::uint32_t take_block(std::uint32_t length) {
    const std::size_t c = size_class(length);
    if (c >= free_blocks_.size()) free_blocks_.resize(c + 1);
    if (!free_blocks_[c].empty()) {
      const std::uint32_t first = free_blocks_[c].back();
      free_blocks_[c].pop_back();
      return first;
    }
    const auto first = static_cast<std::uint32_t>(hops_.size());
    hops_.resize(hops_.size() + (std::size_t{1} << c));
    return first;
  }

  std::vector<std::vector<Member>> members_; // of each link
  std::vector<Place> places_;                // of each flow
  std::vector<Hop> hops_;
  std::vector<std::vector<std::uint32_t>> free_blocks_; // of each size class
  std::vector<FlowId> free_flows_;
  std::size_t size_ = 0;
};

} // namespace triosim::net
