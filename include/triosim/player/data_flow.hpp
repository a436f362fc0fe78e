#pragma once

#include "triosim/cluster.hpp"
#include "triosim/collective/standard.hpp"
#include "triosim/concepts.hpp"
#include "triosim/player/activity.hpp"
#include "triosim/player/collectives.hpp"
#include "triosim/player/matching.hpp"
#include "triosim/player/stuck.hpp"
#include "triosim/report/observers.hpp"
#include "triosim/report/report.hpp"
#include "triosim/scenario.hpp"
#include "triosim/task_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::player {

/// Plays a task graph by the physical rules: a task starts when all that it depends on has ended and what it needs is
/// there.
///
/// * A rank computes one task at a time: the lowest number among those that are ready.
/// * A collective starts when all members have come to it. Those of one group slot run one after the other on a rank,
/// in
///   program order, as a NCCL stream runs what it was given. A network with `collective_time` is asked how long it
///   takes; otherwise it becomes messages by the network's `Collectives`, or collective::Standard.
/// * A send is eager: the message leaves when the task is ready, and the send ends when it has arrived. A receive ends
///   when its message has arrived.
/// * A fetch is a message from the machine's remote memory.
/// * With a memory policy that keeps account, a task starts only when its tensors are on the device. A compute task
///   that waits for them has its turn, whatever becomes ready in the meantime. A collective asks for its tensors when
///   it is its turn on the rank, a receive when its message has come.
template <class Engine, class Net, class Memory, class Observing>
class DataFlow {
 public:
  /// `durations[program][task]` is the time of each compute task. All references must outlive the player.
  DataFlow(const TaskGraph& graph, const Cluster& cluster, std::vector<std::vector<Time>> durations, Net net,
           Memory memory, Observing observing)
      : graph_{graph}, cluster_{cluster}, durations_{std::move(durations)}, net_{std::move(net)}, memory_{std::move(
                                                                                                      memory)},
        observing_{std::move(observing)}, collectives_{graph}, pace_{cluster.scenario, graph.ranks()} {
    if constexpr (requires { Algorithm{net_.collectives()}; }) algorithm_ = net_.collectives();
    prepare();
  }

