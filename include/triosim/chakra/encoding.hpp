#pragma once

#include "triosim/chakra/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// How a trace is laid out in a file.
enum class Format : std::uint8_t {
  v0_0_4,         ///< the newest schema: header and nodes, each after its length
  v0_0_1,         ///< the oldest one: nodes with fixed fields, no header
  json,           ///< the JSON form of the published symbolic generator: {"nodes": [...]}
  workload_graph, ///< the JSON dialect of Chakra's own feeder
};

/// What could not be said in the chosen format, or was not understood when reading, with how often; in the order of
/// first appearance.
class Losses {
 public:
  struct Entry {
    std::string what;
    std::uint64_t count;
  };

  void add(std::string_view what, std::uint64_t count = 1) {
    if (count == 0) return;
    for (Entry& entry : entries_)
      if (entry.what == what) {
        entry.count += count;
        return;
      }
    // Names come from the file: a hostile one must not make this list long.
    if (entries_.size() >= 64)
      others_ += count;
    else
      entries_.push_back({std::string{what}, count});
  }
  void add(std::string_view kind, std::string_view name) {
    std::string what{kind};
    add(what.append(" \"").append(name.substr(0, 80)).append("\""));
  }

  bool empty() const noexcept { return entries_.empty(); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// How much more there was, of kinds that are not listed.
  std::uint64_t others() const noexcept { return others_; }

 private:
  std::vector<Entry> entries_;
  std::uint64_t others_ = 0;
};

/// A value in an encoded node that differs from rank to rank, and how it is spelled.
struct Hole {
  enum class Spelling : std::uint8_t { v004_string, v004_int32, v001_uint32, decimal };

  Spelling spelling;
  std::uint32_t field; ///< v0.0.1: number of the field
  std::uint32_t slot;  ///< which of the values of a rank
  std::string name;    ///< v0.0.4: name of the attribute

  bool operator==(const Hole&) const = default;
};

/// One encoded node: its bytes, without length or separator, and the holes in them, by position.
struct EncodedNode {
  std::string bytes;
  std::vector<std::pair<std::size_t, Hole>> holes;

  void clear() noexcept {
    bytes.clear();
    holes.clear();
  }
  void hole(Hole hole) { holes.emplace_back(bytes.size(), std::move(hole)); }
};

/// Dependencies without repetitions, in the order in which they are first named: a dependency that is named twice binds
/// once. Keeps its memory between calls.
class DistinctIds {
 public:
  std::span<const std::uint64_t> operator()(std::span<const std::uint64_t> ids) {
    kept_.clear();
    if (ids.size() <= 32) {
      for (const std::uint64_t id : ids)
        if (!seen_before(id)) kept_.push_back(id);
      return kept_;
    }
    seen_.clear();
    for (const std::uint64_t id : ids)
      if (seen_.emplace(id, true).second) kept_.push_back(id);
    return kept_;
  }

 private:
  bool seen_before(std::uint64_t id) const noexcept {
    for (const std::uint64_t kept : kept_)
      if (kept == id) return true;
    return false;
  }

  std::vector<std::uint64_t> kept_;
  std::unordered_map<std::uint64_t, bool> seen_;
};

} // namespace triosim::chakra
