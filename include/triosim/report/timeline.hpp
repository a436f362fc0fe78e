#pragma once

#include "triosim/error.hpp"
#include "triosim/io/json_text.hpp"
#include "triosim/io/output_file.hpp"
#include "triosim/net/message.hpp"
#include "triosim/report/timeline_lanes.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::report {

/// What a timeline shows.
struct TimelineOptions {
  /// Slices, arrows and counter values that are written before the rest is only counted. A browser takes about a
  /// million.
  std::uint64_t max_events = 1'000'000;
  /// Ranks below this number are shown.
  std::uint32_t ranks = std::numeric_limits<std::uint32_t>::max();
};

/// An observer that writes what happens as Chrome trace events, which https://ui.perfetto.dev and chrome://tracing
/// show.
///
/// A rank is a process (pid = rank + 1). Its threads: "compute"; "group G: NAME" for the collectives of each group
/// slot; "sends"; "receives"; "remote memory". What overlaps on a thread moves to a second one of that name, so slices
/// of one thread never overlap.
///
/// * Complete events ("X") with start and duration in microseconds, exact to the picosecond; args say which task,
///   micro-batch, bytes, peer and tag. A message between ranks is a slice on the sender's "sends" and on the receiver's
///   "receives" for as long as it is under way, with an arrow ("s", "f") from one to the other. Messages of which a
///   collective is made are not shown. A receive that only picks up what is there already takes no time and is not
///   shown.
/// * Counters ("C") of the memory in use, where a memory policy keeps account: the value at the end of each instant at
///   which it changed.
/// * "otherData" says the simulated time, how many events were written, and what was left out; where something was left
///   out, a mark on the time axis says so too.
///
/// Sizes: about 180 bytes an event. Tells of one run.
class Timeline {
 public:
  /// Into a file, packed with gzip if its name ends in ".gz". The file appears when the run has ended. Throws `Error`.
  static Timeline to_file(const std::filesystem::path& path, TimelineOptions options = {}) {
    return Timeline{std::make_unique<io::OutputFile>(path), nullptr, options};
  }
  /// Appends to a text, which must outlive the run. The text is whole when the run has ended.
  static Timeline to_text(std::string& text, TimelineOptions options = {}) { return Timeline{nullptr, &text, options}; }

  /// Slices, arrows and counter values that have been written.
  std::uint64_t events() const noexcept { return written_; }
  /// Those that have not, because of `max_events`.
  std::uint64_t left_out() const noexcept { return left_out_; }

  // ---- called by the player ---------------------------------------------------------------------------------------
  /// Throws `Error` when it is asked to tell of a second run.
  void begin(const TaskGraph& graph) {
    if (graph_) throw Error{"a timeline tells of one run; make another one for the next"};
    graph_ = &graph;
    shown_ = std::min(options_.ranks, graph.ranks());
    kinds_ = static_cast<std::uint32_t>(graph.groups().size()) + 4;
    lanes_.resize(std::size_t{shown_} * kinds_);
    levels_.resize(shown_);
    named_.resize(shown_, false);
    out_.append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  void task_started(std::uint32_t rank, TaskId task, Time now) {
    const Program& program = graph_->program(rank);
    announced_.reset();
    if (program.kind(task) == TaskKind::Send || program.kind(task) == TaskKind::Fetch)
      announced_ = Announced{rank, task};
    if (!shows(rank)) return;
    open_[key(rank, task)] = {now, take(rank, kind_of(program, task))};
  }

  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    const auto found = open_.find(key(rank, task));
    if (found == open_.end()) return;
    const Open open = found->second;
    open_.erase(found);
    const Program& program = graph_->program(rank);
    const std::uint32_t kind = kind_of(program, task);
    give_back(rank, kind, open.lane);
    if (program.kind(task) == TaskKind::Receive && open.start == now) return;
    if (!room(1)) return;
    begin_slice(rank, kind, open.lane, program.name(task), open.start, now);
    end_slice(program, rank, task);
  }