  /// Throws `Deadlock` where tasks are left that cannot go on, and what the memory policy throws.
  Report run() {
    observing_.begin(graph_);
    if constexpr (Memory::keeps_account)
      for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank)
        if (memory_.in_use(rank) > Bytes{}) memory_changed(rank);
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const Program& program = graph_.program(rank);
      for (TaskId task = 0; task < program.size(); ++task)
        if (waits(rank, task) == 0) ready(rank, task);
    }
    schedule_changes();
    engine_.run(*this);
    if (left_ > 0) throw Deadlock{stuck()};
    return report();
  }

  // ---- called by the engine ---------------------------------------------------------------------------------------
  void handle(engine::Event event) {
    switch (event.kind()) {
    case compute_done:
      end_compute(event.entity(), event.argument());
      break;
    case message_here:
      arrive(event.argument());
      break;
    case net_wake:
      if constexpr (requires(Port port) { net_.on_wake(0u, port); }) {
        Port port{*this};
        net_.on_wake(event.argument(), port);
      }
      break;
    case collective_done:
      end_collective(event.argument());
      break;
    case link_changed:
      change_link(cluster_.scenario.links[event.argument()]);
      break;
    default:
      break;
    }
    drain();
  }
  void instant_end() {
    do {
      // Ranks choose what to compute when all that becomes ready at this instant has done so.
      for (std::size_t i = 0; i < starting_.size(); ++i) {
        if constexpr (Memory::keeps_account) retry(starting_[i]);
        start_compute(starting_[i]);
      }
      starting_.clear();
      if constexpr (requires(Port port) { net_.instant_end(port); }) {
        Port port{*this};
        net_.instant_end(port);
      }
      drain();
    } while (!starting_.empty());
  }

 private:
  using Algorithm = typename collective::AlgorithmOf<Net>::type;

  enum Kind : std::uint8_t { compute_done, message_here, net_wake, collective_done, link_changed };

  static constexpr std::uint32_t finished_mark = 0xFFFFFFFF;
  static constexpr TaskId no_task = 0xFFFFFFFF;

  // What a message in flight is for.
  enum class Purpose : std::uint8_t { Collective, PointToPoint, Fetch, Residency };
  struct Flight {
    net::Message message;
    Purpose purpose = Purpose::Collective;
    std::uint32_t rank = 0; // sender; of a fetch the receiver
    TaskId task = 0;
    std::uint32_t run = 0, member = 0, peer = 0, step = 0;
  };

  struct Stream {
    std::uint32_t cursor = 0;
    bool busy = false;
  };

  struct Port {
    DataFlow& player;
    Time now() const { return player.engine_.now(); }
    // What never arrives is left to the deadlock report.
    void deliver_at(Time at, net::MessageId id) {
      if (at != Time::infinity()) player.engine_.schedule(at, engine::Event{message_here, 0, id});
    }
    void deliver(net::MessageId id) { player.landed_.push_back(id); }
    void wake_at(Time at, std::uint32_t token) {
      static_assert(
          requires(Net net, Port port) { net.on_wake(token, port); },
          "triosim: a network policy must have on_wake(token, port) to call port.wake_at; see "
          "triosim/concepts.hpp");
      if (at != Time::infinity()) player.engine_.schedule(at, engine::Event{net_wake, 0, token});
    }
  };

  // What a memory policy calls for bytes that are to come to the device, or to leave it: `key` comes back in
  // `memory.arrived(rank, key)`.
  struct Fetcher {
    DataFlow& player;
    std::uint32_t rank;
    void operator()(Bytes bytes, std::uint32_t key) { player.fetch(rank, key, bytes, Purpose::Residency); }
    void store(Bytes bytes, std::uint32_t key) { player.fetch(rank, key, bytes, Purpose::Residency, true); }
  };

  // Tasks that wait for room on one device.
  struct Waiting {
    TaskId compute = no_task; // the one whose turn it is
    std::vector<TaskId> others;
  };

  void prepare() {
    for (const Program& program : graph_.programs()) {
      edges_.push_back(program.edges());
      auto& orders = collective_order_.emplace_back(graph_.groups().size());
      for (TaskId task = 0; task < program.size(); ++task)
        if (program.kind(task) == TaskKind::Collective) orders[program.collective(task).group].push_back(task);
    }
    const std::uint32_t ranks = graph_.ranks();
    if (ranks > engine::Event::max_entity) throw ConfigError{"ranks", std::to_string(ranks), "at most 16777215"};
    base_.reserve(ranks + 1);
    base_.push_back(0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      base_.push_back(base_.back() + graph_.program(rank).size());
    left_ = base_.back();
    waits_.resize(base_.back());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const Program::Edges& edges = edges_[graph_.program_index(rank)];
      for (std::uint32_t task = 0; task < graph_.program(rank).size(); ++task)
        waits_[base_[rank] + task] = edges.before_begins[task + 1] - edges.before_begins[task];
    }
    runnable_.resize(ranks);
    computing_.resize(ranks, false);
    activity_.resize(ranks);
    streams_.resize(ranks * graph_.groups().size());
    report_.ranks.resize(ranks);
    if constexpr (Memory::keeps_account) {
      waiting_.resize(ranks);
      memory_.begin(graph_, cluster_);
    }
  }

  std::uint32_t& waits(std::uint32_t rank, TaskId task) { return waits_[base_[rank] + task]; }

  // ---- tasks ------------------------------------------------------------------------------------------------------
  void ready(std::uint32_t rank, TaskId task) {
    const Program& program = graph_.program(rank);
    switch (program.kind(task)) {
    case TaskKind::Compute:
      runnable_[rank].push_back(task);
      std::push_heap(runnable_[rank].begin(), runnable_[rank].end(), std::greater<>{});
      if (!computing_[rank]) starting_.push_back(rank);
      break;
    case TaskKind::Collective:
      join(rank, program.collective(task).group);
      break;
    case TaskKind::Receive:
      receive(rank, task);
      break;
    case TaskKind::Send:
    case TaskKind::Fetch:
      if (admit(rank, task)) begin(rank, task);
      break;
    }
  }

  // A task that does not compute, with its tensors on the device.
  void begin(std::uint32_t rank, TaskId task) {
    const Program& program = graph_.program(rank);
    switch (program.kind(task)) {
    case TaskKind::Compute:
      break;
    case TaskKind::Collective:
      gather(rank, task);
      break;
    case TaskKind::Send:
      send(rank, task);
      break;
    case TaskKind::Receive:
      observing_.task_started(rank, task, engine_.now());
      finish(rank, task);
      break;
    case TaskKind::Fetch:
      fetch(rank, task, program.fetch(task), Purpose::Fetch);
      break;
    }
  }

  // ---- memory -----------------------------------------------------------------------------------------------------
  void memory_changed(std::uint32_t rank) { observing_.memory_changed(rank, memory_.in_use(rank), engine_.now()); }

  bool touches_memory(std::uint32_t rank, TaskId task) const {
    const Program& program = graph_.program(rank);
    return !program.inputs(task).empty() || !program.outputs(task).empty();
  }

  // Whether a task that does not compute may begin; if not, it is tried again when something changes on its device.
  bool admit(std::uint32_t rank, TaskId task) {
    if constexpr (Memory::keeps_account) {
      if (!touches_memory(rank, task)) return true;
      const bool present = memory_.acquire(rank, task, Fetcher{*this, rank});
      memory_changed(rank);
      if (!present) waiting_[rank].others.push_back(task);
      return present;
    }
    return true;
  }

  void retry(std::uint32_t rank) {
    auto& others = waiting_[rank].others;
    for (std::size_t i = 0; i < others.size();) {
      const TaskId task = others[i];
      const bool present = memory_.acquire(rank, task, Fetcher{*this, rank});
      memory_changed(rank);
      if (present) {
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        begin(rank, task);
      } else {
        ++i;
      }
    }
  }

  void release(std::uint32_t rank, TaskId task) {
    if constexpr (Memory::keeps_account) {
      if (graph_.program(rank).kind(task) != TaskKind::Compute) {
        if (!touches_memory(rank, task)) return;
        starting_.push_back(rank);
      }
      memory_.release(rank, task);
      memory_changed(rank);
    }
  }

  // ---- compute ----------------------------------------------------------------------------------------------------

  void finish(std::uint32_t rank, TaskId task) {
    release(rank, task);
    waits(rank, task) = finished_mark;
    --left_;
    report_.ranks[rank].finish = engine_.now();
    observing_.task_finished(rank, task, engine_.now());
    for (const TaskId next : edges_[graph_.program_index(rank)].successors(task))
      if (--waits(rank, next) == 0) ready(rank, next);
  }

  void start_compute(std::uint32_t rank) {
    if (computing_[rank]) return;
    TaskId task = no_task;
    if constexpr (Memory::keeps_account) {
      TaskId& next = waiting_[rank].compute;
      if (next == no_task) next = take_runnable(rank);
      if (next == no_task) return;
      const bool present = memory_.acquire(rank, next, Fetcher{*this, rank});
      memory_changed(rank);
      if (!present) return; // tried again when something changes on the device
      task = std::exchange(next, no_task);
    } else {
      task = take_runnable(rank);
      if (task == no_task) return;
    }
    computing_[rank] = true;
    activity_[rank].compute(true, engine_.now());
    observing_.task_started(rank, task, engine_.now());
    const Time end = pace_.end(rank, engine_.now(), durations_[graph_.program_index(rank)][task]);
    if (end != Time::infinity()) engine_.schedule(end, engine::Event{compute_done, rank, task});
    if constexpr (requires(Fetcher fetcher) { memory_.prefetch(rank, task, fetcher); })
      memory_.prefetch(rank, task, Fetcher{*this, rank});
  }

  // What the scenario of the machine has for its links. Links of a closed form do not notice.
  static constexpr bool links_can_change = requires(Net net) { net.set_bandwidth(topology::LinkId{}, Bandwidth{}); }
  &&!requires(Net net, collective::Call call, std::span<const std::uint32_t> members) {
    net.collective_time(call, members);
  };
  void schedule_changes() {
    const auto& changes = cluster_.scenario.links;
    if (!changes.empty() && !links_can_change)
      throw ConfigError{"scenario", "links that change", "a network of links that can: flow or packet sharing"};
    for (std::uint32_t i = 0; i < changes.size(); ++i) {
      const auto& links = cluster_.topology.links();
      const bool found = std::any_of(links.begin(), links.end(), [&](const topology::Link& link) {
        return (link.from == changes[i].a && link.to == changes[i].b);
      });
      if (!found)
        throw ConfigError{"scenario",
                          "a link between node " + std::to_string(changes[i].a) + " and node " +
                              std::to_string(changes[i].b),
                          "two nodes that a link joins"};
      engine_.schedule(changes[i].at, engine::Event{link_changed, 0, i});
    }
  }
  void change_link(const Scenario::LinkChange& change) {
    if constexpr (links_can_change)
      for (topology::LinkId id = 0; id < cluster_.topology.links().size(); ++id) {
        const topology::Link& link = cluster_.topology.link(id);
        if ((link.from == change.a && link.to == change.b) || (link.from == change.b && link.to == change.a))
          net_.set_bandwidth(id, link.bandwidth * change.bandwidth);
      }
  }

  // The lowest number among those that are ready.
  TaskId take_runnable(std::uint32_t rank) {
    auto& runnable = runnable_[rank];
    if (runnable.empty()) return no_task;
    std::pop_heap(runnable.begin(), runnable.end(), std::greater<>{});
    const TaskId task = runnable.back();
    runnable.pop_back();
    return task;
  }

  void end_compute(std::uint32_t rank, TaskId task) {
    computing_[rank] = false;
    activity_[rank].compute(false, engine_.now());
    starting_.push_back(rank);
    finish(rank, task);
  }

  // ---- messages ---------------------------------------------------------------------------------------------------
  std::uint32_t new_flight(const Flight& flight) {
    std::uint32_t id = 0;
    if (free_flights_.empty()) {
      id = static_cast<std::uint32_t>(flights_.size());
      flights_.push_back(flight);
    } else {
      id = free_flights_.back();
      free_flights_.pop_back();
      flights_[id] = flight;
    }
    flights_[id].message.id = id;
    return id;
  }

  void launch(const Flight& flight) {
    const net::Message message = flights_[new_flight(flight)].message;
    observing_.message_sent(message, engine_.now());
    if (message.source < graph_.ranks()) {
      report_.ranks[message.source].bytes_sent += message.bytes;
      ++report_.ranks[message.source].messages_sent;
    }
    Port port{*this};
    if (message.source == message.destination)
      port.deliver(message.id);
    else
      net_.send(message, port);
  }

  void send(std::uint32_t rank, TaskId task) {
    const PointToPoint& what = graph_.program(rank).message(task);
    const std::uint32_t peer = graph_.peer(rank, what);
    observing_.task_started(rank, task, engine_.now());
    activity_[rank].communicate(true, engine_.now());
    activity_[peer].communicate(true, engine_.now());
    Flight flight;
    flight.message = {rank, peer, what.bytes, 0};
    flight.purpose = Purpose::PointToPoint;
    flight.rank = rank;
    flight.task = task;
    launch(flight);
  }

  void receive(std::uint32_t rank, TaskId task) {
    const PointToPoint& what = graph_.program(rank).message(task);
    const Matching::Key key{graph_.peer(rank, what), rank, what.tag};
    if (const auto message = matching_.receive(key, {task, what.bytes})) {
      check_size(key, message->bytes, what.bytes);
      if (admit(rank, task)) begin(rank, task);
    }
  }

  void fetch(std::uint32_t rank, TaskId task, Bytes bytes, Purpose purpose, bool store = false) {
    if (!cluster_.topology.memory())
      throw TopologyError{"rank " + std::to_string(rank) + " uses a remote memory, which the topology lacks"};
    if (purpose == Purpose::Fetch) observing_.task_started(rank, task, engine_.now());
    activity_[rank].communicate(true, engine_.now());
    Flight flight;
    flight.message = {*cluster_.topology.memory(), rank, bytes, 0};
    if (store) std::swap(flight.message.source, flight.message.destination);
    flight.purpose = purpose;
    flight.rank = rank;
    flight.task = task;
    launch(flight);
  }

  void arrive(std::uint32_t id) {
    const Flight flight = flights_[id];
    free_flights_.push_back(id);
    observing_.message_arrived(flight.message, engine_.now());
    switch (flight.purpose) {
    case Purpose::Collective:
      arrive_in_collective(flight);
      break;
    case Purpose::PointToPoint: {
      const std::uint32_t peer = flight.message.destination;
      activity_[flight.rank].communicate(false, engine_.now());
      activity_[peer].communicate(false, engine_.now());
      const std::uint32_t tag = graph_.program(flight.rank).message(flight.task).tag;
      const Matching::Key key{flight.rank, peer, tag};
      const auto waiting = matching_.message(key, {flight.task, flight.message.bytes});
      finish(flight.rank, flight.task);
      if (waiting) {
        check_size(key, flight.message.bytes, waiting->bytes);
        if (admit(peer, waiting->task)) begin(peer, waiting->task);
      }
      break;
    }
    case Purpose::Fetch:
      activity_[flight.rank].communicate(false, engine_.now());
      finish(flight.rank, flight.task);
      break;
    case Purpose::Residency:
      activity_[flight.rank].communicate(false, engine_.now());
      if constexpr (Memory::keeps_account) {
        memory_.arrived(flight.rank, flight.task);
        memory_changed(flight.rank);
      }
      starting_.push_back(flight.rank);
      break;
    }
  }

  static void check_size(const Matching::Key& key, Bytes sent, Bytes expected) {
    if (sent != expected)
      throw ConfigError{"message from rank " + std::to_string(key.source) + " to rank " +
                            std::to_string(key.destination) + " with tag " + std::to_string(key.tag),
                        std::to_string(sent.count()) + " bytes sent",
                        std::to_string(expected.count()) + " bytes as the receive says"};
  }

  // ---- collectives ------------------------------------------------------------------------------------------------
  Stream& stream(std::uint32_t rank, std::uint16_t group) { return streams_[rank * graph_.groups().size() + group]; }

  // Lets the rank come to the next collective of the slot if it is ready for it.
  void join(std::uint32_t rank, std::uint16_t group) {
    Stream& at = stream(rank, group);
    const auto& order = collective_order_[graph_.program_index(rank)][group];
    if (at.busy || at.cursor == order.size() || waits(rank, order[at.cursor]) != 0) return;
    at.busy = true;
    if (admit(rank, order[at.cursor])) gather(rank, order[at.cursor]);
  }

  // The rank comes to a collective whose turn it is.
  void gather(std::uint32_t rank, TaskId task) {
    const std::uint16_t group = graph_.program(rank).collective(task).group;
    const Collective& what = graph_.program(rank).collective(task);
    const Communicators& groups = graph_.group(group);
    const Communicators::Place place = groups.place(rank);
    const auto members = groups.members(place.communicator);
    const collective::Call call{what.type, static_cast<std::uint32_t>(members.size()), what.bytes};
    const std::uint32_t number = collectives_.gather(group, place.communicator, call);
    CollectiveRun& run = collectives_[number];
    if (run.call.type != call.type || run.call.bytes != call.bytes)
      throw ConfigError{"collective " + std::string{graph_.program(rank).name(task)} + " on rank " +
                            std::to_string(rank),
                        std::string{to_string(call.type)} + " of " + std::to_string(call.bytes.count()) + " bytes",
                        std::string{to_string(run.call.type)} + " of " + std::to_string(run.call.bytes.count()) +
                            " bytes as on the ranks that came before"};
    run.task[place.index] = task;
    run.has_joined[place.index] = true;
    if (++run.joined == call.members) begin_collective(number);
  }

  void begin_collective(std::uint32_t number) {
    collectives_.close(number);
    const auto members = graph_.group(collectives_[number].group).members(collectives_[number].communicator);
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      activity_[members[m]].communicate(true, engine_.now());
      observing_.task_started(members[m], collectives_[number].task[m], engine_.now());
    }
    if constexpr (requires { net_.collective_time(collectives_[number].call, members); }) {
      const std::optional<Time> time = net_.collective_time(collectives_[number].call, members);
      if (time) {
        engine_.schedule(engine_.now() + *time, engine::Event{collective_done, 0, number});
        return;
      }
    }
    {
      CollectiveRun& run = collectives_[number];
      run.steps = members.size() == 1 ? 0 : algorithm_.steps(run.call);
      run.in_order = in_order(run.call);
      if (!run.in_order) run.arrived_by_step.assign(std::size_t{run.steps} * run.call.members, 0);
      for (std::uint32_t m = 0; m < members.size(); ++m)
        if (run.steps > 0) run.expected[m] = algorithm_.receives(run.call, m, 0);
    }
    // Finishing a member may make `collectives_` grow, so no reference to the run is kept.
    const std::uint32_t steps = collectives_[number].steps;
    for (std::uint32_t m = 0; m < members.size(); ++m)
      if (steps > 0) send_step(number, m);
    for (std::uint32_t m = 0; m < members.size(); ++m)
      advance(number, m);
  }

  static bool in_order(const collective::Call& call) {
    if constexpr (requires { Algorithm::in_order(call); })
      return Algorithm::in_order(call);
    else if constexpr (requires { Algorithm::in_order; })
      return Algorithm::in_order;
    else
      return false;
  }

  void send_step(std::uint32_t number, std::uint32_t member) {
    const CollectiveRun& run = collectives_[number];
    const auto members = graph_.group(run.group).members(run.communicator);
    const collective::Call call = run.call;
    const std::uint32_t step = run.step[member];
    algorithm_.sends(call, member, step, [&](std::uint32_t peer, Bytes bytes) {
      ++collectives_[number].outgoing[member];
      Flight flight;
      flight.message = {members[member], members[peer], bytes, 0};
      flight.run = number;
      flight.member = member;
      flight.peer = peer;
      flight.step = step;
      launch(flight);
    });
  }

  void arrive_in_collective(const Flight& flight) {
    CollectiveRun& run = collectives_[flight.run];
    --run.outgoing[flight.member];
    if (run.in_order)
      ++run.arrived[flight.peer];
    else
      ++run.arrived_by_step[std::size_t{flight.peer} * run.steps + flight.step];
    // Should the first finish the collective, its place may be taken by another one.
    const std::uint64_t generation = run.generation;
    advance(flight.run, flight.member);
    if (collectives_[flight.run].generation == generation) advance(flight.run, flight.peer);
  }

  // Takes a member through all steps that are complete.
  void advance(std::uint32_t number, std::uint32_t member) {
    for (;;) {
      CollectiveRun& run = collectives_[number];
      if (run.step[member] > run.steps) return; // finished already
      if (run.step[member] < run.steps) {
        std::uint32_t& arrived = run.in_order ? run.arrived[member]
                                              : run.arrived_by_step[std::size_t{member} * run.steps + run.step[member]];
        if (run.outgoing[member] > 0 || arrived < run.expected[member]) return;
        arrived -= run.expected[member];
        ++run.step[member];
      }
      if (run.step[member] == run.steps) {
        ++run.step[member];
        const bool last = ++run.finished == run.call.members;
        end_member(run, member);
        if (last) collectives_.release(number);
        return;
      }
      run.expected[member] = algorithm_.receives(run.call, member, run.step[member]);
      send_step(number, member);
    }
  }

  void end_member(const CollectiveRun& run, std::uint32_t member) {
    const std::uint16_t group = run.group;
    const std::uint32_t rank = graph_.group(group).members(run.communicator)[member];
    const TaskId task = run.task[member];
    activity_[rank].communicate(false, engine_.now());
    Stream& at = stream(rank, group);
    ++at.cursor;
    finish(rank, task);
    // `finish` may already have let the rank into the next one through `ready`; the stream must be free only then.
    at.busy = false;
    join(rank, group);
  }

  void end_collective(std::uint32_t number) {
    const std::uint32_t members = collectives_[number].call.members;
    for (std::uint32_t m = 0; m < members; ++m)
      end_member(collectives_[number], m);
    collectives_.release(number);
  }

  // A network may deliver in the middle of its own bookkeeping; the receivers act here, when it has returned.
  void drain() {
    for (std::size_t next = 0; next < landed_.size(); ++next)
      arrive(landed_[next]);
    landed_.clear();
  }

  // ---- the end ----------------------------------------------------------------------------------------------------
  Report report() {
    Time total;
    for (const RankReport& rank : report_.ranks)
      total = std::max(total, rank.finish);
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      activity_[rank].finish(total);
      activity_[rank].write(report_.ranks[rank]);
      if constexpr (Memory::keeps_account) report_.ranks[rank].peak_memory = memory_.peak(rank);
    }
    report_.total = total;
    report_.events = engine_.events();
    report_.tasks = base_.back();
    observing_.end(total);
    return std::move(report_);
  }

  std::vector<std::string> stuck() const {
    return describe_stuck(
        graph_, edges_, [&](std::uint32_t rank, TaskId task) { return waits_[base_[rank] + task]; },
        [&](std::uint32_t rank, TaskId task) { return reason(rank, task); });
  }

  // Why a task that all its predecessors have let go does not end.
  std::string reason(std::uint32_t rank, TaskId task) const {
    const Program& program = graph_.program(rank);
    if constexpr (Memory::keeps_account) {
      const Waiting& waiting = waiting_[rank];
      if (waiting.compute == task ||
          std::find(waiting.others.begin(), waiting.others.end(), task) != waiting.others.end())
        return "waits for its tensors in the memory of its device";
      if (program.kind(task) == TaskKind::Compute && waiting.compute != no_task)
        return "waits for its turn after " + std::string{program.name(waiting.compute)};
    }
    switch (program.kind(task)) {
    case TaskKind::Compute:
      return pace_.end(rank, engine_.now(), Time{1}) == Time::infinity() ? "is on a device that has failed"
                                                                         : "waits for its turn to compute";
    case TaskKind::Fetch:
      return "waits for the remote memory";
    case TaskKind::Send:
      return "waits for its message to reach rank " + std::to_string(graph_.peer(rank, program.message(task)));
    case TaskKind::Receive: {
      const PointToPoint& what = program.message(task);
      const std::uint32_t source = graph_.peer(rank, what);
      return describe_receive(source, what.tag, matching_.unclaimed(source, rank));
    }
    case TaskKind::Collective:
      break;
    }
    const std::uint16_t group = program.collective(task).group;
    const Stream& at = streams_[rank * graph_.groups().size() + group];
    const auto& order = collective_order_[graph_.program_index(rank)][group];
    if (at.cursor < order.size() && order[at.cursor] != task)
      return "waits for its turn after " + std::string{program.name(order[at.cursor])};
    const std::uint32_t communicator = graph_.group(group).place(rank).communicator;
    const std::uint32_t run = collectives_.gathering(group, communicator);
    if (run == CollectiveRuns::none) return "waits for messages that never arrive";
    return describe_absent(graph_.group(group).members(communicator), collectives_.at(run).has_joined);
  }

  const TaskGraph& graph_;
  const Cluster& cluster_;
  std::vector<std::vector<Time>> durations_;
  Net net_;
  [[no_unique_address]] Memory memory_;
  [[no_unique_address]] Observing observing_;
  [[no_unique_address]] Algorithm algorithm_{};
  Engine engine_;

  std::vector<Program::Edges> edges_;                              // of each program
  std::vector<std::vector<std::vector<TaskId>>> collective_order_; // [program][group]
  std::vector<std::size_t> base_;                                  // of each rank's tasks in waits_
  std::vector<std::uint32_t> waits_;
  std::vector<std::vector<TaskId>> runnable_; // of each rank, a heap
  std::vector<bool> computing_;
  std::vector<std::uint32_t> starting_; // ranks that may be able to start computing
  std::vector<Waiting> waiting_;        // of each rank, with a memory policy that keeps account
  std::vector<Activity> activity_;
  std::vector<Stream> streams_; // [rank][group]
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::vector<net::MessageId> landed_;
  CollectiveRuns collectives_;
  Pace pace_;
  Matching matching_;
  Report report_;
  std::uint64_t left_ = 0;
};

} // namespace triosim::player
