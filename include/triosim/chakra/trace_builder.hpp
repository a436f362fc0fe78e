#pragma once

#include "triosim/chakra/circle.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/trace.hpp"
#include "triosim/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// Puts a trace together node by node. A dependency may name a node that comes later. `finish` throws `TraceError` for
/// ids that are given twice, data dependencies on nodes that are not there, and circles of data dependencies.
class TraceBuilder {
 public:
  TraceBuilder(std::string source, Format format) {
    trace_.source_ = std::move(source);
    trace_.format_ = format;
  }

  const std::string& source() const noexcept { return trace_.source_; }
  Losses& losses() noexcept { return trace_.losses_; }
  Trace::Index size() const noexcept { return trace_.size(); }

  void header(const HeaderView& header) {
    trace_.header_version_ = trace_.attributes_.intern(header.version);
    trace_.header_place_ = trace_.attributes_.add(header.attributes, std::nullopt, std::nullopt);
    trace_.has_header_ = true;
  }

  void node(const NodeView& node) {
    if (trace_.size() >= limit) throw problem("", "has more than " + std::to_string(limit) + " nodes");
    trace_.ids_.push_back(node.id);
    largest_id_ = std::max(largest_id_, node.id);
    trace_.types_.push_back(node.type);
    trace_.names_.push_back(trace_.attributes_.intern(node.name));
    const AttributeStore::Place place = trace_.attributes_.add(node.attributes, node.inputs, node.outputs);
    if (trace_.attributes_.is_doubtful(place))
      for (const Attribute& attribute : node.attributes)
        note(attribute);
    trace_.value_places_.push_back(place.values);
    trace_.shapes_.push_back(place.shape);
    sparse(trace_.starts_, node.start_time_micros);
    sparse(trace_.durations_, node.duration_micros);
    data_.insert(data_.end(), node.data_deps.begin(), node.data_deps.end());
    ctrl_.insert(ctrl_.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
    if (data_.size() > limit || ctrl_.size() > limit)
      throw problem("", "has more than " + std::to_string(limit) + " dependencies");
    trace_.data_begins_.push_back(static_cast<std::uint32_t>(data_.size() - node.data_deps.size()));
    ctrl_begins_.push_back(static_cast<std::uint32_t>(ctrl_.size() - node.ctrl_deps.size()));
  }

  /// `format`: what the file has turned out to be, where that was not known at first.
  Trace finish(Format format) {
    trace_.format_ = format;
    return finish();
  }
  Trace finish() {
    if (!trace_.starts_.empty()) trace_.starts_.resize(trace_.size(), 0);
    if (!trace_.durations_.empty()) trace_.durations_.resize(trace_.size(), 0);
    trace_.data_begins_.push_back(static_cast<std::uint32_t>(data_.size()));
    ctrl_begins_.push_back(static_cast<std::uint32_t>(ctrl_.size()));
    index_ids();
    resolve_data();
    resolve_ctrl();
    dense_ = {};
    sorted_ = {};
    check_circles();
    trace_.attributes_.freeze();
    const auto fit = [](auto&... columns) { (columns.shrink_to_fit(), ...); };
    fit(trace_.ids_, trace_.types_, trace_.names_, trace_.value_places_, trace_.shapes_, trace_.starts_,
        trace_.durations_, trace_.data_begins_, trace_.ctrl_begins_);
    return std::move(trace_);
  }

 private:
  static constexpr std::size_t limit = 0x7fff'ffff;
  static constexpr Trace::Index nobody = std::numeric_limits<Trace::Index>::max();

  TraceError problem(std::string_view field, std::string_view text) const {
    return TraceError::at_line(trace_.source_, 0, std::string{field}, text);
  }

  std::string describe(Trace::Index node) const {
    std::string text = "node " + std::to_string(trace_.id(node));
    const std::string name = trace_.name(node);
    if (!name.empty()) text.append(" \"").append(name, 0, 100).append("\"");
    return text;
  }

  /// A known attribute of a type that cannot serve is kept, and counted as not understood.
  void note(const Attribute& attribute) {
    const bool serves = is_integer(attribute.type) || is_text(attribute.type);
    if (serves && attribute.type != ValueType::string_val) return;
    const Known meaning = known_attribute(attribute.name);
    if (meaning == Known::other || (meaning == Known::group && serves)) return;
    Facts facts;
    if (facts.take(meaning, attribute)) return;
    trace_.losses_.add(
        std::string{"attribute \""}.append(attribute.name).append("\" of type ").append(to_text(attribute.type)));
  }

  void sparse(std::vector<std::uint64_t>& column, std::uint64_t value) {
    if (value == 0 && column.empty()) return;
    column.resize(trace_.types_.size() - 1, 0);
    column.push_back(value);
  }

  void index_ids() {
    const Trace::Index size = trace_.size();
    const auto twice = [&](Trace::Index first, Trace::Index second) {
      return problem("id", describe(second) + " has the id of " + describe(first) + ", expected ids to differ");
    };
    if (largest_id_ < std::uint64_t{size} * 4 + 4096) {
      dense_.assign(largest_id_ + 1, nobody);
      for (Trace::Index node = 0; node < size; ++node) {
        Trace::Index& place = dense_[trace_.ids_[node]];
        if (place != nobody) throw twice(place, node);
        place = node;
      }
      return;
    }
    sorted_.reserve(size);
    for (Trace::Index node = 0; node < size; ++node)
      sorted_.emplace_back(trace_.ids_[node], node);
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
      if (sorted_[i].first == sorted_[i - 1].first) throw twice(sorted_[i - 1].second, sorted_[i].second);
  }

  Trace::Index find(std::uint64_t id) const {
    if (sorted_.empty()) return id < dense_.size() ? dense_[id] : nobody;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{id, Trace::Index{0}});
    return found != sorted_.end() && found->first == id ? found->second : nobody;
  }