  void message_sent(const net::Message& message, Time now) {
    const std::optional<Announced> announced = std::exchange(announced_, std::nullopt);
    const bool from_memory = message.source >= graph_->ranks(), to_memory = message.destination >= graph_->ranks();
    Flight flight;
    flight.sent = now;
    if (from_memory || to_memory) {
      const std::uint32_t rank = from_memory ? message.destination : message.source;
      // A fetch task shows itself.
      if (!shows(rank) || (announced && announced->rank == rank)) return;
      flight.kind = Flight::Memory;
      flight.lane = take(rank, memory());
    } else {
      if (!announced || announced->rank != message.source || message.source == message.destination) return;
      flight.kind = Flight::Peer;
      flight.task = announced->task;
      if (shows(message.destination)) flight.lane = take(message.destination, receives());
    }
    if (flights_.size() <= message.id) flights_.resize(std::size_t{message.id} + 1);
    flights_[message.id] = flight;
  }

  void message_arrived(const net::Message& message, Time now) {
    if (message.id >= flights_.size()) return;
    const Flight flight = std::exchange(flights_[message.id], Flight{});
    if (flight.kind == Flight::Memory) {
      const bool read = message.source >= graph_->ranks();
      const std::uint32_t rank = read ? message.destination : message.source;
      give_back(rank, memory(), flight.lane);
      if (!room(1)) return;
      begin_slice(rank, memory(), flight.lane, read ? "read from memory" : "write to memory", flight.sent, now);
      io::append_decimal(out_.append(",\"cat\":\"memory\",\"args\":{\"bytes\":"), message.bytes.count());
      out_.append("}}");
      spill();
    } else if (flight.kind == Flight::Peer) {
      show_message(message, flight, now);
    }
  }

  void memory_changed(std::uint32_t rank, Bytes in_use, Time now) {
    if (!shows(rank)) return;
    Level& level = levels_[rank];
    if (level.at != now) show_level(rank);
    level.at = now;
    level.bytes = in_use.count();
  }

  /// Completes the text, or the file.
  void end(Time total) {
    for (std::uint32_t rank = 0; rank < shown_; ++rank)
      show_level(rank);
    if (left_out_ > 0) {
      event("i", "the timeline is full: later events are left out", 1, 1, full_);
      out_.append(",\"s\":\"g\"}");
    }
    const auto entry = [&](std::string_view name, std::uint64_t count) {
      out_.append(",\"").append(name).append("\":\"");
      io::append_decimal(out_, count);
      out_.push_back('"');
    };
    out_.append("\n],\"otherData\":{\"schema\":\"triosim.timeline/1\",\"simulated_time_s\":\"");
    io::append_scaled(out_, total.picoseconds(), 12);
    out_.push_back('"');
    entry("ranks", graph_->ranks());
    entry("ranks_shown", shown_);
    entry("events", written_);
    entry("events_left_out", left_out_);
    out_.append("}}\n");
    if (text_) {
      text_->append(out_);
    } else {
      file_->write(out_);
      file_->commit();
    }
    out_.clear();
  }

 private:
  struct Announced {
    std::uint32_t rank = 0;
    TaskId task = 0;
  };
  struct Open {
    Time start;
    std::uint32_t lane = 0;
  };
  struct Flight {
    enum Kind : std::uint8_t { None, Peer, Memory } kind = None;
    std::uint32_t lane = 0;
    TaskId task = 0;
    Time sent;
  };
  struct Level {
    Time at{-1};
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> written;
  };

  Timeline(std::unique_ptr<io::OutputFile> file, std::string* text, TimelineOptions options)
      : file_{std::move(file)}, text_{text}, options_{options} {}

  // ---- processes and threads --------------------------------------------------------------------------------------
  bool shows(std::uint32_t rank) const noexcept { return rank < shown_; }
  static std::uint64_t key(std::uint32_t rank, TaskId task) { return std::uint64_t{rank} << 32 | task; }
  std::uint32_t sends() const noexcept { return kinds_ - 3; }
  std::uint32_t receives() const noexcept { return kinds_ - 2; }
  std::uint32_t memory() const noexcept { return kinds_ - 1; }
  // Compute is 0, and the collectives of slot g are g + 1.
  std::uint32_t kind_of(const Program& program, TaskId task) const {
    switch (program.kind(task)) {
    case TaskKind::Compute:
      break;
    case TaskKind::Collective:
      return program.collective(task).group + 1u;
    case TaskKind::Send:
      return sends();
    case TaskKind::Receive:
      return receives();
    case TaskKind::Fetch:
      return memory();
    }
    return 0;
  }
  std::string thread_name(std::uint32_t kind, std::uint32_t lane) const {
    std::string name = kind == 0            ? "compute"
                       : kind == sends()    ? "sends"
                       : kind == receives() ? "receives"
                       : kind == memory()   ? "remote memory"
                                            : "group " + std::to_string(kind - 1) + ": " +
                                                std::string{graph_->group(static_cast<std::uint16_t>(kind - 1)).name()};
    if (lane > 0) name.append(" (").append(std::to_string(lane + 1)).append(")");
    return name;
  }
  std::uint64_t thread(std::uint32_t kind, std::uint32_t lane) const noexcept {
    return 1 + kind + std::uint64_t{lane} * kinds_;
  }

