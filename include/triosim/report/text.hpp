#pragma once

#include "triosim/report/quantities.hpp"
#include "triosim/report/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace triosim::report {

/// How `to_text` writes.
struct TextOptions {
  /// Rows of the table of ranks; the last one counts what is left out.
  std::size_t rows = 32;
};

namespace text_detail {

/// Rows of cells under one heading each, in columns as wide as need be: the first to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  void append_to(std::string& out) const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_)
      if (row.size() > 1)
        for (std::size_t i = 0; i < row.size(); ++i)
          widths[i] = std::max(widths[i], row[i].size());
    for (const auto& row : rows_) {
      out.append(row[0]);
      if (row.size() > 1) out.append(widths[0] - row[0].size(), ' ');
      for (std::size_t i = 1; i < row.size(); ++i)
        out.append(2 + widths[i] - row[i].size(), ' ').append(row[i]);
      out.erase(out.find_last_not_of(' ') + 1);
      out.push_back('\n');
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_; // a row of one cell runs across the table
};

/// "0-7, 16-23", or the first few runs and how many ranks more.
inline std::string name_ranks(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    if (runs++ == 3) return text.append(" and ").append(readable(std::uint64_t{ranks.size() - i})).append(" more");
    text.append(runs == 1 ? "" : ", ").append(std::to_string(ranks[i]));
    if (end > i + 1) text.append("-").append(std::to_string(ranks[end - 1]));
    i = end;
  }
  return text;
}

} // namespace text_detail

/// The report for people: the time of the step, where it goes, and a table of the ranks in which those that did the
/// same share a row.
inline std::string to_text(const Report& report, const TextOptions& options = {}) {
  using text_detail::Table;
  std::string out;
  const auto line = [&](std::string_view label, std::string_view value) {
    out.append(label).append(18 - std::min<std::size_t>(label.size(), 17), ' ').append(value).append("\n");
  };
  line("time of the step", readable(report.total));
  line("GPUs", readable(std::uint64_t{report.ranks.size()}));
  line("rules", report.rules);
  line("tasks, events", readable(report.tasks) + ", " + readable(report.events));

  // Sums in picoseconds of a double: many ranks for many days do not fit an integer.
  double compute = 0, exposed = 0, overlapped = 0, idle = 0;
  for (const RankReport& rank : report.ranks) {
    compute += static_cast<double>(rank.compute.picoseconds());
    exposed += static_cast<double>(rank.exposed_communication.picoseconds());
    overlapped += static_cast<double>(rank.overlapped_communication.picoseconds());
    idle += static_cast<double>(rank.idle.picoseconds());
  }
  const double all = compute + exposed + idle;
  if (all > 0) {
    const auto share = [](double part, double whole) {
      return quantities_detail::fixed(part / whole * 100, 1).append("%");
    };
    out.append("\nwhere the time goes, over all GPUs\n");
    Table shares{{"  compute", share(compute, all)}};
    shares.add({"  communication, exposed", share(exposed, all)});
    shares.add({"  idle", share(idle, all)});
    shares.append_to(out);
    if (exposed + overlapped > 0)
      out.append("  ").append(share(overlapped, exposed + overlapped)).append(" of communication is under compute\n");
  }

  if (!report.critical_path.empty()) {
    out.append("\nwhat set the time: ")
        .append(readable(report.critical_tasks))
        .append(report.critical_tasks == 1 ? " task on " : " tasks on ")
        .append(readable(std::uint64_t{report.critical_ranks}))
        .append(report.critical_ranks == 1 ? " rank\n" : " ranks\n");
    Table path{{"  " + report.critical_path.front().what, readable(report.critical_path.front().time),
                percent(report.critical_path.front().time, report.total)}};
    for (std::size_t i = 1; i < report.critical_path.size() && i < 8; ++i)
      path.add({"  " + report.critical_path[i].what, readable(report.critical_path[i].time),
                percent(report.critical_path[i].time, report.total)});
    path.append_to(out);
  }
  if (!report.busiest_links.empty()) {
    out.append("\nthe busiest links\n");
    const auto name = [&](std::uint32_t node) {
      return node < report.ranks.size() ? "rank " + std::to_string(node) : "node " + std::to_string(node);
    };
    const auto row = [&](const LinkUse& use) {
      return std::vector<std::string>{"  " + name(use.from) + " to " + name(use.to), readable(use.bytes),
                                      quantities_detail::fixed(use.utilisation * 100, 1).append("%")};
    };
    Table links{row(report.busiest_links.front())};
    for (std::size_t i = 1; i < report.busiest_links.size(); ++i)
      links.add(row(report.busiest_links[i]));
    links.append_to(out);
  }

  if (!report.phases.empty()) {
    out.append("\n");
    Table phases{{"phase", "ends at", "takes", ""}};
    Time before;
    for (const Phase& phase : report.phases) {
      phases.add(
          {phase.name, readable(phase.end), readable(phase.end - before), percent(phase.end - before, report.total)});
      before = phase.end;
    }
    phases.append_to(out);
  }

  const auto row_of = [](const RankReport& r) {
    return std::tuple{
        r.compute,    r.exposed_communication, r.overlapped_communication, r.idle, r.finish, r.peak_memory,
        r.bytes_sent, r.messages_sent};
  };
  std::map<decltype(row_of(RankReport{})), std::size_t> group_of;
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t rank = 0; rank < report.ranks.size(); ++rank) {
    const auto [found, fresh] = group_of.try_emplace(row_of(report.ranks[rank]), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(rank);
  }
  if (groups.empty()) return out;
  bool memory = false;
  for (const RankReport& rank : report.ranks)
    memory = memory || rank.peak_memory > Bytes{};

  out.append("\n");
  std::vector<std::string> heading{"ranks", "compute", "",       "exposed",  "",    "overlapped",
                                   "idle",  "",        "finish", "messages", "sent"};
  if (memory) heading.push_back("peak memory");
  Table table{heading};
  const std::size_t shown = groups.size() <= options.rows ? groups.size() : std::max<std::size_t>(options.rows, 1) - 1;
  std::uint64_t left_out = report.ranks.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const RankReport& r = report.ranks[groups[i].front()];
    std::vector<std::string> row{text_detail::name_ranks(groups[i]),
                                 readable(r.compute),
                                 percent(r.compute, report.total),
                                 readable(r.exposed_communication),
                                 percent(r.exposed_communication, report.total),
                                 readable(r.overlapped_communication),
                                 readable(r.idle),
                                 percent(r.idle, report.total),
                                 readable(r.finish),
                                 readable(r.messages_sent),
                                 readable(r.bytes_sent)};
    if (memory) row.push_back(readable(r.peak_memory));
    table.add(std::move(row));
    left_out -= groups[i].size();
  }
  if (left_out > 0) table.add({"and " + readable(left_out) + " more ranks, each unlike those above"});
  table.append_to(out);
  return out;
}

} // namespace triosim::report
