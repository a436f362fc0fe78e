#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/task_graph/replay_workload.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace triosim::strategy {

/// Plays what is parallel already: the execution traces of all ranks, as they are.
///
/// * A compute node has its recorded time, its operations as FLOPs and its tensors as traffic; the time model chooses.
///   Nodes of the host count as compute of the rank. A node with none of these takes no time.
/// * A collective is one over its communicator; the buffer of an all-gather is what its members bring together.
/// * Messages are matched by sender, receiver and tag, in order.
/// * Loads and stores of memory nodes are messages from the remote memory.
struct Replay {
  using Source = ReplayWorkload;

  /// Throws `ConfigError` where the cluster has another number of devices, or memory nodes find no remote memory, and
  /// `Deadlock` where the two ends of a message differ in size or in number.
  TaskGraph lower(const ReplayWorkload& workload, const Cluster& cluster) const {
    const auto ranks = static_cast<std::uint32_t>(workload.ranks.size());
    if (ranks != cluster.ranks())
      throw ConfigError{"ranks", std::to_string(ranks),
                        std::to_string(cluster.ranks()) + ", the devices of the cluster"};
    check_messages(workload);
    TaskGraph graph{ranks};
    const std::uint16_t world = graph.add_group(Communicators::world(ranks));
    const std::vector<std::uint16_t> slot_of = add_groups(workload, graph);

    std::map<std::pair<std::uint32_t, std::vector<std::int64_t>>, std::uint32_t> known;
    std::vector<std::int64_t> key;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const ReplayProgram& nodes = workload.program(rank);
      key.clear();
      for (const ReplayProgram::Node& node : nodes.nodes) {
        if (node.kind == ReplayProgram::Kind::Collective) {
          const std::uint32_t group = workload.ranks[rank].who[node.who];
          key.push_back(group == ReplayWorkload::everybody ? world : slot_of[group]);
          key.push_back(group == ReplayWorkload::everybody
                            ? ranks
                            : static_cast<std::int64_t>(workload.groups[group].members.size()));
        } else if (node.kind == ReplayProgram::Kind::Send || node.kind == ReplayProgram::Kind::Receive) {
          const std::int64_t shift = std::int64_t{workload.ranks[rank].who[node.who]} - rank;
          key.push_back(shift < 0 ? shift + ranks : shift);
        }
      }
      const auto [found, is_new] = known.emplace(std::pair{workload.ranks[rank].program, key},
                                                 static_cast<std::uint32_t>(graph.programs().size()));
      if (is_new) graph.add_program(program_of(nodes, key, world, cluster));
      graph.assign(rank, found->second);
    }
    return graph;
  }

 private:
  static Program program_of(const ReplayProgram& nodes, const std::vector<std::int64_t>& key, std::uint16_t world,
                            const Cluster& cluster) {
    using Kind = ReplayProgram::Kind;
    Program program;
    std::size_t next = 0;
    for (std::uint32_t at = 0; at < nodes.nodes.size(); ++at) {
      const ReplayProgram::Node& node = nodes.nodes[at];
      const auto bytes = static_cast<std::uint64_t>(node.bytes);
      switch (node.kind) {
      case Kind::Skip:
      case Kind::Compute: {
        Operation operation;
        operation.name = nodes.name(at);
        operation.flops = Flops{node.operations};
        operation.bytes = Bytes{bytes};
        if (node.duration_ns > 0 || (!(node.operations > 0) && bytes == 0))
          operation.recorded = Time{node.duration_ns * 1000};
        program.add_compute(operation);
        break;
      }
      case Kind::Collective: {
        Collective collective;
        collective.type = node.type;
        collective.group = static_cast<std::uint16_t>(key[next]);
        const auto members = static_cast<std::uint64_t>(key[next + 1]);
        next += 2;
        collective.bytes = Bytes{node.type == CollectiveType::AllGather ? bytes * members : bytes};
        program.add_collective(nodes.name(at), collective);
        break;
      }
      case Kind::Send:
      case Kind::Receive: {
        const PointToPoint message{world, static_cast<std::int32_t>(key[next++]), static_cast<std::uint32_t>(node.tag),
                                   Bytes{bytes}};
        if (node.kind == Kind::Send)
          program.add_send(nodes.name(at), message);
        else
          program.add_receive(nodes.name(at), message);
        break;
      }
      case Kind::Load:
      case Kind::Store:
        if (!cluster.topology.memory())
          throw ConfigError{"memory", "nothing",
                            "a remote memory, as node " + std::to_string(node.id) + " loads or stores"};
        program.add_fetch(nodes.name(at), Bytes{bytes});
        break;
      }
    }
    for (std::uint32_t at = 0; at < nodes.nodes.size(); ++at)
      for (std::uint32_t i = nodes.after_begins[at]; i < nodes.after_begins[at + std::size_t{1}]; ++i)
        program.depend(nodes.after[i], at);
    return program;
  }

  /// Groups that share no rank share a slot, so that ranks with like groups share a program.
  static std::vector<std::uint16_t> add_groups(const ReplayWorkload& workload, TaskGraph& graph) {
    const auto ranks = static_cast<std::uint32_t>(workload.ranks.size());
    std::vector<bool> used(workload.groups.size(), false);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      for (const ReplayProgram::Node& node : workload.program(rank).nodes)
        if (node.kind == ReplayProgram::Kind::Collective)
          if (const std::uint32_t group = workload.ranks[rank].who[node.who]; group != ReplayWorkload::everybody)
            used[group] = true;
    std::vector<std::uint16_t> slot_of(workload.groups.size(), 0);
    std::vector<std::vector<std::vector<std::uint32_t>>> slots;
    std::vector<std::vector<bool>> taken;
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
      if (!used[group]) continue;
      const auto& members = workload.groups[group].members;
      std::size_t slot = 0;
      // From the last slot back: groups are listed axis by axis.
      for (slot = slots.size(); slot-- > 0;) {
        const bool free = slots[slot].front().size() == members.size() &&
                          std::none_of(members.begin(), members.end(), [&](std::uint32_t m) { return taken[slot][m]; });
        if (free) break;
      }
      if (slot > slots.size()) {
        slot = slots.size();
        slots.emplace_back();
        taken.emplace_back(ranks, false);
      }
      for (const std::uint32_t member : members)
        taken[slot][member] = true;
      slots[slot].push_back(members);
      slot_of[group] = static_cast<std::uint16_t>(slot + 1);
    }
    for (std::size_t slot = 0; slot < slots.size(); ++slot)
      graph.add_group(Communicators::of(slots[slot].size() == 1 ? name_of(workload, slots[slot].front())
                                                                : "groups " + std::to_string(slot + 1),
                                        ranks, slots[slot]));
    return slot_of;
  }
  static std::string name_of(const ReplayWorkload& workload, const std::vector<std::uint32_t>& members) {
    for (const ReplayWorkload::Group& group : workload.groups)
      if (group.members == members) return "group " + group.name;
    return "group";
  }

  static void check_messages(const ReplayWorkload& workload) {
    using Route = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>;
    std::map<Route, std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> messages;
    for (std::uint32_t rank = 0; rank < workload.ranks.size(); ++rank)
      for (const ReplayProgram::Node& node : workload.program(rank).nodes) {
        if (node.kind != ReplayProgram::Kind::Send && node.kind != ReplayProgram::Kind::Receive) continue;
        const std::uint32_t peer = workload.ranks[rank].who[node.who];
        if (node.kind == ReplayProgram::Kind::Send)
          messages[{rank, peer, node.tag}].first.push_back(node.bytes);
        else
          messages[{peer, rank, node.tag}].second.push_back(node.bytes);
      }
    std::vector<std::string> wrong;
    for (const auto& [route, sizes] : messages) {
      const std::string text = " from rank " + std::to_string(std::get<0>(route)) + " to rank " +
                               std::to_string(std::get<1>(route)) + " with tag " + std::to_string(std::get<2>(route));
      if (sizes.first.size() != sizes.second.size())
        wrong.push_back(std::to_string(sizes.first.size()) + " sends and " + std::to_string(sizes.second.size()) +
                        " receives" + text);
      for (std::size_t i = 0; i < std::min(sizes.first.size(), sizes.second.size()); ++i)
        if (sizes.first[i] != sizes.second[i]) {
          wrong.push_back("a send of " + std::to_string(sizes.first[i]) + " bytes and a receive of " +
                          std::to_string(sizes.second[i]) + text);
          break;
        }
    }
    if (!wrong.empty()) throw Deadlock{std::move(wrong)};
  }
};

} // namespace triosim::strategy
