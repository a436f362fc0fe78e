// The engine whose order is the published program's: doubles, and a heap without sequence numbers.
#include <triosim/concepts.hpp>
#include <triosim/engine/exact.hpp>
#include <triosim/engine/published.hpp>
#include <triosim/engine/serial.hpp>
#include <triosim/error.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace triosim;
using engine::Event;

namespace {

static_assert(EnginePolicy<engine::Published>);
static_assert(engine::ExactClock<engine::Published>);
static_assert(!engine::ExactClock<engine::Serial>);

struct Listener {
  engine::Published& clock;
  std::vector<std::uint32_t> order;
  std::vector<double> times;
  int instants = 0;
  void handle(Event event) {
    order.push_back(event.argument());
    times.push_back(clock.seconds());
  }
  void instant_end() { ++instants; }
};

// Exchanges neighbours in the tree exactly as the rules say, to compare with the holes of the engine.
struct Textbook {
  std::vector<std::pair<double, std::uint32_t>> heap;
  void push(double at, std::uint32_t what) {
    heap.emplace_back(at, what);
    for (std::size_t j = heap.size() - 1; j > 0 && heap[(j - 1) / 2].first > heap[j].first; j = (j - 1) / 2)
      std::swap(heap[(j - 1) / 2], heap[j]);
  }
  std::uint32_t pop() {
    const std::size_t n = heap.size() - 1;
    std::swap(heap[0], heap[n]);
    for (std::size_t i = 0;;) {
      std::size_t child = 2 * i + 1;
      if (child >= n) break;
      if (child + 1 < n && heap[child + 1].first < heap[child].first) ++child;
      if (!(heap[child].first < heap[i].first)) break;
      std::swap(heap[i], heap[child]);
      i = child;
    }
    const std::uint32_t what = heap[n].second;
    heap.pop_back();
    return what;
  }
};

} // namespace

TEST_CASE("the last of three events of one instant comes second") {
  engine::Published clock;
  Listener listener{clock, {}, {}};
  for (const std::uint32_t i : {1u, 2u, 3u})
    clock.schedule(Time{5}, Event{0, 0, i});
  clock.run(listener);
  CHECK(listener.order == std::vector<std::uint32_t>{1, 3, 2});
  CHECK(clock.events() == 3);
  CHECK(clock.now() == Time{5});
  CHECK(listener.instants == 2); // that of time 0, and this one
}

TEST_CASE("what is less than a picosecond apart keeps its order") {
  engine::Published clock;
  Listener listener{clock, {}, {}};
  clock.schedule_seconds(2e-13, Event{0, 0, 2});
  clock.schedule_seconds(1e-13, Event{0, 0, 1});
  clock.schedule_seconds(1e-13 + 1e-25, Event{0, 0, 3});
  clock.run(listener);
  CHECK(listener.order == std::vector<std::uint32_t>{1, 3, 2});
  CHECK(listener.times.back() == 2e-13);
}

TEST_CASE("the order of many events with few different times is the textbook heap's") {
  std::mt19937 random{7};
  engine::Published clock;
  Textbook textbook;
  struct Player {
    engine::Published& clock;
    Textbook& textbook;
    std::mt19937& random;
    std::uint32_t next = 0, wrong = 0;
    void add(double now) {
      const double at = now + static_cast<double>(random() % 4);
      textbook.push(at, next);
      clock.schedule_seconds(at, Event{0, 0, next++});
    }
    void handle(Event event) {
      if (textbook.pop() != event.argument()) ++wrong;
      for (std::uint32_t i = random() % 4; i > 0 && next < 20'000; --i)
        add(clock.seconds());
    }
    void instant_end() {}
  } player{clock, textbook, random};
  for (int i = 0; i < 500; ++i)
    player.add(0);
  clock.run(player);
  CHECK(player.wrong == 0);
  CHECK(clock.events() == player.next);
  CHECK(player.next > 10'000);
}

TEST_CASE("refuses the past, what is not a number, and what no Time can hold") {
  engine::Published clock;
  struct Late {
    engine::Published& clock;
    void handle(Event) { clock.schedule_seconds(0.5, Event{}); }
    void instant_end() {}
  } late{clock};
  clock.schedule_seconds(1, Event{});
  CHECK_THROWS_WITH_AS(clock.run(late), doctest::Contains("before the present"), Error);
  engine::Published other;
  CHECK_THROWS_AS(other.schedule_seconds(std::numeric_limits<double>::quiet_NaN(), Event{}), ConfigError);
  other.schedule_seconds(1e10, Event{});
  Listener listener{other, {}, {}};
  CHECK_THROWS_AS(other.run(listener), ConfigError);
}
