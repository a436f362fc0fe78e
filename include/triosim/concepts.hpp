#pragma once

#include "triosim/cluster.hpp"
#include "triosim/engine/event.hpp"
#include "triosim/net/message.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace triosim {

class TaskGraph;

// ---------------------------------------------------------------------------------------------------------- Engine --

namespace archetypes {

/// The least that an engine may ask of what it drives.
struct Handler {
  void handle(engine::Event) {}
  void instant_end() {}
};

} // namespace archetypes

/// In which order things happen.
///
/// Minimum:  `now()`, `schedule(at, event)`, `run(handler)`, `events()`; made with no arguments, at time 0.
/// Laws:     time never goes back; events are handled in the order (time, order of scheduling), so the choice of an
///           engine never changes a byte of a report; `handler.instant_end()` is called once all events of an instant
///           have been handled, and what it schedules for that instant is handled before time moves on; `run` returns
///           when nothing is left.
/// Cost:     amortised O(log pending) for one `schedule` and one `handle`, no allocation in the steady state.
/// Ships:    engine::Serial (radix heap), engine::SerialHeap (4-ary heap); engine::Published for the classic rules,
/// which
///           breaks the second law on purpose.
template <class E>
concept EnginePolicy = std::default_initializable<E> &&
    requires(E engine, const E& constant, Time at, engine::Event event, archetypes::Handler& handler) {
  { constant.now() } -> std::same_as<Time>;
  { constant.events() } -> std::convertible_to<std::uint64_t>;
  engine.schedule(at, event);
  engine.run(handler);
};

// ------------------------------------------------------------------------------------------------------- TimeModel --

/// How long a compute task takes.
///
/// Minimum:  `duration(operation)`, a time or nothing.
/// Laws:     never negative; more work (a larger share, batch, FLOP count, ...) never takes less time; nothing for an
///           operation that the model does not know, never a guess.
/// Cost:     asked once for each task of a program, not for each rank.
/// Ships:    time_model::Recorded, Scaled, Proportional, Constant, Roofline, FirstOf.
///
///     struct OneTeraflop {
///       std::optional<triosim::Time> duration(const triosim::Operation& op) const {
///         if (op.flops.count() <= 0) return std::nullopt;
///         return triosim::Time::from_seconds(op.flops.count() / 1e12);
///       }
///     };
template <class M>
concept TimeModelPolicy = std::copy_constructible<M> && requires(const M& model, const Operation& operation) {
  { model.duration(operation) } -> std::convertible_to<std::optional<Time>>;
};

// --------------------------------------------------------------------------------------------------------- Network --

namespace archetypes {

/// The least that a network may ask of the one who plays it: where it hands over what has arrived.
struct Port {
  Time now() const { return {}; }
  /// Promises that `message` arrives whole at `at`, not before now. Once for each message.
  void deliver_at(Time /*at*/, net::MessageId /*message*/) {}
  /// The message has arrived, now. The receiver acts when the call into the network has returned, so a network may
  /// call this in the middle of its own bookkeeping.
  void deliver(net::MessageId /*message*/) {}
  /// Asks for `on_wake(token, port)` at `at`. A wake-up cannot be taken back: ignore one that has become stale.
  void wake_at(Time /*at*/, std::uint32_t /*token*/) {}
};

} // namespace archetypes

/// When bytes arrive.
///
/// Minimum:  `send(message, port)`, called at `port.now()`; exactly one `port.deliver` or `port.deliver_at` follows for
///           each message, in this call or in a later one. Copies are independent: a run plays a copy.
/// Optional: `on_wake(token, port)` if it ever calls `port.wake_at`; `instant_end(port)`, called when all events of an
///           instant have been handled: the place to recompute shares once for many changes; a constructor from
///           `const Cluster&`, so that the simulator can make one.
/// Laws:     bytes sent = bytes delivered; zero load = the closed form of the model; a wider link is never later (where
///           the model says so). A message that can never arrive is not delivered: the player reports the deadlock.
/// Cost:     stated by each model; no allocation in the steady state.
/// Ships:    net::Ideal, net::PacketSharing, net::FlowNetwork, net::CongestionAware, net::Optical; net::WithCollectives
/// and
///           net::Nccl around any of them.
///
///     struct Radio {  // everybody hears everybody at 1 GB/s
///       void send(const triosim::net::Message& message, auto& port) {
///         port.deliver_at(port.now() + message.bytes / triosim::Bandwidth{1e9}, message.id);
///       }
///     };
template <class N>
concept NetworkPolicy = std::copyable<N> && requires(N net, const net::Message& message, archetypes::Port& port) {
  net.send(message, port);
};

// ---------------------------------------------------------------------------------------------------------- Memory --

