// The laws of EnginePolicy, put to every engine that ships and to every queue under the serial engine. A new engine is
// one more name in `Engines`.
#include "support/archetypes.hpp"

#include <triosim/concepts.hpp>
#include <triosim/engine/serial.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using engine::Event;

// The last but one has 12 bits of sequence numbers, so that it runs out of them again and again.
#define ENGINES                                                                                                        \
  engine::Serial, engine::SerialHeap, engine::SerialOver<engine::HeapQueue<2>>,                                        \
      engine::SerialOver<engine::HeapQueue<3, 52>>, test::archetypes::Engine

namespace {

// What a handler saw and did, in order: the evidence for the laws.
struct Deed {
  enum What : std::uint8_t { Handled, InstantEnded } what;
  Time now;
  Event event;
  friend bool operator==(const Deed&, const Deed&) = default;
};

// A load drawn from a seed. Each event may bring forth others: at the same instant, soon, or in the far future; so may
// the end of an instant.
template <class Engine>
class Load {
 public:
  Load(Engine& engine, std::uint64_t seed, std::uint32_t limit) : engine_{engine}, random_{seed}, limit_{limit} {
    for (int i = 0; i < 20; ++i)
      schedule(Time{static_cast<std::int64_t>(random_() % 7)});
  }

  void handle(Event event) {
    deeds.push_back({Deed::Handled, engine_.now(), event});
    for (auto children = random_() % 3; children > 0; --children)
      grow();
  }
  void instant_end() {
    deeds.push_back({Deed::InstantEnded, engine_.now(), {}});
    if (random_() % 4 == 0) grow();
  }

  // By number: when it was to happen.
  std::vector<Time> times;
  std::vector<Deed> deeds;

 private:
  void grow() {
    if (times.size() >= limit_) return;
    const auto distance = random_() % 5 << random_() % 45;
    schedule(engine_.now() + Time{static_cast<std::int64_t>(distance)});
  }
  void schedule(Time at) {
    const auto number = static_cast<std::uint32_t>(times.size());
    times.push_back(at);
    engine_.schedule(at, Event{static_cast<std::uint8_t>(number), number & Event::max_entity, number});
  }

  Engine& engine_;
  std::mt19937_64 random_;
  std::uint32_t limit_;
};

template <class Engine>
Load<Engine> played(Engine& engine, std::uint64_t seed) {
  Load<Engine> load{engine, seed, 3'000};
  engine.run(load);
  return load;
}

struct Quiet {
  void handle(Event) {}
  void instant_end() {}
};

} // namespace

TEST_CASE_TEMPLATE("every event is handled once, in the order (time, order of scheduling), and time never goes back",
                   Engine, ENGINES) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Engine engine;
    const auto load = played(engine, seed);
    std::vector<Deed> handled;
    for (const Deed& deed : load.deeds)
      if (deed.what == Deed::Handled) handled.push_back(deed);
    REQUIRE(handled.size() == load.times.size());
    CHECK(static_cast<std::uint64_t>(engine.events()) == handled.size());
    std::vector<bool> seen(handled.size());
    for (std::size_t i = 0; i < handled.size(); ++i) {
      const std::uint32_t number = handled[i].event.argument();
      CHECK(!seen[number]);
      seen[number] = true;
      CHECK(handled[i].now == load.times[number]);
      CHECK(handled[i].event == Event{static_cast<std::uint8_t>(number), number & Event::max_entity, number});
      if (i == 0) continue;
      const std::uint32_t before = handled[i - 1].event.argument();
      CHECK(std::pair{load.times[before], before} < std::pair{load.times[number], number});
    }
    CHECK(std::is_sorted(load.deeds.begin(), load.deeds.end(),
                         [](const Deed& a, const Deed& b) { return a.now < b.now; }));
  }
}