  std::uint32_t take(std::uint32_t rank, std::uint32_t kind) {
    return lanes_[std::size_t{rank} * kinds_ + kind].take();
  }
  void give_back(std::uint32_t rank, std::uint32_t kind, std::uint32_t lane) {
    lanes_[std::size_t{rank} * kinds_ + kind].give_back(lane);
  }

  // Names the process and the thread where they show for the first time.
  void introduce(std::uint32_t rank, std::uint32_t kind, std::uint32_t lane) {
    const auto about = [&](std::string_view what, std::uint64_t tid) {
      event("M", what, rank + std::uint64_t{1}, tid, Time{});
      out_.append(",\"args\":{");
    };
    const auto number = [&](std::string_view what, std::uint64_t tid, std::uint64_t value) {
      about(what, tid);
      io::append_decimal(out_.append("\"sort_index\":"), value);
      out_.append("}}");
    };
    if (!named_[rank]) {
      named_[rank] = true;
      about("process_name", 0);
      io::append_decimal(out_.append("\"name\":\"rank "), rank);
      out_.append("\"}}");
      number("process_sort_index", 0, rank);
    }
    if (!lanes_[std::size_t{rank} * kinds_ + kind].introduce(lane)) return;
    about("thread_name", thread(kind, lane));
    io::append_json_string(out_.append("\"name\":"), thread_name(kind, lane));
    out_.append("}}");
    number("thread_sort_index", thread(kind, lane), kind * std::uint64_t{1'000} + std::min(lane, 999u));
  }

  // ---- events -----------------------------------------------------------------------------------------------------
  // Whether `events` more may be written; otherwise they count as left out.
  bool room(std::uint64_t events) {
    if (left_out_ == 0 && events <= options_.max_events - written_) {
      written_ += events;
      return true;
    }
    left_out_ += events;
    return false;
  }

  void event(std::string_view phase, std::string_view name, std::uint64_t pid, std::uint64_t tid, Time at) {
    out_.append(any_ ? ",\n" : "\n").append("{\"ph\":\"").append(phase).append("\",\"name\":");
    any_ = true;
    io::append_json_string(out_, name);
    io::append_decimal(out_.append(",\"pid\":"), pid);
    io::append_decimal(out_.append(",\"tid\":"), tid);
    io::append_scaled(out_.append(",\"ts\":"), at.picoseconds(), 6);
  }

  void begin_slice(std::uint32_t rank, std::uint32_t kind, std::uint32_t lane, std::string_view name, Time start,
                   Time end) {
    introduce(rank, kind, lane);
    event("X", name, rank + std::uint64_t{1}, thread(kind, lane), start);
    io::append_scaled(out_.append(",\"dur\":"), (end - start).picoseconds(), 6);
    full_ = std::max(full_, end);
  }

  void end_slice(const Program& program, std::uint32_t rank, TaskId task) {
    const auto bytes = [&](Bytes count) { io::append_decimal(out_.append(",\"bytes\":"), count.count()); };
    out_.append(",\"cat\":\"");
    const TaskKind kind = program.kind(task);
    const bool compute = kind == TaskKind::Compute;
    out_.append(compute ? to_string(program.operation(task).stage) : to_string(kind));
    io::append_decimal(out_.append("\",\"args\":{\"task\":"), task);
    if (program.micro_batch_of(task) != Program::no_micro_batch)
      io::append_decimal(out_.append(",\"micro_batch\":"), program.micro_batch_of(task));
    switch (kind) {
    case TaskKind::Compute:
      break;
    case TaskKind::Collective:
      out_.append(",\"type\":\"").append(to_string(program.collective(task).type)).append("\"");
      io::append_decimal(out_.append(",\"members\":"), graph_->group(program.collective(task).group).size(rank));
      bytes(program.collective(task).bytes);
      break;
    case TaskKind::Send:
    case TaskKind::Receive:
      out_.append(kind == TaskKind::Send ? ",\"to\":" : ",\"from\":");
      io::append_decimal(out_, graph_->peer(rank, program.message(task)));
      io::append_decimal(out_.append(",\"tag\":"), program.message(task).tag);
      bytes(program.message(task).bytes);
      break;
    case TaskKind::Fetch:
      bytes(program.fetch(task));
      break;
    }
    out_.append("}}");
    spill();
  }

  // A message between ranks: a slice at the sender, one at the receiver, and an arrow. Viewers tie the end of an arrow
  // to the slice that is open at its instant, so slices come first and the arrow ends a nanosecond early.
  void show_message(const net::Message& message, const Flight& flight, Time now) {
    const std::uint32_t from = message.source, to = message.destination;
    const Program& program = graph_->program(from);
    const std::string_view name = program.name(flight.task);
    const auto found = open_.find(key(from, flight.task));
    const bool at_sender = found != open_.end(), at_receiver = shows(to);
    std::uint32_t lane = 0;
    if (at_sender) {
      lane = found->second.lane;
      give_back(from, sends(), lane);
      open_.erase(found);
    }
    if (at_receiver) give_back(to, receives(), flight.lane);
    if (!at_sender && !at_receiver) return;
    if (!room(at_sender && at_receiver ? 4 : 1)) return;
    if (at_sender) {
      begin_slice(from, sends(), lane, name, flight.sent, now);
      end_slice(program, from, flight.task);
    }
    if (at_receiver) {
      begin_slice(to, receives(), flight.lane, name, flight.sent, now);
      io::append_decimal(out_.append(",\"cat\":\"receive\",\"args\":{\"from\":"), from);
      io::append_decimal(out_.append(",\"tag\":"), program.message(flight.task).tag);
      io::append_decimal(out_.append(",\"bytes\":"), message.bytes.count());
      out_.append("}}");
    }
    if (at_sender && at_receiver) {
      ++arrows_;
      event("s", name, from + std::uint64_t{1}, thread(sends(), lane), flight.sent);
      io::append_decimal(out_.append(",\"cat\":\"message\",\"id\":"), arrows_);
      out_.push_back('}');
      event("f", name, to + std::uint64_t{1}, thread(receives(), flight.lane),
            std::max(flight.sent, now - Time{1'000}));
      io::append_decimal(out_.append(",\"cat\":\"message\",\"bp\":\"e\",\"id\":"), arrows_);
      out_.push_back('}');
    }
    spill();
  }

  void show_level(std::uint32_t rank) {
    Level& level = levels_[rank];
    if (level.at < Time{} || level.written == level.bytes || !room(1)) return;
    level.written = level.bytes;
    introduce(rank, 0, 0);
    event("C", "memory in use", rank + std::uint64_t{1}, 0, level.at);
    io::append_decimal(out_.append(",\"args\":{\"bytes\":"), level.bytes);
    out_.append("}}");
    spill();
  }

  void spill() {
    if (out_.size() < (std::size_t{1} << 16)) return;
    if (text_)
      text_->append(out_);
    else
      file_->write(out_);
    out_.clear();
  }

  std::unique_ptr<io::OutputFile> file_;
  std::string* text_;
  TimelineOptions options_;
  const TaskGraph* graph_ = nullptr;
  std::uint32_t shown_ = 0, kinds_ = 0;
  std::vector<Lanes> lanes_; // [rank][kind]
  std::vector<bool> named_;
  std::unordered_map<std::uint64_t, Open> open_; // by rank and task
  std::vector<Flight> flights_;                  // by number of the message
  std::vector<Level> levels_;
  std::optional<Announced> announced_; // the task whose message comes next
  std::string out_;
  bool any_ = false;
  std::uint64_t written_ = 0, left_out_ = 0, arrows_ = 0;
  Time full_;
};

} // namespace triosim::report
