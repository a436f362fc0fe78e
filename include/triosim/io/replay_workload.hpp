#pragma once

#include "triosim/chakra/collective_type.hpp"
#include "triosim/chakra/groups_reader.hpp"
#include "triosim/chakra/read.hpp"
#include "triosim/chakra/trace.hpp"
#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/io/rank_of_file.hpp"
#include "triosim/task_graph/replay_workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::io {

/// The trace files of a workload, by rank. `where` is a folder, whose files have a rank in their name (others are left
/// alone and listed in `unused`), or a prefix P with files P.0.et, P.1.et, ... (also .et.gz, .json, .json.gz). Throws
/// `TraceError` where there is none, a rank is missing between others, or two files are for one rank.
struct TraceFiles {
  std::vector<std::string> of_rank;
  std::vector<std::string> unused;
};

inline TraceFiles find_trace_files(const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code code;
  const bool is_folder = fs::is_directory(where, code);
  const fs::path folder = is_folder ? fs::path{where} : fs::path{where}.parent_path();
  const std::string prefix = is_folder ? "" : fs::path{where}.filename().string() + ".";
  const fs::path listed = folder.empty() ? fs::path{"."} : folder;
  std::map<std::uint32_t, std::string> found;
  TraceFiles files;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{listed, code})
    if (!entry.is_directory(code)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::optional<std::uint32_t> rank;
    const std::string path = (folder / name).string();
    if (is_folder) {
      rank = rank_of_file(name);
      if (!rank) {
        files.unused.push_back(path);
        continue;
      }
    } else {
      if (!name.starts_with(prefix)) continue;
      const std::string_view rest = std::string_view{name}.substr(prefix.size());
      const std::size_t dot = rest.find('.');
      const std::string_view digits = rest.substr(0, dot);
      const std::string_view ending = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot);
      if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string_view::npos)
        continue;
      if (ending != ".et" && ending != ".et.gz" && ending != ".json" && ending != ".json.gz") continue;
      rank = static_cast<std::uint32_t>(std::stoul(std::string{digits}));
    }
    const auto [at, is_new] = found.emplace(*rank, path);
    if (!is_new)
      throw TraceError::in_file(path, "is a second trace of rank " + std::to_string(*rank) + " beside " + at->second);
  }
  if (found.empty())
    throw TraceError::in_file(where, is_folder ? "has no traces with a rank in their names"
                                               : "has no traces: expected files " + prefix + "0.et, " + prefix +
                                                     "1.et and so on, or a folder");
  for (auto& [rank, path] : found) {
    if (rank != files.of_rank.size())
      throw TraceError::in_file(where, "has no trace of rank " + std::to_string(files.of_rank.size()) +
                                           ", but one of rank " + std::to_string(rank));
    files.of_rank.push_back(std::move(path));
  }
  return files;
}

namespace replay_workload_detail {

/// Text and numbers by which equal programs are found.
struct Fingerprint {
  std::uint64_t hash = 1469598103934665603ull; // FNV-1a
  void add(std::uint64_t value) { hash = (hash ^ value) * 1099511628211ull; }
};

class Reader {
 public:
  explicit Reader(std::uint32_t ranks, std::vector<chakra::CommGroup> groups) {
    workload_.ranks.reserve(ranks);
    for (chakra::CommGroup& group : groups)
      add_group(std::move(group.name), std::move(group.members));
    ranks_ = ranks;
  }

  void add(const chakra::Trace& trace) {
    ReplayWorkload::Rank rank;
    ReplayProgram program = build(trace, rank);
    rank.program = share(std::move(program));
    workload_.ranks.push_back(std::move(rank));
    for (const chakra::Losses::Entry& loss : trace.losses().entries())
      workload_.passed_over["not understood: " + loss.what] += loss.count;
  }

  ReplayWorkload take() { return std::move(workload_); }

 private:
  using Kind = ReplayProgram::Kind;

  void add_group(std::string name, std::vector<std::uint32_t> members) {
    group_of_.emplace(name, static_cast<std::uint32_t>(workload_.groups.size()));
    workload_.groups.push_back({std::move(name), std::move(members)});
  }

