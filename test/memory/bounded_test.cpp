#include "memory/programs.hpp"

#include <triosim/memory/bounded.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using test::work;

namespace {

template <class Memory = memory::Bounded>
Report play(const TaskGraph& graph, std::optional<Bytes> capacity = std::nullopt) {
  return test::play(graph, Cluster{topology::Graph{graph.ranks()}, capacity}, Memory{});
}

// Three layers forward and back: weights of 10, activations of 100 between layers, kept for the backward pass.
Program chain() {
  Program program;
  std::array<TensorIndex, 3> weight{};
  std::array<TensorIndex, 4> activation{};
  for (auto& tensor : weight)
    tensor = program.add_tensor({10_B, true});
  for (auto& tensor : activation)
    tensor = program.add_tensor({100_B, false});
  std::vector<TaskId> last;
  for (std::size_t layer = 0; layer < 3; ++layer) {
    last = {program.add_compute(work("forward", 1_us), last)};
    program.uses(std::array{activation[layer], weight[layer]}, std::array{activation[layer + 1]});
  }
  for (std::size_t layer = 3; layer-- > 0;) {
    last = {program.add_compute(work("backward", 1_us), last)};
    program.uses(std::array{activation[layer + 1], activation[layer], weight[layer]}, {});
  }
  return program;
}

// What is in use after each instant, in microseconds.
struct Levels {
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
  void memory_changed(std::uint32_t rank, Bytes bytes, Time now) {
    if (rank != 0) return;
    const std::int64_t us = now.picoseconds() / 1'000'000;
    if (!seen.empty() && seen.back().first == us) seen.pop_back();
    seen.emplace_back(us, bytes.count());
  }
};

} // namespace

TEST_CASE("persistent tensors count from the start, others from their first use to their last") {
  Levels levels;
  const Report report = test::play(test::world(1, chain()), Cluster{topology::Graph{1}}, memory::Bounded{}, levels);
  CHECK(report.ranks[0].peak_memory == 430_B);
  CHECK(levels.seen == std::vector<std::pair<std::int64_t, std::uint64_t>>{
                           {0, 230}, {1, 330}, {2, 430}, {3, 430}, {4, 330}, {5, 230}, {6, 30}});
}

TEST_CASE("without a capacity, or with just enough, every time is that of Unbounded; a byte less is out of memory") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const TaskGraph graph = test::tangle(seed, 4);
    const Report free = play<memory::Unbounded>(graph), measured = play(graph);
    Bytes peak;
    for (const RankReport& rank : measured.ranks)
      peak = std::max(peak, rank.peak_memory);
    CHECK(test::same_times(free, measured));
    CHECK(test::same_times(free, play(graph, peak)));
    REQUIRE(peak > Bytes{});
    CHECK_THROWS_AS(play(graph, peak - 1_B), OutOfMemory);
  }
}

TEST_CASE("out of memory names the rank, the task, what it needs and what there is") {
  CHECK_THROWS_WITH_AS(play(test::world(1, chain()), 429_B),
                       "out of memory: rank 0 needs 430 of 429 bytes at forward (task 2)", OutOfMemory);
  CHECK_THROWS_WITH_AS(play(test::world(2, chain()), 29_B),
                       "out of memory: rank 0 needs 30 of 29 bytes at the start of the step", OutOfMemory);
}

TEST_CASE("two ranks with different programs have accounts of their own") {
  Program small;
  small.add_compute(work("only", 1_us));
  small.uses({}, std::array{small.add_tensor({7_B, false})});
  TaskGraph graph = test::world(2, chain());
  graph.assign(1, graph.add_program(small));
  const Report report = play(graph);
  CHECK(report.ranks[0].peak_memory == 430_B);
  CHECK(report.ranks[1].peak_memory == 7_B);
}

TEST_CASE("what a message brings takes room when it has come, what it takes away until it has arrived") {
  Program sender, receiver;
  const TensorIndex out = sender.add_tensor({5'000_B, false}), in = receiver.add_tensor({5'000_B, false});
  const TaskId made = sender.add_compute(work("make", 10_us));
  sender.uses({}, std::array{out});
  sender.add_send("out", {0, 1, 7, 5_KB}, std::array{made});
  sender.uses(std::array{out}, {});
  const TaskId got = receiver.add_receive("in", {0, 1, 7, 5_KB});
  receiver.uses({}, std::array{in});
  receiver.add_compute(work("use", 1_us), std::array{got});
  receiver.uses(std::array{in}, {});
  TaskGraph graph = test::world(2, sender);
  graph.assign(1, graph.add_program(receiver));
  struct Changes {
    std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>> seen;
    std::array<std::uint64_t, 2> last{};
    void memory_changed(std::uint32_t rank, Bytes bytes, Time now) {
      if (bytes.count() != last[rank]) seen.emplace_back(rank, now.picoseconds() / 1'000'000, bytes.count());
      last[rank] = bytes.count();
    }
  } changes;
  test::play(graph, Cluster{topology::Graph{2}}, memory::Bounded{}, changes);
  CHECK(changes.seen == std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>>{
                            {0, 0, 5'000}, {0, 15, 0}, {1, 15, 5'000}, {1, 16, 0}});
}

TEST_CASE("tensors listed twice count once, those of no bytes and those never used do no harm") {
  Program program;
  const TensorIndex a = program.add_tensor({10_B, false}), none = program.add_tensor({0_B, false});
  program.add_tensor({1_GB, false});
  program.add_tensor({3_B, true});
  program.add_compute(work("twice", 1_us));
  program.uses(std::array{a, a, none}, std::array{a, none});
  CHECK(play(test::world(1, program)).ranks[0].peak_memory == 13_B);
}

TEST_CASE("a task that names a tensor that does not exist is refused, and so is more memory than there can be") {
  Program program;
  program.add_compute(work("bad", 1_us));
  program.uses(std::array{TensorIndex{5}}, {});
  CHECK_THROWS_WITH_AS(play(test::world(1, program)), "bad: found \"tensor 5\", expected a tensor below 0",
                       ConfigError);
  Program vast;
  for (int i = 0; i < 5; ++i)
    vast.add_tensor({Bytes{std::uint64_t{1} << 62}, true});
  vast.add_compute(work("a", 1_us));
  CHECK_THROWS_AS(play(test::world(1, vast)), ConfigError);
}