  void resolve_data() {
    trace_.data_deps_.reserve(data_.size());
    for (Trace::Index node = 0; node < trace_.size(); ++node)
      for (std::size_t i = trace_.data_begins_[node]; i < trace_.data_begins_[node + 1]; ++i) {
        const Trace::Index before = find(data_[i]);
        if (before == nobody)
          throw problem("data_deps",
                        describe(node) + " depends on node " + std::to_string(data_[i]) + ", which the file lacks");
        trace_.data_deps_.push_back(before);
      }
    data_ = {};
  }

  void resolve_ctrl() {
    if (ctrl_.empty()) return;
    trace_.ctrl_begins_ = std::move(ctrl_begins_);
    trace_.ctrl_deps_.reserve(ctrl_.size());
    std::unordered_map<std::uint64_t, Trace::Index> absent;
    for (const std::uint64_t id : ctrl_) {
      Trace::Index before = find(id);
      if (before == nobody) {
        const auto [found, fresh] =
            absent.emplace(id, trace_.size() + static_cast<Trace::Index>(trace_.absent_ids_.size()));
        if (fresh) trace_.absent_ids_.push_back(id);
        before = found->second;
      }
      trace_.ctrl_deps_.push_back(before);
    }
    ctrl_ = {};
  }

  void check_circles() {
    const auto data = [&](Trace::Index node, int list) {
      return list == 0 ? trace_.data_deps(node) : std::span<const Trace::Index>{};
    };
    const std::vector<Trace::Index> circle = find_circle(trace_.size(), data);
    if (circle.size() == 1) throw problem("data_deps", describe(circle[0]) + " depends on itself");
    if (!circle.empty()) {
      std::string text = std::to_string(circle.size()) + " nodes wait for each other in a circle: ";
      for (std::size_t i = 0; i < circle.size() && i < 4; ++i)
        text.append(i == 0 ? "" : " -> ").append(describe(circle[i]));
      text.append(circle.size() > 4 ? " -> ..." : "").append(" -> node ").append(std::to_string(trace_.id(circle[0])));
      throw problem("data_deps", text);
    }
    if (trace_.ctrl_deps_.empty()) return;
    const auto both = [&](Trace::Index node, int list) {
      return list == 0 ? trace_.data_deps(node) : trace_.ctrl_deps(node);
    };
    trace_.control_can_be_obeyed_ = find_circle(trace_.size(), both).empty();
  }

  Trace trace_;
  std::vector<std::uint64_t> data_; // ids, until all nodes are known
  std::vector<std::uint64_t> ctrl_;
  std::vector<std::uint32_t> ctrl_begins_;
  std::vector<Trace::Index> dense_; // node by id, where ids are small
  std::vector<std::pair<std::uint64_t, Trace::Index>> sorted_;
  std::uint64_t largest_id_ = 0;
};

} // namespace triosim::chakra
