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
