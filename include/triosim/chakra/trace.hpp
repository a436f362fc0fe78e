#pragma once

#include "triosim/chakra/attribute_store.hpp"
#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/facts.hpp"
#include "triosim/chakra/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// The file of one rank in memory: columns, dependencies in compressed rows, names and attributes packed. Nodes are
/// numbered from 0 in the order of the file; a dependency is such a number. About 100 bytes a node for what the
/// symbolic generator writes.
///
/// Data dependencies have no circle and name nodes of the trace. Control dependencies are kept as they are: profilers
/// use them for the call stack, whose frames may be absent from the file and may contradict the data.
class Trace {
 public:
  using Index = std::uint32_t;

  Index size() const noexcept { return static_cast<Index>(types_.size()); }
  bool empty() const noexcept { return types_.empty(); }

  /// The file it came from, for messages.
  const std::string& source() const noexcept { return source_; }
  Format format() const noexcept { return format_; }
  /// What was not understood in the file, with how often.
  const Losses& losses() const noexcept { return losses_; }

  std::uint64_t id(Index node) const { return ids_[node]; }
  NodeType type(Index node) const { return types_[node]; }
  std::string name(Index node) const {
    std::string name;
    append_name(name, node);
    return name;
  }
  void append_name(std::string& out, Index node) const { attributes_.append(out, names_[node]); }
  std::uint64_t start_time_micros(Index node) const { return starts_.empty() ? 0 : starts_[node]; }
  std::uint64_t duration_micros(Index node) const { return durations_.empty() ? 0 : durations_[node]; }
  bool has_durations() const noexcept { return !durations_.empty(); }

  /// In the order of the file, repetitions included.
  std::span<const Index> data_deps(Index node) const { return row(data_begins_, data_deps_, node); }
  /// Likewise. A number of `size()` or more is a node that the file lacks, see `id_of_dependency`.
  std::span<const Index> ctrl_deps(Index node) const { return row(ctrl_begins_, ctrl_deps_, node); }
  std::uint64_t id_of_dependency(Index dependency) const {
    return dependency < size() ? ids_[dependency] : absent_ids_[dependency - size()];
  }
  std::size_t data_dep_count() const noexcept { return data_deps_.size(); }
  std::size_t ctrl_dep_count() const noexcept { return ctrl_deps_.size(); }
  /// Ids that control dependencies name and no node has, each once.
  std::size_t absent_count() const noexcept { return absent_ids_.size(); }
  /// Whether data and control dependencies together have no circle, so that both can be obeyed.
  bool control_can_be_obeyed() const noexcept { return control_can_be_obeyed_; }

  Facts facts(Index node) const { return attributes_.facts(place(node)); }

  /// Bytes of memory that the trace holds.
  std::size_t memory() const noexcept {
    const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
    return bytes(ids_) + bytes(types_) + bytes(names_) + bytes(value_places_) + bytes(shapes_) + bytes(starts_) +
           bytes(durations_) + bytes(data_begins_) + bytes(data_deps_) + bytes(ctrl_begins_) + bytes(ctrl_deps_) +
           bytes(absent_ids_) + attributes_.memory() + sizeof(*this);
  }

 private:
  friend class TraceBuilder;
  friend class NodeCursor;

  static std::span<const Index> row(const std::vector<std::uint32_t>& begins, const std::vector<Index>& all,
                                    Index node) {
    if (begins.empty()) return {};
    return std::span{all}.subspan(begins[node], begins[node + 1] - begins[node]);
  }

  AttributeStore::Place place(Index node) const { return {value_places_[node], shapes_[node]}; }

  std::string source_;
  Format format_ = Format::v0_0_4;
  Losses losses_;
  AttributeStore::Text header_version_;
  AttributeStore::Place header_place_;
  bool has_header_ = false;

  std::vector<std::uint64_t> ids_;
  std::vector<NodeType> types_;
  std::vector<AttributeStore::Text> names_;
  std::vector<std::uint64_t> value_places_;
  std::vector<std::uint32_t> shapes_;
  std::vector<std::uint64_t> starts_;    // empty where all are 0
  std::vector<std::uint64_t> durations_; // likewise
  std::vector<std::uint32_t> data_begins_;
  std::vector<Index> data_deps_;
  std::vector<std::uint32_t> ctrl_begins_; // empty where there are none
  std::vector<Index> ctrl_deps_;
  std::vector<std::uint64_t> absent_ids_;
  AttributeStore attributes_;
  bool control_can_be_obeyed_ = true;
};

/// Reads whole nodes, and the header, out of a trace, for writers. One cursor a thread; the view lives until the next
/// call.
class NodeCursor {
 public:
  explicit NodeCursor(const Trace& trace) noexcept : trace_{&trace}, attributes_{trace.attributes_} {}

  const NodeView& operator()(Trace::Index node) {
    const Trace& trace = *trace_;
    view_.id = trace.ids_[node];
    view_.type = trace.types_[node];
    view_.start_time_micros = trace.start_time_micros(node);
    view_.duration_micros = trace.duration_micros(node);
    ids_.clear();
    const std::span<const Trace::Index> data = trace.data_deps(node);
    const std::span<const Trace::Index> ctrl = trace.ctrl_deps(node);
    for (const Trace::Index dependency : data)
      ids_.push_back(trace.ids_[dependency]);
    for (const Trace::Index dependency : ctrl)
      ids_.push_back(trace.id_of_dependency(dependency));
    view_.data_deps = std::span{ids_}.first(data.size());
    view_.ctrl_deps = std::span{ids_}.last(ctrl.size());
    attributes_.read(trace.place(node), trace.names_[node], view_);
    return view_;
  }

  /// Empty where the file has none.
  HeaderView header() {
    NodeView view;
    if (trace_->has_header_) attributes_.read(trace_->header_place_, trace_->header_version_, view);
    return {view.name, view.attributes};
  }

 private:
  const Trace* trace_;
  AttributeStore::Cursor attributes_;
  std::vector<std::uint64_t> ids_;
  NodeView view_;
};

} // namespace triosim::chakra