TEST_CASE_TEMPLATE("an instant ends when all its events have been handled, and again after what its end brought forth",
                   Engine, ENGINES) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Engine engine;
    const auto load = played(engine, seed);
    REQUIRE(!load.deeds.empty());
    CHECK(load.deeds.back().what == Deed::InstantEnded);
    for (std::size_t i = 1; i < load.deeds.size(); ++i) {
      const Deed &before = load.deeds[i - 1], &deed = load.deeds[i];
      // Time moves on after an end only, and an end follows a handled event only (or is the very first thing).
      if (before.now != deed.now) {
        CHECK(before.what == Deed::InstantEnded);
        CHECK(deed.what == Deed::Handled);
      }
      if (deed.what == Deed::InstantEnded) CHECK(before.what == Deed::Handled);
    }
  }
}

TEST_CASE_TEMPLATE("the choice of the engine changes nothing", Engine, ENGINES) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    engine::Serial reference;
    Engine engine;
    CHECK(played(reference, seed).deeds == played(engine, seed).deeds);
  }
}

TEST_CASE_TEMPLATE("with nothing to do, the first instant ends once and time stays at zero", Engine, ENGINES) {
  struct {
    int handled = 0, ends = 0;
    void handle(Event) { ++handled; }
    void instant_end() { ++ends; }
  } handler;
  Engine engine;
  CHECK(engine.now() == Time{});
  engine.run(handler);
  CHECK(engine.now() == Time{});
  CHECK(static_cast<std::uint64_t>(engine.events()) == 0);
  CHECK(handler.handled == 0);
  CHECK(handler.ends == 1);
}

TEST_CASE_TEMPLATE("the ends of time: the first and the last picosecond", Engine, ENGINES) {
  struct Times {
    Engine& engine;
    std::vector<Time> seen{};
    void handle(Event) { seen.push_back(engine.now()); }
    void instant_end() {}
  };
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  const std::vector<Time> sorted{Time{0},        Time{0},   Time{1}, Time{last / 2}, Time{last / 2 + 1},
                                 Time{last - 1}, Time{last}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Time> shuffled = sorted;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64{seed});
    Engine engine;
    Times handler{engine};
    for (const Time time : shuffled)
      engine.schedule(time, Event{});
    engine.run(handler);
    CHECK(handler.seen == sorted);
  }
}

TEST_CASE_TEMPLATE("what is scheduled after a run is played by the next, from where time stands", Engine, ENGINES) {
  Engine engine;
  Quiet quiet;
  engine.schedule(3_us, Event{});
  engine.run(quiet);
  CHECK(engine.now() == 3_us);
  engine.schedule(3_us, Event{});
  engine.schedule(5_us, Event{});
  engine.run(quiet);
  CHECK(engine.now() == 5_us);
  CHECK(static_cast<std::uint64_t>(engine.events()) == 3);
}

TEST_CASE_TEMPLATE("a handler that throws ends the run, and the rest can still be played", Engine, ENGINES) {
  struct {
    std::uint32_t bad;
    std::vector<std::uint32_t> seen{};
    void handle(Event event) {
      if (event.argument() == bad) throw std::runtime_error{"enough"};
      seen.push_back(event.argument());
    }
    void instant_end() {}
  } handler{2};
  Engine engine;
  for (std::uint32_t i = 0; i < 5; ++i)
    engine.schedule(Time{i / 2}, Event{0, 0, i});
  CHECK_THROWS_AS(engine.run(handler), std::runtime_error);
  engine.run(handler);
  CHECK(handler.seen == std::vector<std::uint32_t>{0, 1, 3, 4});
}

TEST_CASE_TEMPLATE("many at one instant keep their order, before and behind a burst of others", Engine, ENGINES) {
  struct {
    std::vector<std::uint32_t> seen{};
    void handle(Event event) { seen.push_back(event.argument()); }
    void instant_end() {}
  } handler;
  Engine engine;
  // Two instants that share all high bits, and one far away, take turns in scheduling.
  constexpr std::uint32_t each = 500;
  for (std::uint32_t i = 0; i < each; ++i) {
    engine.schedule(Time{1'000'001}, Event{0, 0, each + i});
    engine.schedule(Time{1LL << 50}, Event{0, 0, 2 * each + i});
    engine.schedule(Time{1'000'000}, Event{0, 0, i});
  }
  engine.run(handler);
  REQUIRE(handler.seen.size() == 3 * each);
  for (std::uint32_t i = 0; i < 3 * each; ++i)
    CHECK(handler.seen[i] == i);
}