namespace archetypes {

/// The least that a memory policy may ask of the one who plays it: how it moves bytes. `key` comes back in
/// `arrived(rank, key)`.
struct Fetcher {
  /// A message from the remote memory to the device.
  void operator()(Bytes /*bytes*/, std::uint32_t /*key*/) {}
  /// A message from the device to the remote memory.
  void store(Bytes /*bytes*/, std::uint32_t /*key*/) {}
};

} // namespace archetypes

namespace detail {

template <class M>
concept SaysWhetherItKeepsAccount = requires {
  typename std::bool_constant<M::keeps_account>;
};
template <class M>
concept KeepsNoAccount = SaysWhetherItKeepsAccount<M> && requires {
  requires !M::keeps_account;
};
template <class M>
concept KeepsAccount = SaysWhetherItKeepsAccount<M> &&
    requires(M memory, const M& constant, const TaskGraph& graph, const Cluster& cluster, std::uint32_t number,
             archetypes::Fetcher fetcher) {
  memory.begin(graph, cluster);
  { memory.acquire(number, number, fetcher) } -> std::same_as<bool>;
  memory.release(number, number);
  memory.arrived(number, number);
  { constant.in_use(number) } -> std::same_as<Bytes>;
  { constant.peak(number) } -> std::same_as<Bytes>;
  requires M::keeps_account;
};

} // namespace detail

/// Whether the tensors of a task fit the memory of its device, and where they are.
///
/// Minimum:  `static constexpr bool keeps_account`. Where it is false, nothing else is asked for and nothing is called.
///           Where it is true: `begin(graph, cluster)` before all others; `acquire(rank, task, fetcher)`, whether the
///           tensors of the task are there now, asked again whenever something has changed on the device until it says
///           yes; `release(rank, task)`, when the task has ended; `arrived(rank, key)`, when a message of this policy
///           has arrived; `in_use(rank)` and `peak(rank)`, Bytes.
/// Optional: `prefetch(rank, task, fetcher)`, called when a compute task has started.
/// Laws:     a chain of tasks is never faster than with Unbounded; `in_use` is never above `peak`, and `peak` never
///           above the capacity of the device; ranks do not see each other's memory. A task that can never have its
///           tensors is an `OutOfMemory`, thrown by `begin` or `acquire`, never a `false` for ever.
/// Cost:     no allocation for a task in the steady state; ranks that share a program share its tables.
/// Ships:    memory::Unbounded (nothing is counted), memory::Bounded (all must fit), memory::Remote (what does not fit
///           is moved out and in).
///
///     struct Largest {  // how much one task needs at most, in the fields that a report has for peaks
///       static constexpr bool keeps_account = true;
///       void begin(const triosim::TaskGraph& g, const triosim::Cluster&) { graph = &g; most.assign(g.ranks(), {}); }
///       bool acquire(std::uint32_t rank, std::uint32_t task, auto&&) {
///         triosim::Bytes sum;
///         for (auto tensor : graph->program(rank).inputs(task)) sum += graph->program(rank).tensors()[tensor].bytes;
///         most[rank] = std::max(most[rank], sum);
///         return true;
///       }
///       void release(std::uint32_t, std::uint32_t) {}
///       void arrived(std::uint32_t, std::uint32_t) {}
///       triosim::Bytes in_use(std::uint32_t rank) const { return most[rank]; }
///       triosim::Bytes peak(std::uint32_t rank) const { return most[rank]; }
///       const triosim::TaskGraph* graph = nullptr;
///       std::vector<triosim::Bytes> most;
///     };
template <class M>
concept MemoryPolicy = std::copyable<M> &&(detail::KeepsNoAccount<M> || detail::KeepsAccount<M>);

// -------------------------------------------------------------------------------------------------------- Strategy --

/// Who does what: a lowering from a source (one device's trace, a symbolic model) and a machine to the tasks of all
/// ranks.
///
/// Minimum:  `Source`, the type of what it lowers, and `lower(source, cluster)`, a TaskGraph.
/// Optional: `Rules`, a type of triosim::rules: how the graph is played (physical where it is absent).
/// Laws:     a pure function; work is conserved (declared replication apart); every send has its receive; the graph is
///           acyclic; on one rank, every strategy does what the single device does.
/// Ships:    strategy::SingleDevice, DataParallel, DistributedDataParallel, TensorParallel, PipelineParallel, Replay,
///           symbolic::physical::TrainingStep, and under strategy::classic the published rules.
///
///     struct Twice {  // every rank plays the trace on its own, two times over
///       using Source = triosim::trace::Trace;
///       triosim::TaskGraph lower(const Source& trace, const triosim::Cluster& cluster) const;
///     };
template <class S>
concept StrategyPolicy = std::copy_constructible<S> && requires {
  typename S::Source;
} && requires(const S& strategy, const typename S::Source& source, const Cluster& cluster) {
  { strategy.lower(source, cluster) } -> std::same_as<TaskGraph>;
};

namespace rules {

/// Data arrives before it is used. The rules of the library.
struct Physical {};
/// The published TrioSim's way of playing, number for number.
struct Classic {};

} // namespace rules

} // namespace triosim