  ReplayProgram build(const chakra::Trace& trace, ReplayWorkload::Rank& rank) {
    const auto self = static_cast<std::uint32_t>(workload_.ranks.size());
    metadata(trace);
    ReplayProgram program;
    std::unordered_map<std::string, std::uint32_t> names;
    std::string name;
    // Nodes in the order of their ids: that is the order in which a rank takes what is ready.
    std::vector<chakra::Trace::Index> order(trace.size());
    for (chakra::Trace::Index i = 0; i < trace.size(); ++i)
      order[i] = i;
    const auto by_id = [&](auto a, auto b) { return trace.id(a) < trace.id(b); };
    if (!std::is_sorted(order.begin(), order.end(), by_id)) std::sort(order.begin(), order.end(), by_id);
    std::vector<std::uint32_t> place(trace.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      place[order[i]] = i;

    program.nodes.reserve(trace.size());
    for (const chakra::Trace::Index at : order) {
      ReplayProgram::Node node = read(trace, at, self, rank);
      if (node.kind == Kind::Collective || node.kind == Kind::Send || node.kind == Kind::Receive)
        node.who = program.communications++;
      name.clear();
      trace.append_name(name, at);
      const auto [known, is_new] = names.emplace(name, static_cast<std::uint32_t>(program.names.size()));
      if (is_new) program.names.push_back(name);
      node.name = known->second;
      program.nodes.push_back(node);
    }

    if (trace.absent_count() != 0)
      workload_.passed_over["control dependencies on nodes that are not there"] += trace.absent_count();
    const bool control = trace.control_can_be_obeyed();
    if (!control) workload_.passed_over["control dependencies that contradict the data"] += trace.ctrl_dep_count();
    std::vector<std::uint32_t> before;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    program.waits.assign(trace.size(), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      before.clear();
      for (const chakra::Trace::Index dependency : trace.data_deps(order[i]))
        before.push_back(place[dependency]);
      if (control)
        for (const chakra::Trace::Index dependency : trace.ctrl_deps(order[i]))
          if (dependency < trace.size()) before.push_back(place[dependency]);
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
      program.waits[i] = static_cast<std::uint32_t>(before.size());
      for (const std::uint32_t other : before)
        edges.emplace_back(other, i);
    }
    program.after_begins.assign(trace.size() + std::size_t{1}, 0);
    for (const auto& [other, node] : edges)
      ++program.after_begins[other + std::size_t{1}];
    for (std::size_t i = 0; i < trace.size(); ++i)
      program.after_begins[i + 1] += program.after_begins[i];
    std::vector<std::uint32_t> fill(program.after_begins.begin(), program.after_begins.end() - 1);
    program.after.resize(edges.size());
    for (const auto& [other, node] : edges)
      program.after[fill[other]++] = node;
    return program;
  }

  ReplayProgram::Node read(const chakra::Trace& trace, chakra::Trace::Index at, std::uint32_t self,
                           ReplayWorkload::Rank& rank) {
    ReplayProgram::Node node;
    node.id = trace.id(at);
    const chakra::NodeType type = trace.type(at);
    if (type == chakra::NodeType::invalid || type == chakra::NodeType::metadata) return node;
    const chakra::Facts facts = trace.facts(at);
    const auto refuse = [&](std::string_view field, std::string_view problem) {
      throw TraceError::at_line(
          trace.source(), 0,
          "node " + std::to_string(node.id) + " " + excerpt(trace.name(at)) + ": " + std::string{field}, problem);
    };
    const auto need = [&](const std::optional<std::int64_t>& value, std::string_view field) {
      if (!value) refuse(field, "found none, expected a whole number");
      return *value;
    };
    const auto size = [&](const std::optional<std::int64_t>& value, std::string_view field) {
      const std::int64_t bytes = need(value, field);
      if (bytes < 0) refuse(field, "found " + std::to_string(bytes) + ", expected zero or more");
      return bytes;
    };
    node.on_cpu = facts.is_cpu_op.value_or(false);
    const std::uint64_t micros = trace.duration_micros(at);
    if (micros > 9'000'000'000'000ull) refuse("duration_micros", "found more than 104 days, expected less");
    node.duration_ns = static_cast<std::int64_t>(micros) * 1000;
    switch (type) {
    case chakra::NodeType::comp:
      node.kind = Kind::Compute;
      node.operations = static_cast<double>(std::max<std::int64_t>(facts.num_ops.value_or(0), 0));
      node.bytes = std::max<std::int64_t>(facts.tensor_size.value_or(0), 0);
      break;
    case chakra::NodeType::mem_load:
    case chakra::NodeType::mem_store:
      node.kind = type == chakra::NodeType::mem_load ? Kind::Load : Kind::Store;
      node.bytes = size(facts.tensor_size, "tensor_size");
      break;
    case chakra::NodeType::comm_coll: {
      node.kind = Kind::Collective;
      const std::int64_t number = need(facts.comm_type, "comm_type");
      const auto known = chakra::collective_type_from_number(number);
      if (!known) refuse("comm_type", "found " + std::to_string(number) + ", expected 0 to 9");
      node.type = *known;
      node.bytes =
          *known == triosim::CollectiveType::Barrier ? facts.comm_size.value_or(0) : size(facts.comm_size, "comm_size");
      node.priority = facts.comm_priority.value_or(0);
      if (facts.involved_dim) {
        node.dimensions = 0;
        for (std::size_t i = 0; i < facts.involved_dim->size() && i < 32; ++i)
          if ((*facts.involved_dim)[i]) node.dimensions |= 1u << i;
      }
      rank.who.push_back(group(facts.group.value_or(""), self, refuse));
      break;
    }
    case chakra::NodeType::comm_send:
    case chakra::NodeType::comm_recv: {
      const bool is_send = type == chakra::NodeType::comm_send;
      node.kind = is_send ? Kind::Send : Kind::Receive;
      node.bytes = size(facts.comm_size, "comm_size");
      const std::int64_t tag = facts.comm_tag.value_or(0);
      if (tag < std::numeric_limits<std::int32_t>::min() || tag > std::numeric_limits<std::int32_t>::max())
        refuse("comm_tag", "found " + std::to_string(tag) + ", expected 32 bits");
      node.tag = static_cast<std::int32_t>(tag);
      const char* field = is_send ? "comm_dst" : "comm_src";
      const std::int64_t peer = need(is_send ? facts.comm_dst : facts.comm_src, field);
      if (peer < 0 || peer >= static_cast<std::int64_t>(ranks_))
        refuse(field, "found " + std::to_string(peer) + ", expected a rank below " + std::to_string(ranks_));
      const auto& own = is_send ? facts.comm_src : facts.comm_dst;
      if (own && *own != static_cast<std::int64_t>(self))
        refuse(is_send ? "comm_src" : "comm_dst",
               "found " + std::to_string(*own) + ", expected the rank itself, " + std::to_string(self));
      if (peer == static_cast<std::int64_t>(self)) refuse(field, "found the rank itself, expected another");
      rank.who.push_back(static_cast<std::uint32_t>(peer));
      break;
    }
    default:
      break;
    }
    return node;
  }

  template <class Refuse>
  std::uint32_t group(const std::string& name, std::uint32_t self, Refuse&& refuse) {
    if (name.empty() || name == "0") {
      // A group that is called so all the same is meant.
      const auto found = name.empty() ? group_of_.end() : group_of_.find(name);
      if (found == group_of_.end()) return ReplayWorkload::everybody;
    }
    const auto found = group_of_.find(name);
    if (found == group_of_.end())
      refuse("pg_name", "found " + excerpt(name) + ", expected a group of the communicator-group file");
    const auto& members = workload_.groups[found->second].members;
    if (std::find(members.begin(), members.end(), self) == members.end())
      refuse("pg_name",
             "found group " + excerpt(name) + ", expected one that rank " + std::to_string(self) + " is a member of");
    return found->second;
  }

  /// PyTorch writes its process groups into the metadata: [{"pg_name": "0", "ranks": [0, 1]}, ...].
  void metadata(const chakra::Trace& trace) {
    chakra::NodeCursor cursor{trace};
    for (chakra::Trace::Index at = 0; at < trace.size(); ++at) {
      if (trace.type(at) != chakra::NodeType::metadata) continue;
      const chakra::NodeView& node = cursor(at);
      if (!node.inputs || node.inputs->values.find("pg_name") == std::string_view::npos) continue;
      std::string_view text = node.inputs->values;
      std::string plain{text};
      // The list may be a JSON text in a list of texts.
      if (plain.starts_with("[\"") || plain.starts_with("['")) {
        plain = plain.substr(2, plain.size() - std::min<std::size_t>(plain.size(), 4));
        for (std::size_t i = 0; (i = plain.find("\\\"", i)) != std::string::npos; ++i)
          plain.erase(i, 1);
      }
      process_groups(plain, trace.source());
    }
  }
  void process_groups(const std::string& text, const std::string& file) {
    JsonWalk walk{text, file};
    walk.elements(walk.root(), [&](const JsonWalk::Value& element) {
      std::string name;
      std::vector<std::uint32_t> members;
      walk.members(element, {"pg_name", "ranks"}, JsonWalk::Others::pass_over,
                   [&](std::size_t key, const JsonWalk::Value& value) {
                     if (key == 0)
                       name = value.IsString()
                                  ? walk.text(value)
                                  : std::to_string(walk.natural(value, 0, 0xFFFFFFFF, "the name of a group"));
                     if (key == 1)
                       walk.elements(value, [&](const JsonWalk::Value& rank) {
                         members.push_back(static_cast<std::uint32_t>(
                             walk.natural(rank, 0, std::numeric_limits<std::int32_t>::max(), "a rank")));
                       });
                   });
      if (members.empty()) return; // everybody
      if (group_of_.count(name) == 0) add_group(std::move(name), std::move(members));
    });
  }

  std::uint32_t share(ReplayProgram program) {
    Fingerprint print;
    for (const ReplayProgram::Node& node : program.nodes) {
      print.add(node.id * 31 + static_cast<std::uint64_t>(node.kind));
      print.add(static_cast<std::uint64_t>(node.bytes));
      print.add(static_cast<std::uint64_t>(node.duration_ns));
      print.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.tag)));
    }
    for (const std::uint32_t node : program.after)
      print.add(node);
    auto& same = by_hash_[print.hash];
    for (const std::uint32_t known : same)
      if (equal(workload_.programs[known], program)) return known;
    workload_.programs.push_back(std::move(program));
    same.push_back(static_cast<std::uint32_t>(workload_.programs.size() - 1));
    return same.back();
  }
  static bool equal(const ReplayProgram& a, const ReplayProgram& b) {
    const auto same = [](const ReplayProgram::Node& x, const ReplayProgram::Node& y) {
      return x.id == y.id && x.kind == y.kind && x.on_cpu == y.on_cpu && x.type == y.type && x.tag == y.tag &&
             x.dimensions == y.dimensions && x.priority == y.priority && x.duration_ns == y.duration_ns &&
             !(x.operations < y.operations || x.operations > y.operations) && x.bytes == y.bytes && x.name == y.name;
    };
    return a.nodes.size() == b.nodes.size() && a.after_begins == b.after_begins && a.after == b.after &&
           a.names == b.names && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), same);
  }

  std::uint32_t ranks_ = 0;
  ReplayWorkload workload_;
  std::unordered_map<std::string, std::uint32_t> group_of_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

} // namespace replay_workload_detail

/// The traces of `files`, in the order of ranks, as one workload; ranks that do the same thing share a program.
/// `groups` are the communicators that traces name; those in the metadata of traces made by PyTorch are added. Throws
/// `TraceError`, which names the file, the node and the field.
inline ReplayWorkload read_workload(const std::vector<std::string>& files, std::vector<chakra::CommGroup> groups = {}) {
  for (const chakra::CommGroup& group : groups)
    for (const std::uint32_t member : group.members)
      if (member >= files.size())
        throw TraceError::in_file("communicator groups", "group " + group.name + " names rank " +
                                                             std::to_string(member) + ", but there are traces of " +
                                                             std::to_string(files.size()) + " ranks");
  replay_workload_detail::Reader reader{static_cast<std::uint32_t>(files.size()), std::move(groups)};
  for (const std::string& file : files)
    reader.add(chakra::read(file));
  return reader.take();
}

} // namespace triosim::io
