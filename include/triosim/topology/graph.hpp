#pragma once

#include "triosim/error.hpp"
#include "triosim/units.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace triosim::topology {

using NodeId = std::uint32_t;
using LinkId = std::uint32_t;

/// One direction of a cable. Bytes that enter it leave `latency` later at the other end.
struct Link {
  NodeId from = 0;
  NodeId to = 0;
  Bandwidth bandwidth;
  Time latency;
};

/// The machine as a network sees it: nodes joined by directed links. Nodes 0 ... devices()-1 are the devices (GPUs) in
/// rank order; the nodes behind them are switches and memories.
class Graph {
 public:
  Graph() = default;
  /// `devices` devices and no link yet.
  explicit Graph(std::uint32_t devices) : devices_{devices}, out_(devices) {}

  /// Adds a switch (or any node that is not a device).
  NodeId add_switch() {
    out_.emplace_back();
    return static_cast<NodeId>(out_.size() - 1);
  }

  /// Adds the node that holds what the devices do not: host or pooled memory. At most one.
  NodeId add_memory() {
    if (memory_) throw TopologyError{"a topology has one remote memory at most"};
    memory_ = add_switch();
    return *memory_;
  }

  /// Adds one direction. Throws `TopologyError` for nodes that do not exist or a negative or non-finite bandwidth.
  LinkId add_link(NodeId from, NodeId to, Bandwidth bandwidth, Time latency = {}) {
    if (from >= nodes() || to >= nodes())
      throw TopologyError{"a link from node " + std::to_string(from) + " to node " + std::to_string(to) +
                          " needs both to be below " + std::to_string(nodes())};
    if (!(bandwidth.bytes_per_second() >= 0 && bandwidth.bytes_per_second() < 1e300) || latency < Time{})
      throw TopologyError{"the link from node " + std::to_string(from) + " to node " + std::to_string(to) +
                          " needs a finite bandwidth and a latency of zero or more"};
    const auto id = static_cast<LinkId>(links_.size());
    links_.push_back({from, to, bandwidth, latency});
    out_[from].push_back(id);
    return id;
  }

  /// Adds both directions; the second has the next number.
  LinkId add_cable(NodeId a, NodeId b, Bandwidth bandwidth, Time latency = {}) {
    const LinkId id = add_link(a, b, bandwidth, latency);
    add_link(b, a, bandwidth, latency);
    return id;
  }

  std::uint32_t devices() const noexcept { return devices_; }
  std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(out_.size()); }
  std::optional<NodeId> memory() const noexcept { return memory_; }
  const Link& link(LinkId id) const { return links_[id]; }
  std::span<const Link> links() const noexcept { return links_; }
  /// The links that leave `node`, in the order in which they were added.
  std::span<const LinkId> out(NodeId node) const { return out_[node]; }

 private:
  std::uint32_t devices_ = 0;
  std::optional<NodeId> memory_;
  std::vector<Link> links_;
  std::vector<std::vector<LinkId>> out_;
};

} // namespace triosim::topology
