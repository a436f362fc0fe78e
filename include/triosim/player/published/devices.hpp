#pragma once

#include "triosim/cluster.hpp"
#include "triosim/engine/exact.hpp"
#include "triosim/error.hpp"
#include "triosim/net/message.hpp"
#include "triosim/player/activity.hpp"
#include "triosim/player/published/residency.hpp"
#include "triosim/player/published/tables.hpp"
#include "triosim/report/report.hpp"
#include "triosim/task_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::player::published {

/// Plays the layers of a task graph as the published TrioSim does. Per lane:
///
///     fetch:    nothing while anything is on its way to the lane. From the layer that is to be fetched next: one that
///               has been started already, or whose inputs are all present, needs no fetch. Otherwise set room aside
///               for the missing inputs (none: stop, and nobody tries again) and for the outputs, and fetch the missing
///               inputs in one message from the remote memory.
///     compute:  start the next layer unless one is running or an input is absent. Present means that room has been set
///               aside: nobody waits for the bytes.
///     A step is a fetch followed by a compute. Everything that ends calls for a step of its lane.
///
/// So fetching runs ahead of computing without limit, one message at a time. What lanes have to do with each other is
/// the business of the `Coupling`, which is told of what happens and decides what may go on:
///
///     touched(bytes, operation)  how much of a tensor a task reads or writes
///     begin()                    what happens at time 0
///     layers(lane)               the layers that the lane may look at yet
///     look(lane, layer)          the lane looks at a layer: true if it cannot know at that moment what is present, so
///                                that it sets room aside for the outputs although no input is missing
///     may_start(lane, layer)     whether anything but absent inputs holds it back
///     started(lane, layer), completed(lane, layer), arrived(message)
///     event(argument)            what it has asked for by `call_coupling`
///     more()                     called when nothing is left to happen: true if there now is
///     kept(lane)                 what an eviction must not touch; nothing: nothing is dropped
///     unfinished(report)         calls `report(rank, task, reason)` for what cannot go on, other than layers
///
/// The run ends when nothing is left to happen, whatever that was, and takes until then. What is left undone then is
/// stuck: the published program says nothing and prints its too early time; here it is an error.
template <class Engine, class Net, class Observing, template <class> class Coupling>
class Devices {
 public:
  /// `durations[program][task]` is the time of each compute task in seconds. Graph and cluster must outlive the player.
  Devices(const TaskGraph& graph, const Cluster& cluster, const std::vector<std::vector<double>>& durations, Net net,
          Observing observing)
      : graph_{graph}, cluster_{cluster}, untouched_net_{net}, net_{std::move(net)}, observing_{std::move(observing)} {
    prepare(durations);
    coupling_.emplace(*this);
  }

  Report run() {
    observing_.begin(graph_);
    coupling_->begin();
    do
      engine_.run(*this);
    while (coupling_->more());
    check_finished();
    return report();
  }

  // ---- called by the engine ---------------------------------------------------------------------------------------
  void handle(engine::Event event) {
    switch (event.kind()) {
    case step_lane:
      step(event.entity());
      break;
    case layer_done:
      complete(event.entity(), event.argument());
      break;
    case coupling_event:
      coupling_->event(event.argument());
      break;
    case net_wake:
      if constexpr (requires(Port port) { net_.on_wake(0u, port); }) {
        Port port{*this};
        net_.on_wake(event.argument(), port);
      }
      break;
    case message_here:
      arrive(event.argument());
      break;
    default:
      break;
    }
    drain();
  }
  void instant_end() {
    if constexpr (requires(Port port) { net_.instant_end(port); }) {
      Port port{*this};
      net_.instant_end(port);
      drain();
    }
  }

