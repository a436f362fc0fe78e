#pragma once

#include "triosim/engine/event.hpp"
#include "triosim/engine/serial.hpp"
#include "triosim/error.hpp"
#include "triosim/player/streams/network.hpp"
#include "triosim/player/streams/plan.hpp"
#include "triosim/player/streams/settings.hpp"
#include "triosim/player/streams/steps.hpp"
#include "triosim/report/report.hpp"
#include "triosim/task_graph/replay_workload.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace triosim::player::streams {

/// Plays the traces of all ranks by the rules of ASTRA-sim's analytical backend, number for number where that finishes.
/// Each rank has one place for compute on the device, one on the host and one for communication and memory (receives
/// need none), and takes what is ready by ascending node id. Where the published program stops early without a word,
/// this throws `Deadlock` that names what cannot go on.
template <class Network>
class System {
 public:
  System(const ReplayWorkload& workload, Settings settings, std::vector<Dimension> dimensions, RemoteMemory memory = {})
      : workload_{workload}, settings_{std::move(settings)},
        dimensions_{std::move(dimensions)}, memory_{memory}, network_{dimensions_} {
    const std::uint32_t queues = static_cast<std::uint32_t>(dimensions_.size()) * settings_.queues_per_dimension;
    threshold_ = (settings_.active_chunks + settings_.queues_per_dimension - 1) / settings_.queues_per_dimension;
    ranks_.resize(workload.ranks.size());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      Rank& state = ranks_[rank];
      state.waits = workload.program(rank).waits;
      state.left = static_cast<std::uint32_t>(state.waits.size());
      state.queues.resize(queues);
      state.next_queue.assign(dimensions_.size(), {0, 0, settings_.queues_per_dimension / 2});
    }
    servers_.resize(ranks_.size());
  }

  Report run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::uint32_t node = 0; node < ranks_[rank].waits.size(); ++node)
        if (ranks_[rank].waits[node] == 0) ready(rank, node);
      issue(rank);
    }
    engine_.run(*this);
    std::vector<std::string> stuck;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].left != 0) describe(rank, stuck);
    // Collectives first: a rank that waits in one keeps its messages back.
    std::stable_partition(stuck.begin(), stuck.end(),
                          [](const std::string& line) { return line.find("waits in ") != std::string::npos; });
    if (!stuck.empty()) throw Deadlock{std::move(stuck)};
    return report();
  }

  /// Communications that were carried out, and collectives of one rank, which need none.
  std::uint64_t communications() const noexcept { return communications_; }
  std::uint64_t alone() const noexcept { return alone_; }

  // ---- called by the engine and the network ------------------------------------------------------------------------
  void handle(engine::Event event) {
    switch (event.kind()) {
    case tick: {
      const std::uint32_t list = event.argument();
      std::erase_if(ranks_[event.entity()].ticks, [&](const Tick& t) { return t.list == list; });
      for (std::size_t i = 0; i < calls_[list].size(); ++i)
        call(event.entity(), Call{calls_[list][i]});
      calls_[list].clear();
      free_lists_.push_back(list);
      break;
    }
    case arrival:
      arrived(event.argument());
      break;
    case wake:
      network_.wake(event.argument(), *this);
      break;
    case received_late:
      packet_received(event.argument());
      break;
    case message_there:
      message_done(event.entity(), event.argument());
      break;
    default:
      break;
    }
  }
  void instant_end() {}

  void arrives_in(std::int64_t ns, std::uint32_t message) { schedule(ns, engine::Event{arrival, 0, message}); }
  void wake_in(std::int64_t ns, std::uint32_t token) { schedule(ns, engine::Event{wake, 0, token}); }
  void arrived(std::uint32_t message) {
    const Message m = messages_[message];
    free_messages_.push_back(message);
    if (m.is_stream)
      stream_message(m);
    else
      plain_message(m);
  }

 private:
  enum EventKind : std::uint8_t { tick, arrival, wake, received_late, message_there };
  enum class CallKind : std::uint8_t { General, Reduce, NodeDone };

  struct Call {
    CallKind kind = CallKind::General;
    std::uint32_t what = 0; ///< a stream or a node
    std::int64_t bytes = 0;
  };
  struct Tick {
    std::int64_t at;
    std::uint32_t list;
  };
  struct Queue {
    std::deque<std::uint32_t> waiting; ///< streams, the highest priority first
    std::uint32_t running = 0;
  };
  using Ready = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  enum Place : std::uint8_t { host, device, communication, anywhere };
  struct Rank {
    std::vector<std::uint32_t> waits;
    std::array<Ready, 4> ready;
    std::array<bool, 4> busy{};
    bool issuing = false;
    std::uint32_t left = 0;
    std::vector<Queue> queues;
    std::vector<std::array<std::uint32_t, 3>> next_queue; // of each dimension: all, first half, last half
    std::vector<Tick> ticks;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> calls; // how many collectives of each group
    std::int64_t priorities = 0;
    std::int64_t compute_ns = 0, finish_ns = 0;
    std::uint64_t bytes_sent = 0, messages_sent = 0;
    std::vector<std::uint32_t> running; // nodes under way, for those that ask why nothing happens
  };

  struct Stream {
    std::uint32_t operation = 0, member = 0, rank = 0, chunk = 0;
    std::int64_t priority = 0;
    std::uint16_t phase = no_phase;
    std::uint16_t queue = 0;
    bool clockwise = true, toggle = false;
    std::uint8_t tree_state = 0, reductions = 0;
    std::uint32_t zero = 0, reduced = 0;
    std::uint32_t inserted = 0, sent = 0, left = 0, free = 0, received = 0;
    std::vector<std::int32_t> balance;                          // arrivals less receives, by slot
    std::vector<std::pair<std::uint16_t, std::uint32_t>> early; // phase and slot of arrivals ahead of it
    std::vector<std::pair<std::uint16_t, bool>> path;           // queue and direction of each phase
  };
  struct Member {
    bool here = false;
    std::uint32_t node = 0, left = 0;
  };
  struct Operation {
    CollectiveType type = CollectiveType::AllReduce;
    std::int64_t bytes = 0;
    std::uint32_t group = ReplayWorkload::everybody;
    std::uint32_t number = 0;
    std::uint32_t first_rank = 0;
    ChunkPlan plan;
    bool is_local = false; ///< a group smaller than the system
    std::uint32_t streams = 0;
    std::vector<Member> members;
    std::uint32_t here = 0, done = 0;
  };
  struct Message {
    bool is_stream = false;
    std::uint32_t from = 0, to = 0;
    std::int64_t bytes = 0;
    std::uint32_t stream = 0;
    std::uint16_t phase = 0;
    std::uint32_t slot = 0;
    std::int32_t tag = 0;
    std::uint32_t node = 0;
  };
  using Route = std::tuple<std::uint32_t, std::uint32_t, std::int32_t, std::int64_t>; // from, to, tag, bytes
  struct Meeting {
    std::deque<std::uint32_t> receives; // nodes that wait
    std::uint32_t arrived = 0;          // messages that wait
  };

  static constexpr std::uint16_t no_phase = 0xFFFF;

  // ---- time --------------------------------------------------------------------------------------------------------
  std::int64_t now() const noexcept { return engine_.now().picoseconds() / 1000; }
  void schedule(std::int64_t ns, engine::Event event) {
    if (ns < 0 || ns > 4'000'000'000'000'000)
      throw ConfigError{"time", std::to_string(ns) + " ns", "less than 46 days"};
    engine_.schedule(engine_.now() + Time{ns * 1000}, event);
  }
  // What a rank does at one instant it does in one event, in the order in which it was asked.
  void later(std::uint32_t rank, std::int64_t ns, Call what) {
    Rank& state = ranks_[rank];
    const std::int64_t at = now() + ns;
    for (const Tick& t : state.ticks)
      if (t.at == at) {
        calls_[t.list].push_back(what);
        return;
      }
    std::uint32_t list = static_cast<std::uint32_t>(calls_.size());
    if (free_lists_.empty()) {
      calls_.emplace_back();
    } else {
      list = free_lists_.back();
      free_lists_.pop_back();
    }
    calls_[list].push_back(what);
    schedule(ns, engine::Event{tick, rank, list});
    state.ticks.push_back({at, list});
  }
  void call(std::uint32_t rank, const Call& what) {
    switch (what.kind) {
    case CallKind::General:
      general(what.what);
      break;
    case CallKind::Reduce:
      later(rank, reduction(what.bytes), {CallKind::General, what.what, 0});
      break;
    case CallKind::NodeDone:
      complete(rank, what.what);
      break;
    }
  }
  std::int64_t reduction(std::int64_t bytes) const {
    if (!(settings_.local_memory_gbps > 0)) return 0;
    const double seconds = static_cast<double>(bytes) / (settings_.local_memory_gbps * 1e9);
    return 3 * static_cast<std::int64_t>(seconds * 1e9);
  }

  // ---- nodes -------------------------------------------------------------------------------------------------------
  Place place_of(const ReplayProgram::Node& node) const {
    using Kind = ReplayProgram::Kind;
    switch (node.kind) {
    case Kind::Skip:
    case Kind::Receive:
      return anywhere;
    case Kind::Compute:
      return node.on_cpu ? host : device;
    default:
      return communication;
    }
  }
  void ready(std::uint32_t rank, std::uint32_t node) {
    ranks_[rank].ready[place_of(workload_.program(rank).nodes[node])].push(node);
  }

  void issue(std::uint32_t rank) {
    Rank& state = ranks_[rank];
    if (state.issuing) return;
    state.issuing = true;
    for (;;) {
      std::uint32_t best = 0xFFFFFFFF;
      std::size_t chosen = 0;
      for (std::size_t place = 0; place < state.ready.size(); ++place)
        if (!state.busy[place] && !state.ready[place].empty() && state.ready[place].top() < best) {
          best = state.ready[place].top();
          chosen = place;
        }
      if (best == 0xFFFFFFFF) break;
      state.ready[chosen].pop();
      if (chosen != anywhere) state.busy[chosen] = true;
      state.running.push_back(best);
      start(rank, best);
    }
    state.issuing = false;
  }

  void start(std::uint32_t rank, std::uint32_t at) {
    using Kind = ReplayProgram::Kind;
    const ReplayProgram::Node& node = workload_.program(rank).nodes[at];
    const std::int64_t recorded = std::max<std::int64_t>(node.duration_ns, 1);
    if (node.kind == Kind::Skip) return complete(rank, at);
    if (settings_.replay_only && node.kind != Kind::Send && node.kind != Kind::Receive) {
      if (node.kind == Kind::Compute && !node.on_cpu) ranks_[rank].compute_ns += recorded;
      return later(rank, recorded, {CallKind::NodeDone, at, 0});
    }
    switch (node.kind) {
    case Kind::Compute: {
      std::int64_t ns = recorded;
      if (settings_.roofline && !node.on_cpu) {
        ns = roofline(node);
        if (node.bytes == 0 && !(node.operations > 0)) return complete(rank, at);
      }
      if (!node.on_cpu) ranks_[rank].compute_ns += ns;
      later(rank, ns, {CallKind::NodeDone, at, 0});
      break;
    }
    case Kind::Collective:
      if (node.type == CollectiveType::Broadcast) {
        later(rank, recorded, {CallKind::NodeDone, at, 0});
        break;
      }
      join(rank, at, node);
      break;
    case Kind::Send:
      send_plain(rank, at, node);
      break;
    case Kind::Receive:
      receive_plain(rank, at, node);
      break;
    case Kind::Load:
    case Kind::Store:
      remote(rank, at, node);
      break;
    case Kind::Skip:
      break;
    }
  }

  std::int64_t roofline(const ReplayProgram::Node& node) const {
    const double bandwidth = settings_.local_memory_gbps * 1e9, peak = settings_.peak_tflops * 1e12;
    double seconds = 0;
    if (!(node.operations > 0)) {
      seconds = bandwidth > 0 ? static_cast<double>(node.bytes) / bandwidth : 0;
    } else {
      // Without bytes the peak is the only limit.
      const double intensity = node.bytes > 0 ? node.operations / static_cast<double>(node.bytes) : 1e300;
      seconds = node.operations / std::min(bandwidth * intensity, peak);
    }
    if (!(seconds < 4e6)) throw ConfigError{"time of a node", std::to_string(seconds) + " s", "less than 46 days"};
    return static_cast<std::int64_t>(seconds * 1e9);
  }

  void complete(std::uint32_t rank, std::uint32_t at) {
    Rank& state = ranks_[rank];
    const ReplayProgram& program = workload_.program(rank);
    if (const Place place = place_of(program.nodes[at]); place != anywhere) state.busy[place] = false;
    state.running.erase(std::find(state.running.begin(), state.running.end(), at));
    --state.left;
    ++tasks_;
    state.finish_ns = now();
    for (std::uint32_t i = program.after_begins[at]; i < program.after_begins[at + std::size_t{1}]; ++i)
      if (--state.waits[program.after[i]] == 0) ready(rank, program.after[i]);
    issue(rank);
  }

  // ---- messages of the program and memory
  // ----------------------------------------------------------------------------
  std::uint32_t new_message(const Message& message) {
    Rank& sender = ranks_[message.from];
    sender.bytes_sent += static_cast<std::uint64_t>(message.bytes);
    ++sender.messages_sent;
    if (free_messages_.empty()) {
      messages_.push_back(message);
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t at = free_messages_.back();
    free_messages_.pop_back();
    messages_[at] = message;
    return at;
  }
  void send_plain(std::uint32_t rank, std::uint32_t at, const ReplayProgram::Node& node) {
    ++communications_;
    Message message;
    message.from = rank;
    message.to = workload_.ranks[rank].who[node.who];
    message.bytes = node.bytes;
    message.tag = node.tag;
    message.node = at;
    network_.send(new_message(message), rank, message.to, node.bytes, *this);
  }
  void receive_plain(std::uint32_t rank, std::uint32_t at, const ReplayProgram::Node& node) {
    ++communications_;
    Meeting& meeting = meetings_[{workload_.ranks[rank].who[node.who], rank, node.tag, node.bytes}];
    if (meeting.arrived != 0) {
      --meeting.arrived;
      schedule(0, engine::Event{message_there, rank, at});
    } else {
      meeting.receives.push_back(at);
    }
  }
  void plain_message(const Message& m) {
    Meeting& meeting = meetings_[{m.from, m.to, m.tag, m.bytes}];
    complete(m.from, m.node);
    if (meeting.receives.empty()) {
      ++meeting.arrived;
      return;
    }
    const std::uint32_t receive = meeting.receives.front();
    meeting.receives.pop_front();
    complete(m.to, receive);
  }
  void message_done(std::uint32_t rank, std::uint32_t node) { complete(rank, node); }

  void remote(std::uint32_t rank, std::uint32_t at, const ReplayProgram::Node& node) {
    if (memory_.kind == RemoteMemory::Kind::None)
      throw ConfigError{"memory", "nothing",
                        "a file of the remote memory, as node " + std::to_string(node.id) + " of rank " +
                            std::to_string(rank) + " loads or stores"};
    const auto ns = static_cast<std::int64_t>(memory_.latency_ns) +
                    static_cast<std::int64_t>(static_cast<double>(node.bytes) / memory_.bytes_per_ns);
    std::int64_t end = now() + ns;
    if (memory_.kind != RemoteMemory::Kind::PerRank) {
      // One request at a time, first come, first served.
      std::int64_t& until =
          servers_[memory_.kind == RemoteMemory::Kind::Pool ? 0 : rank / std::max(memory_.ranks_per_node, 1u)];
      end = std::max(until, now()) + ns;
      until = end;
    }
    later(rank, end - now(), {CallKind::NodeDone, at, 0});
  }

  // ---- collectives
  // ---------------------------------------------------------------------------------------------------
  std::uint32_t members_of(std::uint32_t group) const {
    return group == ReplayWorkload::everybody ? static_cast<std::uint32_t>(ranks_.size())
                                              : static_cast<std::uint32_t>(workload_.groups[group].members.size());
  }
  std::uint32_t rank_at(const Operation& operation, std::uint32_t place) const {
    return operation.is_local ? workload_.groups[operation.group].members[place] : place;
  }

  void join(std::uint32_t rank, std::uint32_t at, const ReplayProgram::Node& node) {
    Rank& state = ranks_[rank];
    const std::uint32_t group = workload_.ranks[rank].who[node.who];
    const std::uint32_t members = members_of(group);
    ++communications_;
    if (members < 2) {
      ++alone_;
      return later(rank, 0, {CallKind::NodeDone, at, 0});
    }
    auto counter = std::find_if(state.calls.begin(), state.calls.end(), [&](auto& c) { return c.first == group; });
    if (counter == state.calls.end()) counter = state.calls.insert(counter, {group, 0});
    const std::uint32_t number = counter->second++;
    const std::uint32_t index = operation_of(group, number, rank, node);
    Operation& operation = operations_[index];
    if (operation.type != node.type || operation.bytes != node.bytes)
      throw Deadlock{{"rank " + std::to_string(rank) + " calls " + spell(node.type, node.bytes) + " as number " +
                      std::to_string(number + 1) + " of " + group_name(group) + ", where rank " +
                      std::to_string(operation.first_rank) + " calls " + spell(operation.type, operation.bytes)}};
    std::uint32_t place = rank;
    if (group != ReplayWorkload::everybody) {
      const auto& list = workload_.groups[group].members;
      place = operation.is_local ? static_cast<std::uint32_t>(std::find(list.begin(), list.end(), rank) - list.begin())
                                 : rank;
    }
    Member& member = operation.members[place];
    member.here = true;
    member.node = at;
    ++operation.here;
    if (operation.plan.phases.empty()) {
      ++operation.done;
      return later(rank, 0, {CallKind::NodeDone, at, 0});
    }
    member.left = operation.plan.chunks;
    const std::int64_t priority = settings_.scheduling == Scheduling::Explicit ? node.priority
                                  : settings_.scheduling == Scheduling::Lifo   ? state.priorities++
                                                                               : state.priorities--;
    for (std::uint32_t chunk = 0; chunk < operations_[index].plan.chunks; ++chunk) {
      const std::uint32_t id = operations_[index].streams + chunk * members + place;
      Stream& stream = streams_[id];
      stream.operation = index;
      stream.member = place;
      stream.rank = rank;
      stream.chunk = chunk;
      stream.priority = priority;
      for (const Phase& phase : operations_[index].plan.phases)
        stream.path.push_back(take_queue(state, phase));
      enter_phase(id, 0);
      insert(id);
      begin_waiting(rank, streams_[id].queue);
    }
  }

  std::uint32_t operation_of(std::uint32_t group, std::uint32_t number, std::uint32_t rank,
                             const ReplayProgram::Node& node) {
    auto& of_group = by_group_[group];
    if (number < of_group.size()) return of_group[number];
    Operation operation;
    operation.type = node.type;
    operation.bytes = node.bytes;
    operation.group = group;
    operation.number = number;
    operation.first_rank = rank;
    const std::uint32_t members = members_of(group);
    operation.is_local = group != ReplayWorkload::everybody && members != ranks_.size();
    operation.plan =
        plan_chunks(settings_, dimensions_, static_cast<std::uint32_t>(ranks_.size()), node.type, node.bytes,
                    node.dimensions, operation.is_local ? std::optional<std::uint32_t>{members} : std::nullopt);
    operation.members.resize(members);
    if (!operation.plan.phases.empty()) operation.streams = new_streams(operation.plan.chunks * members);
    operations_.push_back(std::move(operation));
    of_group.push_back(static_cast<std::uint32_t>(operations_.size() - 1));
    return of_group.back();
  }
  std::uint32_t new_streams(std::uint32_t count) {
    auto& free = free_streams_[count];
    if (!free.empty()) {
      const std::uint32_t first = free.back();
      free.pop_back();
      return first;
    }
    const auto first = static_cast<std::uint32_t>(streams_.size());
    streams_.resize(streams_.size() + count);
    return first;
  }

  // Round and round, or in the first or last half of the queues of the dimension.
  std::pair<std::uint16_t, bool> take_queue(Rank& state, const Phase& phase) {
    const std::uint32_t count = settings_.queues_per_dimension;
    const std::uint32_t dimension = phase.dimension;
    std::uint32_t chosen = 0;
    if (count > 1) {
      auto& next = state.next_queue[dimension];
      const auto part = static_cast<std::size_t>(phase.part);
      chosen = next[part]++;
      const std::uint32_t begin = part == 2 ? count / 2 : 0, end = part == 1 ? count / 2 : count;
      if (next[part] == end) next[part] = begin;
    }
    const bool clockwise = count < 2 || chosen < count / 2;
    return {static_cast<std::uint16_t>(dimension * count + chosen), clockwise};
  }

  const Phase& phase_of(const Stream& stream) const { return operations_[stream.operation].plan.phases[stream.phase]; }
  std::uint32_t place_in(const Stream& stream, const Phase& phase) const {
    return stream.member / phase.stride % phase.size;
  }
  Steps steps_of(const Stream& stream) const {
    const Phase& phase = phase_of(stream);
    return {phase, place_in(stream, phase), stream.clockwise};
  }

  void enter_phase(std::uint32_t id, std::uint16_t number) {
    Stream& stream = streams_[id];
    stream.phase = number;
    stream.queue = stream.path[number].first;
    stream.clockwise = stream.path[number].second;
    const Steps steps = steps_of(stream);
    stream.toggle = false;
    stream.tree_state = stream.reductions = 0;
    stream.zero = stream.reduced = stream.inserted = stream.sent = stream.free = stream.received = 0;
    stream.left = steps.packets();
    stream.balance.assign(steps.slots(), 0);
    std::erase_if(stream.early, [&](const auto& ahead) {
      if (ahead.first == number) ++stream.balance[ahead.second];
      return ahead.first == number;
    });
  }
  void insert(std::uint32_t id) {
    auto& waiting = ranks_[streams_[id].rank].queues[streams_[id].queue].waiting;
    const std::int64_t priority = streams_[id].priority;
    const auto behind = std::find_if(waiting.begin(), waiting.end(),
                                     [&](std::uint32_t other) { return streams_[other].priority < priority; });
    waiting.insert(behind, id);
  }
  void begin_waiting(std::uint32_t rank, std::uint16_t number) {
    Queue& queue = ranks_[rank].queues[number];
    while (queue.running < threshold_ && !queue.waiting.empty()) {
      const std::uint32_t id = queue.waiting.front();
      queue.waiting.pop_front();
      ++queue.running;
      begin(id);
    }
  }
  void end_phase(std::uint32_t id) {
    const std::uint32_t rank = streams_[id].rank;
    const std::uint16_t old = streams_[id].queue;
    const std::uint32_t index = streams_[id].operation;
    const bool last = streams_[id].phase + std::size_t{1} == operations_[index].plan.phases.size();
    if (last) {
      Member& member = operations_[index].members[streams_[id].member];
      Stream& stream = streams_[id];
      stream.phase = no_phase;
      stream.path.clear();
      if (--member.left == 0) {
        const std::uint32_t node = member.node;
        if (++operations_[index].done == operations_[index].members.size()) retire(index);
        complete(rank, node);
      }
      --ranks_[rank].queues[old].running;
      begin_waiting(rank, old);
      return;
    }
    enter_phase(id, static_cast<std::uint16_t>(streams_[id].phase + 1));
    const std::uint16_t next = streams_[id].queue;
    insert(id);
    --ranks_[rank].queues[old].running;
    begin_waiting(rank, old);
    begin_waiting(rank, next);
  }
  void retire(std::uint32_t index) {
    Operation& operation = operations_[index];
    const std::uint32_t count = operation.plan.chunks * static_cast<std::uint32_t>(operation.members.size());
    free_streams_[count].push_back(operation.streams);
    operation.members = {};
    operation.here = 0;
    operation.plan = {};
  }

  // ---- a stream in a phase
  // -------------------------------------------------------------------------------------------
  bool is_tree(const Stream& stream) const {
    return phase_of(stream).how.kind == Implementation::Kind::DoubleBinaryTree;
  }
  // A packet is at the endpoint: what follows happens a hop on the device later, and a reduction after that.
  void bundle(const Stream& stream, std::uint32_t id, bool reduced, std::int64_t bytes) {
    const std::int64_t hop = operations_[stream.operation].is_local ? 10 : settings_.endpoint_delay_ns;
    later(stream.rank, hop, {reduced ? CallKind::Reduce : CallKind::General, id, bytes});
  }

  void begin(std::uint32_t id) {
    if (is_tree(streams_[id])) return tree(id, false);
    const std::uint32_t window = steps_of(streams_[id]).window();
    for (std::uint32_t i = 0; i < window; ++i)
      insert_packet(id);
  }
  void insert_packet(std::uint32_t id) {
    Stream& stream = streams_[id];
    const Steps steps = steps_of(stream);
    const CollectiveType type = phase_of(stream).type;
    if (stream.zero == 0 && stream.reduced == 0) {
      stream.zero = steps.window();
      stream.reduced = steps.reduced_run();
      stream.toggle = !stream.toggle;
    }
    const std::int64_t bytes = steps.bytes(stream.inserted);
    ++stream.inserted;
    if (stream.zero > 0) {
      --stream.zero;
      return bundle(stream, id, false, bytes);
    }
    --stream.reduced;
    bundle(stream, id, type == CollectiveType::ReduceScatter || (type == CollectiveType::AllReduce && stream.toggle),
           bytes);
  }
  void general(std::uint32_t id) {
    Stream& stream = streams_[id];
    if (is_tree(stream)) return tree(id, true);
    ++stream.free;
    const Phase& phase = phase_of(stream);
    if (phase.how.kind == Implementation::Kind::Direct && phase.type == CollectiveType::AllReduce &&
        stream.left <= phase.size - 1) {
      // Nothing is passed on before all parts are here.
      if (stream.received < phase.size - 1) return;
      const std::uint32_t window = steps_of(stream).window();
      for (std::uint32_t i = 0; i < window; ++i)
        if (!send_packet(id)) break;
    } else {
      send_packet(id);
    }
    if (streams_[id].left == 0 && streams_[id].free == steps_of(streams_[id]).window()) end_phase(id);
  }
  bool send_packet(std::uint32_t id) {
    Stream& stream = streams_[id];
    if (stream.inserted == stream.sent || stream.left == 0 || stream.free == 0) return false;
    const Steps steps = steps_of(stream);
    const std::uint32_t packet = stream.sent++;
    --stream.left;
    --stream.free;
    transmit(id, steps.to(packet), steps.bytes(packet));
    receive(id, steps.slot(steps.from(packet)));
    return true;
  }
  // To the member of the same phase at another place.
  void transmit(std::uint32_t id, std::uint32_t to, std::int64_t bytes) {
    const Stream& stream = streams_[id];
    const Operation& operation = operations_[stream.operation];
    const Phase& phase = operation.plan.phases[stream.phase];
    const std::uint32_t own = place_in(stream, phase);
    const std::uint32_t member = stream.member + (to - own) * phase.stride;
    Message message;
    message.is_stream = true;
    message.from = stream.rank;
    message.to = rank_at(operation, member);
    message.bytes = bytes;
    message.stream = operation.streams + stream.chunk * static_cast<std::uint32_t>(operation.members.size()) + member;
    message.phase = stream.phase;
    message.slot = phase.how.kind == Implementation::Kind::DoubleBinaryTree
                       ? tree_slot(stream, phase, to)
                       : Steps{phase, to, stream.clockwise}.slot(own);
    network_.send(new_message(message), message.from, message.to, bytes, *this);
  }
  void receive(std::uint32_t id, std::uint32_t slot) {
    if (--streams_[id].balance[slot] >= 0) schedule(0, engine::Event{received_late, 0, id});
  }
  void stream_message(const Message& m) {
    Stream& stream = streams_[m.stream];
    if (stream.phase != m.phase) {
      stream.early.emplace_back(m.phase, m.slot);
      return;
    }
    if (++stream.balance[m.slot] <= 0) packet_received(m.stream);
  }
  void packet_received(std::uint32_t id) {
    if (is_tree(streams_[id])) return tree(id, false, true);
    ++streams_[id].received;
    insert_packet(id);
  }

  // ---- double binary tree
  // --------------------------------------------------------------------------------------------
  TreePlace tree_place(const Stream& stream, const Phase& phase, std::uint32_t place) const {
    return {place, phase.size, stream.chunk % 2 == 0};
  }
  // Slots of a member: 0 and 1 its children, 2 its parent.
  std::uint32_t tree_slot(const Stream& stream, const Phase& phase, std::uint32_t to) const {
    const TreePlace there = tree_place(stream, phase, to);
    const std::uint32_t own = place_in(stream, phase);
    return there.left == own ? 0 : there.right == own ? 1 : 2;
  }
  void tree(std::uint32_t id, bool is_general, bool is_received = false) {
    Stream& stream = streams_[id];
    const Phase& phase = phase_of(stream);
    const TreePlace at = tree_place(stream, phase, place_in(stream, phase));
    const std::int64_t bytes = phase.bytes;
    enum : std::uint8_t { begins, two_children, one_child, to_parent, from_parent, to_children, ends };
    std::uint8_t& state = stream.tree_state;
    const bool root = at.parent == TreePlace::none, leaf = !root && at.left == TreePlace::none;
    if (state == begins) {
      if (leaf) {
        state = to_parent;
        return bundle(stream, id, false, bytes);
      }
      state = root ? one_child : two_children;
      receive(id, 0);
      if (!root) receive(id, 1);
    } else if (leaf && state == to_parent) {
      state = from_parent;
      transmit(id, at.parent, bytes);
      receive(id, 2);
    } else if (leaf && state == from_parent && is_received) {
      state = ends;
      bundle(stream, id, false, bytes);
    } else if (leaf) {
      end_phase(id);
    } else if (root && state == one_child) {
      state = to_children;
      bundle(stream, id, true, bytes);
    } else if (root) {
      transmit(id, at.left, bytes);
      end_phase(id);
    } else if (state == two_children && is_received) {
      state = one_child;
      bundle(stream, id, true, bytes);
    } else if (state == one_child && is_received) {
      state = to_parent;
      bundle(stream, id, true, bytes);
    } else if (is_general && stream.reductions < 1) {
      ++stream.reductions;
    } else if (state == to_parent && is_general) {
      state = from_parent;
      transmit(id, at.parent, bytes);
      receive(id, 2);
    } else if (state == from_parent && is_received) {
      state = to_children;
      bundle(stream, id, true, bytes);
    } else if (state == to_children) {
      transmit(id, at.left, bytes);
      transmit(id, at.right, bytes);
      end_phase(id);
    }
  }

  // ---- what is told
  // --------------------------------------------------------------------------------------------------
  static std::string spell(CollectiveType type, std::int64_t bytes) {
    return "an " + std::string{to_string(type)} + " of " + std::to_string(bytes) + " bytes";
  }
  std::string group_name(std::uint32_t group) const {
    return group == ReplayWorkload::everybody ? "all ranks" : "group " + workload_.groups[group].name;
  }
  void describe(std::uint32_t rank, std::vector<std::string>& stuck) const {
    using Kind = ReplayProgram::Kind;
    const Rank& state = ranks_[rank];
    const ReplayProgram& program = workload_.program(rank);
    const std::string who = "rank " + std::to_string(rank) + ": ";
    for (const std::uint32_t at : state.running) {
      const ReplayProgram::Node& node = program.nodes[at];
      const std::string name = "node " + std::to_string(node.id) + " \"" + std::string{program.name(at)} + "\" ";
      if (node.kind == Kind::Collective) {
        stuck.push_back(who + name + waits_in(rank, node));
      } else if (node.kind == Kind::Receive) {
        const std::uint32_t from = workload_.ranks[rank].who[node.who];
        stuck.push_back(who + name + "waits for " + std::to_string(node.bytes) + " bytes from rank " +
                        std::to_string(from) + " with tag " + std::to_string(node.tag) +
                        nearest_send(from, rank, node));
      } else {
        stuck.push_back(who + name + "has not ended");
      }
    }
    if (!state.running.empty()) return;
    for (std::uint32_t at = 0; at < program.nodes.size(); ++at)
      if (state.waits[at] != 0) {
        stuck.push_back(who + "node " + std::to_string(program.nodes[at].id) + " \"" + std::string{program.name(at)} +
                        "\" waits for nodes that wait for it");
        return;
      }
  }
  std::string waits_in(std::uint32_t rank, const ReplayProgram::Node& node) const {
    const std::uint32_t group = workload_.ranks[rank].who[node.who];
    std::string text = "waits in " + std::string{to_string(node.type)} + " of " + group_name(group) + " for ";
    const auto counter = std::find_if(ranks_[rank].calls.begin(), ranks_[rank].calls.end(),
                                      [&](const auto& c) { return c.first == group; });
    const auto of_group = by_group_.find(group);
    if (counter == ranks_[rank].calls.end() || of_group == by_group_.end()) return text + "its members";
    const Operation& operation = operations_[of_group->second[counter->second - 1]];
    std::size_t shown = 0, missing = 0;
    for (std::uint32_t place = 0; place < operation.members.size(); ++place) {
      if (operation.members[place].here) continue;
      if (++missing > 8) continue;
      text.append(shown++ == 0 ? "rank " : ", ").append(std::to_string(rank_at(operation, place)));
    }
    if (missing > 8) text.append(" and ").append(std::to_string(missing - 8)).append(" more");
    return missing == 0 ? text + "messages of its members" : text;
  }
  std::string nearest_send(std::uint32_t from, std::uint32_t to, const ReplayProgram::Node& node) const {
    const std::string* best = nullptr;
    std::string text;
    for (const auto& [route, meeting] : meetings_) {
      if (meeting.arrived == 0 || std::get<1>(route) != to) continue;
      const bool same_sender = std::get<0>(route) == from, same_tag = std::get<2>(route) == node.tag;
      if (!same_sender && !same_tag) continue;
      const bool better = best == nullptr || (same_sender && same_tag);
      if (!better) continue;
      text = "; nearest is a message of " + std::to_string(std::get<3>(route)) + " bytes from rank " +
             std::to_string(std::get<0>(route)) + " with tag " + std::to_string(std::get<2>(route));
      best = &text;
    }
    return text;
  }

  Report report() const {
    Report report;
    report.rules = "classic";
    report.events = engine_.events();
    report.tasks = tasks_;
    for (const Rank& rank : ranks_) {
      RankReport& told = report.ranks.emplace_back();
      told.finish = Time{rank.finish_ns * 1000};
      told.compute = Time{std::min(rank.compute_ns, rank.finish_ns) * 1000};
      told.exposed_communication = told.finish - told.compute;
      told.bytes_sent = Bytes{rank.bytes_sent};
      told.messages_sent = rank.messages_sent;
      report.total = std::max(report.total, told.finish);
    }
    for (RankReport& told : report.ranks)
      told.idle = report.total - told.finish;
    return report;
  }

  const ReplayWorkload& workload_;
  Settings settings_;
  std::vector<Dimension> dimensions_;
  RemoteMemory memory_;
  Network network_;
  engine::Serial engine_;
  std::uint32_t threshold_ = 1;
  std::vector<Rank> ranks_;
  std::vector<std::vector<Call>> calls_;
  std::vector<std::uint32_t> free_lists_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<Stream> streams_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> free_streams_;
  std::vector<Operation> operations_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_group_;
  std::map<Route, Meeting> meetings_;
  std::vector<std::int64_t> servers_;
  std::uint64_t communications_ = 0, alone_ = 0, tasks_ = 0;
};

} // namespace triosim::player::streams
