#pragma once

#include "triosim/chakra/groups.hpp"
#include "triosim/chakra/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace triosim::chakra {

namespace cross_check_detail {

struct Sent {
  std::vector<std::int64_t> sends, receives; // sizes in the order of the files
};

inline std::string route(std::uint32_t from, std::uint32_t to, std::int64_t tag) {
  return "from rank " + std::to_string(from) + " to rank " + std::to_string(to) + " with tag " + std::to_string(tag);
}

} // namespace cross_check_detail

/// What does not fit between the traces of several ranks: messages that only one side has or whose sizes differ,
/// collectives that the members of a group do not call alike, groups that nobody calls or of one member. A sentence
/// each, at most `most`, then one that counts the rest. `ranks` has the rank of each trace; without `groups` every
/// collective is taken for one of all ranks.
inline std::vector<std::string> cross_check(std::span<const Trace* const> traces, std::span<const std::uint32_t> ranks,
                                            std::span<const CommGroup> groups, std::size_t most = 20) {
  using namespace cross_check_detail;
  std::vector<std::string> found;
  std::size_t more = 0;
  const auto say = [&](std::string text) {
    if (found.size() < most)
      found.push_back(std::move(text));
    else
      ++more;
  };
  using Collective = std::pair<std::int64_t, std::int64_t>; // type, size
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, Sent> messages;
  std::map<std::string, std::map<std::uint32_t, std::vector<Collective>>> collectives;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Trace& trace = *traces[i];
    for (Trace::Index node = 0; node < trace.size(); ++node) {
      const NodeType type = trace.type(node);
      if (type != NodeType::comm_send && type != NodeType::comm_recv && type != NodeType::comm_coll) continue;
      const Facts facts = trace.facts(node);
      const std::int64_t size = facts.comm_size.value_or(0);
      if (type == NodeType::comm_coll) {
        std::string group = facts.group.value_or("");
        if (group == "0") group.clear();
        collectives[group][ranks[i]].emplace_back(facts.comm_type.value_or(-1), size);
      } else if (type == NodeType::comm_send) {
        const auto to = static_cast<std::uint32_t>(facts.comm_dst.value_or(-1));
        messages[{ranks[i], to, facts.comm_tag.value_or(0)}].sends.push_back(size);
      } else {
        const auto from = static_cast<std::uint32_t>(facts.comm_src.value_or(-1));
        messages[{from, ranks[i], facts.comm_tag.value_or(0)}].receives.push_back(size);
      }
    }
  }

  const auto given = [&](std::uint32_t rank) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); };
  for (const auto& [key, sent] : messages) {
    const auto& [from, to, tag] = key;
    if (!given(from) || !given(to)) {
      say("the trace of rank " + std::to_string(given(from) ? to : from) + " is not among those given, but a message " +
          route(from, to, tag) + " needs it");
      continue;
    }
    if (sent.sends.size() != sent.receives.size()) {
      say(std::to_string(sent.sends.size()) + " sends and " + std::to_string(sent.receives.size()) + " receives " +
          route(from, to, tag));
      continue;
    }
    for (std::size_t i = 0; i < sent.sends.size(); ++i)
      if (sent.sends[i] != sent.receives[i]) {
        say("a send of " + std::to_string(sent.sends[i]) + " bytes and a receive of " +
            std::to_string(sent.receives[i]) + " " + route(from, to, tag));
        break;
      }
  }

  for (const CommGroup& group : groups) {
    if (group.members.size() == 1 && collectives.count(group.name) != 0)
      say("group " + group.name + " has one member and is called all the same");
    if (collectives.count(group.name) == 0 && group.members.size() > 1 && group.name != "0")
      say("group " + group.name + " is called by nobody");
  }
  for (const auto& [name, calls] : collectives) {
    std::vector<std::uint32_t> members{ranks.begin(), ranks.end()};
    const std::string called = name.empty() ? "collectives of all ranks" : "collectives of group " + name;
    if (!name.empty()) {
      const auto group =
          std::find_if(groups.begin(), groups.end(), [&, key = &name](const CommGroup& g) { return g.name == *key; });
      if (group == groups.end()) {
        if (!groups.empty()) say(called + " are called, and there is no such group");
        members.clear();
        for (const auto& [rank, list] : calls)
          members.push_back(rank);
      } else {
        members.clear();
        for (const std::uint32_t rank : group->members)
          if (given(rank)) members.push_back(rank);
        for (const auto& [rank, list] : calls)
          if (std::find(group->members.begin(), group->members.end(), rank) == group->members.end())
            say(called + " are called by rank " + std::to_string(rank) + ", which is no member");
      }
    }
    const std::vector<Collective>* first = nullptr;
    std::uint32_t first_rank = 0;
    for (const std::uint32_t rank : members) {
      const auto at = calls.find(rank);
      if (at == calls.end()) {
        say(called + " are not called by its member rank " + std::to_string(rank));
        continue;
      }
      const std::vector<Collective>& list = at->second;
      if (first == nullptr) {
        first = &list;
        first_rank = rank;
        continue;
      }
      const std::string both = " on rank " + std::to_string(first_rank) + " and on rank " + std::to_string(rank);
      if (list.size() != first->size()) {
        say(called + ": " + std::to_string(first->size()) + " and " + std::to_string(list.size()) + both);
        continue;
      }
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] != (*first)[i]) {
          say(called + ": number " + std::to_string(i + 1) + " differs in type or size" + both);
          break;
        }
    }
  }
  if (more != 0) found.push_back("and " + std::to_string(more) + " more");
  return found;
}

} // namespace triosim::chakra