  // ---- for the coupling -------------------------------------------------------------------------------------------
  const TaskGraph& graph() const noexcept { return graph_; }
  std::uint32_t ranks() const noexcept { return graph_.ranks(); }
  std::uint32_t micro_batches() const noexcept { return micro_batches_; }
  Lane lanes() const noexcept { return ranks() * micro_batches_; }
  Lane lane(std::uint32_t rank, std::uint32_t micro_batch) const { return rank * micro_batches_ + micro_batch; }
  std::uint32_t rank_of(Lane lane) const { return lane / micro_batches_; }
  std::uint32_t micro_batch_of(Lane lane) const { return lane % micro_batches_; }
  const Table& table(std::uint32_t rank) const { return tables_[graph_.program_index(rank)]; }
  TaskId task(Lane lane, std::uint32_t layer) const { return table(rank_of(lane)).task(micro_batch_of(lane), layer); }
  /// The rank knows a layer's tensors under the numbers `offset` further on.
  void rename(std::uint32_t rank, std::uint32_t layer, TensorIndex offset) {
    tables_[graph_.program_index(rank)].rename(layer, offset);
  }
  Residency& residency() noexcept { return residency_; }
  Observing& observing() noexcept { return observing_; }
  Time now() const { return engine_.now(); }

  /// The layer that the lane fetches next, and the one that it starts next.
  std::uint32_t fetching(Lane lane) const { return fetch_[lane]; }
  std::uint32_t computing(Lane lane) const { return compute_[lane]; }
  void resume_at(Lane lane, std::uint32_t layer) { fetch_[lane] = compute_[lane] = layer; }
  std::uint64_t layers_left() const noexcept { return left_; }

  void call_step(Lane lane) { engine::schedule_in(engine_, 0.0, engine::Event{step_lane, lane, 0}); }
  void call_coupling(std::uint32_t argument) {
    engine::schedule_in(engine_, 0.0, engine::Event{coupling_event, 0, argument});
  }

  /// A message from one rank to another: `arrived(message)` follows, with what is said here. Until then it counts as
  /// being on its way to `to`.
  struct Peer {
    Lane from = 0, to = 0;
    std::uint32_t about = 0;
    TaskId task = 0;
  };
  void send(const Peer& peer, std::uint64_t bytes) {
    const std::uint32_t source = rank_of(peer.from), destination = rank_of(peer.to);
    report_.ranks[source].bytes_sent += Bytes{bytes};
    ++report_.ranks[source].messages_sent;
    activity_[source].communicate(true, now());
    launch(peer.from, {peer, source, destination, Bytes{bytes}, false, true});
  }
  std::uint32_t under_way_to(Lane lane) const { return inflight_[lane]; }

  /// Sets room aside for what comes in by itself.
  bool admit(Lane lane, std::span<const Use> uses) {
    const bool done = residency_.insert(rank_of(lane), each(uses), Residency::Status::Available,
                                        Residency::Status::Allocated, eviction(lane));
    if (!done) fell_short(lane, uses);
    memory_changed(rank_of(lane));
    return done;
  }
  /// Makes room for a chunk of `task`; `keep` is what survives if all else must go. Throws `OutOfMemory` if even that
  /// is not enough. The published program abandons the step there and sends it again and again, or stalls.
  void make_room_for_chunk(std::uint32_t rank, std::uint64_t bytes, std::span<const Use> keep, TaskId task) {
    if (residency_.room(rank, bytes, [&] { residency_.drop_all(rank, keep); })) return;
    throw OutOfMemory{rank, std::string{graph_.program(rank).name(task)}, residency_.in_use(rank) + bytes,
                      residency_.capacity()};
  }

  /// Memories and network are as they were at the beginning; the clock goes on.
  void start_anew() {
    residency_.clear();
    net_ = untouched_net_;
  }
  void end_phase(std::string name) { report_.phases.push_back({std::move(name), now()}); }

 private:
  enum Kind : std::uint8_t { step_lane, layer_done, coupling_event, net_wake, message_here };

  struct Flight {
    Peer peer;
    std::uint32_t source = 0, destination = 0; // nodes: ranks, or the remote memory
    Bytes bytes;
    bool is_fetch = false;
    bool in_use = false;
  };

