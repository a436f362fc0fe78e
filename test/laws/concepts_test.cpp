// Which types fill which slot. Models and archetypes do; near misses, each wrong in one point, do not. Compiling this
// is the test.
#include "support/archetypes.hpp"

#include <triosim/concepts.hpp>
#include <triosim/triosim.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

using namespace triosim;
namespace least = triosim::test::archetypes;

static_assert(EnginePolicy<least::Engine> && !std::copyable<least::Engine>);
static_assert(TimeModelPolicy<least::TimeModel> && !std::default_initializable<least::TimeModel>);
static_assert(NetworkPolicy<least::Net> && !std::default_initializable<least::Net>);
static_assert(StrategyPolicy<least::Strategy> && !std::copy_constructible<least::Strategy::Source>);

namespace {

// ---------------------------------------------------------------------------------------------------------- Engine --

struct NoArgumentsWanted : engine::Serial {
  explicit NoArgumentsWanted(int) {}
};
struct NowChanges {
  Time now();
  std::uint64_t events() const;
  void schedule(Time, engine::Event);
  template <class Handler>
  void run(Handler&);
};
struct NowIsNumber {
  std::int64_t now() const;
  std::uint64_t events() const;
  void schedule(Time, engine::Event);
  template <class Handler>
  void run(Handler&);
};
struct NoEvents {
  Time now() const;
  void schedule(Time, engine::Event);
  template <class Handler>
  void run(Handler&);
};
struct EventsIsText {
  Time now() const;
  std::string events() const;
  void schedule(Time, engine::Event);
  template <class Handler>
  void run(Handler&);
};
struct ScheduleBackwards {
  Time now() const;
  std::uint64_t events() const;
  void schedule(engine::Event, Time);
  template <class Handler>
  void run(Handler&);
};
struct RunsAlone {
  Time now() const;
  std::uint64_t events() const;
  void schedule(Time, engine::Event);
  void run();
};
struct HandlerByValueOfOneType {
  struct Mine {};
  Time now() const;
  std::uint64_t events() const;
  void schedule(Time, engine::Event);
  void run(Mine);
};
static_assert(!EnginePolicy<NoArgumentsWanted>);
static_assert(!EnginePolicy<NowChanges>);
static_assert(!EnginePolicy<NowIsNumber>);
static_assert(!EnginePolicy<NoEvents>);
static_assert(!EnginePolicy<EventsIsText>);
static_assert(!EnginePolicy<ScheduleBackwards>);
static_assert(!EnginePolicy<RunsAlone>);
static_assert(!EnginePolicy<HandlerByValueOfOneType>);
static_assert(!EnginePolicy<int>);

// ------------------------------------------------------------------------------------------------------ TimeModel --

struct NotConst {
  std::optional<Time> duration(const Operation&);
};
struct Seconds {
  double duration(const Operation&) const;
};
struct Picoseconds {
  std::optional<std::int64_t> duration(const Operation&) const;
};
struct WantsToChangeIt {
  std::optional<Time> duration(Operation&) const;
};
struct NoQuestion {
  std::optional<Time> duration() const;
};
struct OneOwner {
  std::unique_ptr<int> table;
  std::optional<Time> duration(const Operation&) const;
};
struct OtherName {
  std::optional<Time> time(const Operation&) const;
};
static_assert(!TimeModelPolicy<NotConst>);
static_assert(!TimeModelPolicy<Seconds>);
static_assert(!TimeModelPolicy<Picoseconds>);
static_assert(!TimeModelPolicy<WantsToChangeIt>);
static_assert(!TimeModelPolicy<NoQuestion>);
static_assert(!TimeModelPolicy<OneOwner>);
static_assert(!TimeModelPolicy<OtherName>);

// -------------------------------------------------------------------------------------------------------- Network --

struct NoPort {
  void send(const net::Message&);
};
struct ChangesMessage {
  template <class Port>
  void send(net::Message&, Port&);
};
struct NotAssignable {
  const int wires = 1;
  template <class Port>
  void send(const net::Message&, Port&);
};
struct OneWire {
  std::unique_ptr<int> wire;
  template <class Port>
  void send(const net::Message&, Port&);
};
struct Silent {};
static_assert(!NetworkPolicy<NoPort>);
static_assert(!NetworkPolicy<ChangesMessage>);
static_assert(!NetworkPolicy<NotAssignable>);
static_assert(!NetworkPolicy<OneWire>);
static_assert(!NetworkPolicy<Silent>);

// -------------------------------------------------------------------------------------------------------- Strategy --

struct NoSource {
  TaskGraph lower(const Bytes&, const Cluster&) const;
};
struct LowerChanges {
  using Source = Bytes;
  TaskGraph lower(const Source&, const Cluster&);
};
struct SourceChanges {
  using Source = Bytes;
  TaskGraph lower(Source&, const Cluster&) const;
};
struct Backwards {
  using Source = Bytes;
  TaskGraph lower(const Cluster&, const Source&) const;
};
struct PerhapsGraph {
  using Source = Bytes;
  std::optional<TaskGraph> lower(const Source&, const Cluster&) const;
};
struct SharedGraph {
  using Source = Bytes;
  const TaskGraph& lower(const Source&, const Cluster&) const;
};
struct OneUse {
  using Source = Bytes;
  std::unique_ptr<int> token;
  TaskGraph lower(const Source&, const Cluster&) const;
};
static_assert(!StrategyPolicy<NoSource>);
static_assert(!StrategyPolicy<LowerChanges>);
static_assert(!StrategyPolicy<SourceChanges>);
static_assert(!StrategyPolicy<Backwards>);
static_assert(!StrategyPolicy<PerhapsGraph>);
static_assert(!StrategyPolicy<SharedGraph>);
static_assert(!StrategyPolicy<OneUse>);

// ---------------------------------------------------------------------------------------------------------- Memory --

struct NoWord {};
struct KeepsChanges {
  static inline bool keeps_account = false;
};
struct OneLedger {
  [[maybe_unused]] static constexpr bool keeps_account = false;
  std::unique_ptr<int> ledger;
};
template <class Acquired, class Amount>
struct Account {
  static constexpr bool keeps_account = true;
  void begin(const TaskGraph&, const Cluster&);
  template <class Fetcher>
  Acquired acquire(std::uint32_t, std::uint32_t, Fetcher&&);
  void release(std::uint32_t, std::uint32_t);
  void arrived(std::uint32_t, std::uint32_t);
  Amount in_use(std::uint32_t) const;
  Amount peak(std::uint32_t) const;
};
static_assert(MemoryPolicy<memory::Unbounded> && MemoryPolicy<least::Memory> && MemoryPolicy<Account<bool, Bytes>>);
static_assert(!MemoryPolicy<NoWord>);
static_assert(!MemoryPolicy<KeepsChanges>);
static_assert(!MemoryPolicy<OneLedger>);
static_assert(!MemoryPolicy<Account<void, Bytes>>);
static_assert(!MemoryPolicy<Account<std::optional<bool>, Bytes>>);
static_assert(!MemoryPolicy<Account<bool, std::uint64_t>>);

// No model of one slot is a model of another.
static_assert(!TimeModelPolicy<engine::Serial> && !NetworkPolicy<engine::Serial> && !StrategyPolicy<engine::Serial>);
static_assert(!EnginePolicy<time_model::Recorded> && !NetworkPolicy<time_model::Recorded>);
static_assert(!EnginePolicy<least::Net> && !TimeModelPolicy<least::Net> && !StrategyPolicy<least::Net>);
static_assert(!EnginePolicy<least::Strategy> && !TimeModelPolicy<least::Strategy>);

} // namespace

TEST_CASE("near misses are refused by the concepts") {
  // The assertions above have held, or this would not have been built.
  CHECK(EnginePolicy<engine::Serial>);
}
