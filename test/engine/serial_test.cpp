#include <triosim/concepts.hpp>
#include <triosim/engine/serial.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using engine::Event;

static_assert(EnginePolicy<engine::Serial>);
static_assert(EnginePolicy<engine::SerialHeap>);
static_assert(sizeof(engine::TimedEvent) == 16);

TEST_CASE("an event keeps its kind, entity and argument") {
  const Event event{255, Event::max_entity, 0xFFFFFFFF};
  CHECK(event.kind() == 255);
  CHECK(event.entity() == Event::max_entity);
  CHECK(event.argument() == 0xFFFFFFFF);
}

namespace {

// Writes down what it handles; may schedule children.
template <class Engine>
struct Recorder {
  Engine& engine;
  std::mt19937_64 random{7};
  std::uint32_t children = 0;
  std::vector<std::pair<Time, std::uint32_t>> handled{};
  std::vector<Time> instants{};

  void handle(Event event) {
    handled.emplace_back(engine.now(), event.argument());
    for (int i = 0; i < 2 && children < 20'000; ++i) {
      // Many ties, some far away: every bucket of a radix heap gets its share.
      const auto shift = random() % 40;
      engine.schedule(engine.now() + Time{static_cast<std::int64_t>(random() % 3 << shift)}, Event{0, 0, ++children});
    }
  }
  void instant_end() { instants.push_back(engine.now()); }
};

template <class Engine>
Recorder<Engine> play(Engine& engine) {
  Recorder<Engine> recorder{engine};
  for (std::uint32_t i = 0; i < 10; ++i)
    engine.schedule(Time{static_cast<std::int64_t>(i % 3)}, Event{0, 0, 1'000'000 + i});
  engine.run(recorder);
  return recorder;
}

} // namespace

TEST_CASE_TEMPLATE("events of one instant are handled first in, first out", Engine, engine::Serial,
                   engine::SerialHeap) {
  Engine engine;
  struct {
    std::vector<std::uint32_t> seen;
    void handle(Event event) { seen.push_back(event.argument()); }
    void instant_end() {}
  } handler;
  engine.schedule(5_ns, Event{0, 0, 3});
  for (std::uint32_t i = 0; i < 3; ++i)
    engine.schedule(1_ns, Event{0, 0, i});
  engine.schedule(5_ns, Event{0, 0, 4});
  engine.run(handler);
  CHECK(handler.seen == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  CHECK(engine.now() == 5_ns);
  CHECK(engine.events() == 5);
}

TEST_CASE("the engine never changes the order of events") {
  engine::Serial serial;
  engine::SerialHeap heap;
  const auto a = play(serial);
  const auto b = play(heap);
  CHECK(a.handled.size() == 20'010);
  CHECK(a.handled == b.handled);
  CHECK(a.instants == b.instants);
  CHECK(std::is_sorted(a.handled.begin(), a.handled.end(), [](auto x, auto y) { return x.first < y.first; }));
  CHECK(std::adjacent_find(a.instants.begin(), a.instants.end()) == a.instants.end());
}

TEST_CASE_TEMPLATE("the end of an instant may schedule more for that instant and earlier than the next", Engine,
                   engine::Serial, engine::SerialHeap) {
  Engine engine;
  struct {
    Engine& engine;
    std::vector<Time> seen;
    int ends = 0;
    void handle(Event) { seen.push_back(engine.now()); }
    void instant_end() {
      if (++ends == 1) {
        engine.schedule(engine.now(), Event{});
        engine.schedule(2_ns, Event{});
      }
    }
  } handler{engine, {}};
  engine.schedule(1_ns, Event{});
  engine.schedule(9_ns, Event{});
  engine.run(handler);
  // The first instant, 0, has no event; its end schedules one for 0 and one for 2 ns.
  CHECK(handler.seen == std::vector<Time>{0_ns, 1_ns, 2_ns, 9_ns});
}

TEST_CASE_TEMPLATE("an event in the past is refused", Engine, engine::Serial, engine::SerialHeap) {
  Engine engine;
  struct {
    Engine& engine;
    void handle(Event) { engine.schedule(1_ns, Event{}); }
    void instant_end() {}
  } handler{engine};
  engine.schedule(2_ns, Event{});
  CHECK_THROWS_WITH_AS(engine.run(handler), "an event was scheduled at 1000 ps, before the present 2000 ps", Error);
}

TEST_CASE("a heap that runs out of sequence numbers numbers anew, in order") {
  engine::HeapQueue<4, 58> queue; // 64 numbers
  std::uint32_t pushed = 0;
  for (; pushed < 60; ++pushed)
    queue.push(Time{pushed % 3}, Event{0, 0, pushed});
  std::vector<std::pair<Time, std::uint32_t>> popped;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const engine::TimedEvent first = queue.pop();
    popped.emplace_back(first.time, first.event.argument());
    queue.push(first.time + Time{3}, Event{0, 0, pushed++});
  }
  CHECK(std::is_sorted(popped.begin(), popped.end()));
  CHECK(std::adjacent_find(popped.begin(), popped.end()) == popped.end());
  for (std::uint32_t i = 0; i < 4; ++i)
    queue.push(Time{1'000'000}, Event{});
  CHECK_THROWS_AS(queue.push(Time{1'000'000}, Event{}), Error);
  CHECK(queue.size() == 64);
}

TEST_CASE("a heap takes events before the last one that was popped, and negative times") {
  engine::HeapQueue<> queue;
  for (const std::int64_t time : {5, -7, 3, 0})
    queue.push(Time{time}, Event{});
  CHECK(queue.pop().time == Time{-7});
  queue.push(Time{-9}, Event{});
  for (const std::int64_t time : {-9, 0, 3, 5})
    CHECK(queue.pop().time == Time{time});
  CHECK(queue.empty());
}

TEST_CASE("a radix queue holds a million events in order, and an instant that feeds itself") {
  engine::RadixQueue queue;
  std::mt19937_64 random{3};
  for (std::uint32_t i = 0; i < 1'000'000; ++i)
    queue.push(Time{static_cast<std::int64_t>(random() >> (1 + random() % 60))}, Event{0, 0, i});
  std::pair<Time, std::uint32_t> last{Time{-1}, 0};
  bool in_order = true;
  while (!queue.empty()) {
    const engine::TimedEvent first = queue.pop();
    const std::pair now{first.time, first.event.argument()};
    in_order = in_order && last < now;
    last = now;
  }
  CHECK(in_order);

  const Time at = last.first;
  std::uint32_t pushed = 0, popped = 0;
  for (; pushed < 3; ++pushed)
    queue.push(at, Event{0, 0, pushed});
  for (; popped < 100'000; ++popped) {
    const engine::TimedEvent first = queue.pop();
    in_order = in_order && first.time == at && first.event.argument() == popped;
    queue.push(at, Event{0, 0, pushed++});
  }
  CHECK(in_order);
  CHECK(queue.size() == 3);
}