  struct Port {
    Devices& player;
    Time now() const { return player.engine_.now(); }
    // What never arrives is left to the deadlock report.
    void deliver_at(Time at, net::MessageId id) {
      if (at == Time::infinity()) return;
      const double delay = static_cast<double>((at - now()).picoseconds()) / 1e12;
      engine::schedule_in(player.engine_, delay, engine::Event{message_here, 0, id});
    }
    void deliver(net::MessageId id) { player.landed_.push_back(id); }
    void wake_at(Time at, std::uint32_t token) {
      if (at != Time::infinity()) player.engine_.schedule(at, engine::Event{net_wake, 0, token});
    }
    double seconds() const requires engine::ExactClock<Engine> { return player.engine_.seconds(); }
    void wake_at_seconds(double at, std::uint32_t token) requires engine::ExactClock<Engine> {
      player.engine_.schedule_seconds(at, engine::Event{net_wake, 0, token});
    }
  };

  void prepare(const std::vector<std::vector<double>>& durations) {
    for (std::size_t p = 0; p < graph_.programs().size(); ++p)
      tables_.emplace_back(
          graph_.programs()[p], [&](TaskId task) { return durations[p][task]; },
          [](std::uint64_t bytes, const Operation& operation) { return Coupling<Devices>::touched(bytes, operation); });
    for (const Table& table : tables_)
      micro_batches_ = std::max(micro_batches_, table.micro_batches());
    const std::uint64_t lanes = std::uint64_t{graph_.ranks()} * micro_batches_;
    if (lanes > engine::Event::max_entity)
      throw ConfigError{"ranks x micro-batches", std::to_string(lanes), "at most 16777215"};
    std::vector<std::uint32_t> tensors;
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      tensors.push_back(table(rank).tensors());
      left_ += std::uint64_t{table(rank).size()} * table(rank).micro_batches();
    }
    residency_ = Residency{tensors, cluster_.memory_capacity ? cluster_.memory_capacity->count() : ~std::uint64_t{0}};
    fetch_.resize(lanes);
    compute_.resize(lanes);
    busy_.resize(lanes);
    inflight_.resize(lanes);
    missing_.resize(lanes);
    flights_.resize(2 * lanes);
    computing_lanes_.resize(graph_.ranks());
    activity_.resize(graph_.ranks());
    report_.ranks.resize(graph_.ranks());
  }

  static auto each(std::span<const Use> uses) {
    return [uses](auto&& visit) {
      for (const Use& use : uses)
        visit(use);
    };
  }
  auto eviction(Lane lane) {
    return [this, lane] {
      if (const auto keep = coupling_->kept(lane)) residency_.drop_used(rank_of(lane), *keep);
    };
  }

  // ---- the step of a lane -----------------------------------------------------------------------------------------
  void step(Lane lane) {
    fetch(lane);
    compute(lane);
  }

  void fetch(Lane lane) {
    const std::uint32_t rank = rank_of(lane);
    const Table& layers = table(rank);
    for (;;) {
      const std::uint32_t layer = fetch_[lane];
      if (inflight_[lane] > 0 || layer >= coupling_->layers(lane)) return;
      if (layer < compute_[lane]) {
        ++fetch_[lane];
        call_step(lane);
        return;
      }
      const auto inputs = layers.inputs(layer);
      const auto absent = [&](const Use& use) { return !residency_.present(rank, use.tensor); };
      const bool strange = coupling_->look(lane, layer) && !inputs.empty();
      if (!strange && std::none_of(inputs.begin(), inputs.end(), absent)) {
        ++fetch_[lane];
        continue;
      }
      auto& missing = missing_[lane];
      missing.clear();
      std::uint64_t bytes = 0;
      for (const Use& use : inputs)
        if (use.fetchable && absent(use)) {
          missing.push_back(use);
          bytes += use.bytes;
        }
      constexpr auto allocated = Residency::Status::Allocated;
      if (!residency_.insert(rank, each(missing), allocated, allocated, eviction(lane))) {
        fell_short(lane, missing);
        return;
      }
      residency_.insert(rank, each(layers.outputs(layer)), allocated, allocated, eviction(lane));
      memory_changed(rank);
      if (missing.empty()) {
        ++fetch_[lane];
        call_step(lane);
        return;
      }
      if (!cluster_.topology.memory())
        throw TopologyError{"rank " + std::to_string(rank) + " fetches from a remote memory, which the topology lacks"};
      launch(lane, {{lane, lane, 0, task(lane, layer)}, *cluster_.topology.memory(), rank, Bytes{bytes}, true, true});
      return;
    }
  }

  void compute(Lane lane) {
    const std::uint32_t layer = compute_[lane], rank = rank_of(lane);
    if (busy_[lane] || layer >= coupling_->layers(lane) || !coupling_->may_start(lane, layer)) return;
    coupling_->look(lane, layer);
    const Table& layers = table(rank);
    for (const Use& use : layers.inputs(layer))
      if (use.fetchable && !residency_.present(rank, use.tensor)) return;
    engine::schedule_in(engine_, layers.seconds(layer), engine::Event{layer_done, lane, layer});
    busy_[lane] = true;
    compute_[lane] = layer + 1;
    if (++computing_lanes_[rank] == 1) activity_[rank].compute(true, now());
    observing_.task_started(rank, task(lane, layer), now());
    coupling_->started(lane, layer);
  }

  void complete(Lane lane, std::uint32_t layer) {
    const std::uint32_t rank = rank_of(lane);
    const Table& layers = table(rank);
    --left_;
    if (--computing_lanes_[rank] == 0) activity_[rank].compute(false, now());
    report_.ranks[rank].finish = now();
    observing_.task_finished(rank, task(lane, layer), now());
    const bool room = residency_.insert(
        rank,
        [&](auto&& visit) {
          for (const Use& use : layers.outputs(layer))
            visit(use);
          for (const Use& use : layers.inputs(layer))
            visit(use);
        },
        Residency::Status::Used, Residency::Status::Used, eviction(lane));
    if (!room) fell_short(lane, layers.inputs(layer));
    memory_changed(rank);
    busy_[lane] = false;
    coupling_->completed(lane, layer);
  }

  // ---- messages ---------------------------------------------------------------------------------------------------
  // A lane's fetch and its message to a peer have fixed numbers, those of later micro-batches first: a network that
  // breaks ties by number then lets a later micro-batch go first, as it does in the backward pass.
  net::MessageId number(Lane lane, bool is_fetch) {
    const Lane slot = lane - micro_batch_of(lane) + (micro_batches_ - 1 - micro_batch_of(lane));
    net::MessageId id = 2 * slot + (is_fetch ? 1u : 0u);
    if (!flights_[id].in_use) return id;
    for (id = 2 * lanes(); id < flights_.size(); ++id)
      if (!flights_[id].in_use) return id;
    flights_.emplace_back();
    return id;
  }

  void launch(Lane lane, const Flight& flight) {
    const net::MessageId id = number(lane, flight.is_fetch);
    flights_[id] = flight;
    ++inflight_[flight.peer.to];
    activity_[flight.destination].communicate(true, now());
    const net::Message message{flight.source, flight.destination, flight.bytes, id};
    observing_.message_sent(message, now());
    Port port{*this};
    if (message.source == message.destination)
      port.deliver(id);
    else
      net_.send(message, port);
  }

  void arrive(net::MessageId id) {
    const Flight flight = flights_[id];
    flights_[id].in_use = false;
    const Lane lane = flight.peer.to;
    --inflight_[lane];
    activity_[flight.destination].communicate(false, now());
    observing_.message_arrived({flight.source, flight.destination, flight.bytes, id}, now());
    if (flight.is_fetch) {
      if (!residency_.arrive(flight.destination, missing_[lane], eviction(lane))) fell_short(lane, missing_[lane]);
      memory_changed(flight.destination);
      call_step(lane);
    } else {
      activity_[flight.source].communicate(false, now());
      coupling_->arrived(flight.peer);
    }
  }

  // A network may deliver in the middle of its own bookkeeping; the receivers act here, when it has returned.
  void drain() {
    for (std::size_t next = 0; next < landed_.size(); ++next)
      arrive(landed_[next]);
    landed_.clear();
  }

  void memory_changed(std::uint32_t rank) { observing_.memory_changed(rank, Bytes{residency_.in_use(rank)}, now()); }

  // ---- the end ----------------------------------------------------------------------------------------------------
  struct Shortage {
    Lane lane;
    std::uint32_t layer;
    std::uint64_t needed;
  };
  // Only the first counts: the others follow from it.
  void fell_short(Lane lane, std::span<const Use> uses) {
    if (shortage_) return;
    std::uint64_t needed = residency_.in_use(rank_of(lane));
    for (const Use& use : uses)
      needed += use.bytes;
    shortage_ = Shortage{lane, std::min(fetch_[lane], table(rank_of(lane)).size() - 1), needed};
  }

  void check_finished() {
    std::vector<std::string> lines;
    std::uint64_t beyond = 0;
    const auto stuck = [&](std::uint32_t rank, TaskId task, const std::string& reason) {
      if (lines.size() < most_lines)
        lines.push_back(title(rank, task) + reason);
      else
        ++beyond;
    };
    if (left_ > 0)
      for (Lane lane = 0; lane < lanes(); ++lane)
        if (compute_[lane] < table(rank_of(lane)).size())
          stuck(rank_of(lane), task(lane, compute_[lane]), reason(lane));
    if (left_ == 0 || lines.empty()) coupling_->unfinished(stuck);
    if (lines.empty()) return;
    if (shortage_) {
      const std::uint32_t rank = rank_of(shortage_->lane);
      throw OutOfMemory{rank, std::string{graph_.program(rank).name(task(shortage_->lane, shortage_->layer))},
                        shortage_->needed, residency_.capacity()};
    }
    if (beyond > 0) lines.push_back("and " + std::to_string(beyond) + " more tasks");
    throw Deadlock{std::move(lines)};
  }

  std::string title(std::uint32_t rank, TaskId task) const {
    const Program& program = graph_.program(rank);
    return "rank " + std::to_string(rank) + ": " + std::string{to_string(program.kind(task))} + " " +
           std::string{program.name(task)} + " (task " + std::to_string(task) + ") ";
  }

  std::string reason(Lane lane) const {
    const std::uint32_t rank = rank_of(lane), layer = compute_[lane];
    if (inflight_[lane] > 0) return "waits for bytes that never arrive";
    if (layer < coupling_->layers(lane))
      for (const Use& use : table(rank).inputs(layer))
        if (use.fetchable && !residency_.present(rank, use.tensor))
          return "waits for inputs that nobody fetches any more";
    return coupling_->reason(lane);
  }

  Report report() {
    const Time total = now();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      activity_[rank].finish(total);
      activity_[rank].write(report_.ranks[rank]);
      report_.ranks[rank].peak_memory = Bytes{residency_.peak(rank)};
    }
    report_.total = total;
    report_.events = engine_.events();
    report_.tasks = graph_.tasks();
    observing_.end(total);
    return std::move(report_);
  }

  static constexpr std::size_t most_lines = 10'000;

  const TaskGraph& graph_;
  const Cluster& cluster_;
  const Net untouched_net_;
  Net net_;
  [[no_unique_address]] Observing observing_;
  Engine engine_;

  std::vector<Table> tables_; // of each program
  std::uint32_t micro_batches_ = 1;
  Residency residency_;
  std::vector<std::uint32_t> fetch_, compute_, inflight_; // of each lane
  std::vector<std::uint8_t> busy_;                        // of each lane
  std::vector<std::vector<Use>> missing_;                 // of each lane: what its fetch is to bring
  std::vector<Flight> flights_;
  std::vector<net::MessageId> landed_;
  std::vector<std::uint32_t> computing_lanes_; // of each rank
  std::vector<Activity> activity_;             // of each rank
  std::uint64_t left_ = 0;                     // layers not completed
  std::optional<Shortage> shortage_;
  Report report_;
  // Looks at the tables when it is made.
  std::optional<Coupling<Devices>> coupling_;
};

} // namespace triosim::player::published
