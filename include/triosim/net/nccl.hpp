#pragma once

#include "triosim/cluster.hpp"
#include "triosim/collective/call.hpp"
#include "triosim/machine.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace triosim::net {

/// How long a NCCL collective takes, in closed form: the fastest of its protocols and algorithms, each latency plus
/// bytes over bandwidth, as NCCL's own tuner compares them (NVIDIA NCCL, src/graph/tuning.cc):
///
///     ring   launch + hops within nodes x hop + hops between nodes x net_hop + bytes on the wire / bandwidth
///     tree   launch + 2 (members of a node - 1) x hop + 2 log2(nodes) x net_hop + the same at 92 % of the bandwidth
///
/// An all-reduce goes 2 (n - 1) hops round the ring with 2 (n - 1) / n of the buffer, an all-gather or reduce-scatter
/// half of both, a broadcast or reduce n - 1 hops with the whole buffer in pieces. The bandwidth is that of two
/// members, of many, or of the adapters of all members of a node, the least. What else is running does not matter.
///
/// In one node of 2, 4 or 8 GPUs, and on 2 to 8 nodes, within 6 % (geometric mean of the error) of measured all-reduces
/// of 1 MB and more; the constants are those of the machine (NcclCosts).
class NcclModel {
 public:
  /// `island`: devices of a node.
  NcclModel(NcclCosts costs, std::uint32_t island) : costs_{costs}, island_{std::max(island, 1u)} {}

  /// Nothing for an all-to-all and what goes from or to one rank in parts: these are messages.
  std::optional<Time> time(CollectiveType type, Bytes bytes, std::uint32_t members, std::uint32_t nodes) const {
    if (members < 2) return Time{};
    const double n = members;
    double hops = n - 1, wire = 0;
    switch (type) {
    case CollectiveType::AllReduce:
      hops = 2 * (n - 1);
      wire = 2 * (n - 1) / n;
      break;
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
      wire = (n - 1) / n;
      break;
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
      wire = 1;
      break;
    case CollectiveType::Barrier:
      hops = 2 * (n - 1);
      bytes = Bytes{};
      break;
    default:
      return std::nullopt;
    }
    nodes = std::clamp(nodes, 1u, members);
    const double passes = hops / (n - 1); // once or twice round
    const double between = nodes == 1 ? 0 : std::min(hops, passes * (nodes == members ? n - 1 : nodes));
    const double within = hops - between;
    const double near = 2 / n;
    double bandwidth = costs_.many.bytes_per_second() +
                       (costs_.pair.bytes_per_second() - costs_.many.bytes_per_second()) * near * near;
    if (nodes > 1) bandwidth = std::min(bandwidth, costs_.net.bytes_per_second() * n / nodes);
    const double seconds = static_cast<double>(bytes.count()) * wire / bandwidth;
    const bool has_tree = nodes > 1 && (type == CollectiveType::AllReduce || type == CollectiveType::Barrier);
    const double up = members / nodes - 1.0, levels = std::log2(static_cast<double>(nodes));

    double best = 1e300;
    for (const NcclCosts::Protocol& protocol : costs_.protocols) {
      const double launch = protocol.launch.seconds(), hop = protocol.hop.seconds(), net = protocol.net_hop.seconds();
      best = std::min(best, launch + within * hop + between * net + seconds / protocol.share);
      if (has_tree) best = std::min(best, launch + 2 * (up * hop + levels * net) + seconds / (protocol.share * 0.92));
    }
    return Time::from_seconds(best);
  }

  /// Of the ranks that take part, device r being in node r / island.
  std::optional<Time> time(const collective::Call& call, std::span<const std::uint32_t> members) const {
    std::uint32_t nodes = 0, last = 0xFFFFFFFF;
    bool sorted = true;
    for (const std::uint32_t rank : members) {
      const std::uint32_t node = rank / island_;
      if (node != last) ++nodes;
      sorted = sorted && (last == 0xFFFFFFFF || node >= last);
      last = node;
    }
    if (!sorted) nodes = std::min<std::uint32_t>(nodes, static_cast<std::uint32_t>(members.size()));
    return time(call.type, call.bytes, static_cast<std::uint32_t>(members.size()), nodes);
  }

 private:
  NcclCosts costs_;
  std::uint32_t island_;
};

/// A network whose collectives take what NcclModel says; messages, and collectives that it does not know, go over
/// `Net`.
template <class Net>
class Nccl : public Net {
 public:
  Nccl(Net net, NcclModel model) : Net{std::move(net)}, model_{std::move(model)} {}

  std::optional<Time> collective_time(const collective::Call& call, std::span<const std::uint32_t> members) const {
    return model_.time(call, members);
  }

 private:
  NcclModel model_;
};

} // namespace triosim::net
