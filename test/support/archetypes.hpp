#pragma once

#include <triosim/cluster.hpp>
#include <triosim/engine/event.hpp>
#include <triosim/net/message.hpp>
#include <triosim/operation.hpp>
#include <triosim/task_graph.hpp>
#include <triosim/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// The least that each slot of the simulator asks for and nothing beyond: if the simulator compiles and runs with
/// these, its concepts are sufficient. Whatever a concept lets a model leave out is left out or deleted here, and what
/// it lets a model return by another type is returned by another type.
namespace triosim::test::archetypes {

/// Made with no arguments; neither copied nor moved.
class Engine {
 public:
  struct Count {
    std::uint64_t events = 0;
    operator std::uint64_t() const { return events; }
  };

  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Time now() const { return now_; }
  Count events() const { return handled_; }
  void schedule(Time at, engine::Event event) { pending_.push_back({at, event}); }

  template <class Handler>
  void run(Handler& handler) {
    for (;;) {
      while (const auto next = take()) {
        ++handled_.events;
        handler.handle(*next);
      }
      handler.instant_end();
      if (pending_.empty()) return;
      now_ = std::max(now_, earliest()->time);
    }
  }

 private:
  std::vector<engine::TimedEvent>::iterator earliest() {
    return std::min_element(pending_.begin(), pending_.end(),
                            [](const auto& a, const auto& b) { return a.time < b.time; });
  }
  // The first of those that are due now.
  std::optional<engine::Event> take() {
    const auto first = earliest();
    if (first == pending_.end() || first->time > now_) return std::nullopt;
    const engine::Event event = first->event;
    pending_.erase(first);
    return event;
  }

  std::vector<engine::TimedEvent> pending_;
  Time now_;
  Count handled_;
};

/// Copied, never assigned, not made with no arguments.
class TimeModel {
 public:
  struct Answer {
    std::optional<Time> time;
    operator std::optional<Time>() const { return time; }
  };

  explicit TimeModel(Time each) : each_{each} {}
  TimeModel(const TimeModel&) = default;
  TimeModel& operator=(const TimeModel&) = delete;

  Answer duration(const Operation&) const { return {each_}; }

 private:
  Time each_;
};

/// Copied and assigned, not made with no arguments nor from a cluster; never wakes up.
class Net {
 public:
  explicit Net(Bandwidth bandwidth) : bandwidth_{bandwidth} {}

  template <class Port>
  void send(const net::Message& message, Port& port) {
    port.deliver_at(port.now() + message.bytes / bandwidth_, message.id);
  }

 private:
  Bandwidth bandwidth_;
};

/// Copied, never assigned, not made with no arguments; lowers a source that cannot be copied.
class Strategy {
 public:
  struct Source {
    explicit Source(Bytes all) : bytes{all} {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    Bytes bytes;
  };

  explicit Strategy(int) {}
  Strategy(const Strategy&) = default;
  Strategy& operator=(const Strategy&) = delete;

  /// Every rank computes, then all reduce the bytes of the source together.
  TaskGraph lower(const Source& source, const Cluster& cluster) const {
    Program program;
    Operation work;
    work.name = "work";
    const TaskId after[] = {program.add_compute(work)};
    program.add_collective("sync", {CollectiveType::AllReduce, 0, source.bytes}, after);
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    graph.add_group(Communicators::world(cluster.ranks()));
    return graph;
  }
};

/// Copied and assigned; lets everything in and keeps account of nothing it could be asked to say.
class Memory {
 public:
  static constexpr bool keeps_account = true;

  explicit Memory(Bytes each) : each_{each} {}

  void begin(const TaskGraph&, const Cluster&) {}
  template <class Fetcher>
  bool acquire(std::uint32_t, std::uint32_t, Fetcher&&) {
    return true;
  }
  void release(std::uint32_t, std::uint32_t) {}
  void arrived(std::uint32_t, std::uint32_t) {}
  Bytes in_use(std::uint32_t) const { return each_; }
  Bytes peak(std::uint32_t) const { return each_; }

 private:
  Bytes each_;
};

} // namespace triosim::test::archetypes
