#include "memory/programs.hpp"

#include <triosim/memory/remote.hpp>
#include <triosim/net/flow_network.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using test::Touch;
using test::work;

namespace {

// Every message is there at once.
struct Instant {
  template <class Port>
  void send(const net::Message& message, Port& port) {
    port.deliver(message.id);
  }
};

// Nothing ever arrives.
struct Nothing {
  template <class Port>
  void send(const net::Message&, Port&) {}
};

Cluster cluster(std::uint32_t ranks, std::optional<Bytes> capacity = std::nullopt) {
  topology::Graph graph{ranks};
  graph.add_memory();
  return Cluster{graph, capacity};
}

// What goes to and from the memory, and what is in use.
struct Traffic {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> read, written; // [rank] messages, bytes
  std::vector<std::uint64_t> in_use, most;
  std::vector<Time> first_read;
  void begin(const TaskGraph& graph) {
    read.resize(graph.ranks());
    written.resize(graph.ranks());
    in_use.resize(graph.ranks());
    most.resize(graph.ranks());
  }
  void message_arrived(const net::Message& message, Time) {
    const auto count = [&](auto& one) {
      ++one.first;
      one.second += message.bytes.count();
    };
    if (message.source >= read.size()) count(read[message.destination]);
    if (message.destination >= read.size()) count(written[message.source]);
  }
  void memory_changed(std::uint32_t rank, Bytes bytes, Time) {
    in_use[rank] = bytes.count();
    most[rank] = std::max(most[rank], bytes.count());
  }
};

using Pair = std::pair<std::uint64_t, std::uint64_t>;

struct Outcome {
  Report report;
  Traffic traffic;
};

template <class Net = test::Wire>
Outcome play(const TaskGraph& graph, const Cluster& machine, std::uint32_t depth = 2) {
  Outcome outcome;
  outcome.report = test::play<Net>(graph, machine, memory::Remote{depth}, outcome.traffic);
  return outcome;
}

// The most that one task needs.
Bytes largest(const TaskGraph& graph) {
  const memory::Uses uses{graph};
  std::uint64_t most = 0;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    for (TaskId task = 0; task < uses.tasks(rank); ++task) {
      std::uint64_t sum = 0;
      for (const memory::Use& use : uses.of(rank, task))
        sum += uses.bytes(rank, use.tensor);
      most = std::max(most, sum);
    }
  return Bytes{most};
}

} // namespace

TEST_CASE("weights come before they are used, one message a task, the next ones while a task computes") {
  Program program;
  std::vector<TaskId> last;
  for (int i = 0; i < 3; ++i) {
    const TensorIndex a = program.add_tensor({600_B, true}), b = program.add_tensor({400_B, true});
    last = {program.add_compute(work("layer", 10_us), last)};
    program.uses(std::array{a, b, a}, {});
  }
  const TaskGraph graph = test::world(1, program);
  const Outcome alone = play(graph, cluster(1), 0);
  CHECK(alone.report.total == 33_us);
  CHECK(alone.traffic.read[0] == Pair{3, 3'000});
  CHECK(alone.report.ranks[0].exposed_communication == 3_us);
  CHECK(alone.report.ranks[0].peak_memory == 3_KB);
  const Outcome ahead = play(graph, cluster(1), 1);
  CHECK(ahead.report.total == 31_us);
  CHECK(ahead.traffic.read[0] == Pair{3, 3'000});
  CHECK(ahead.report.ranks[0].overlapped_communication == 2_us);
  CHECK(play(graph, cluster(1, 1_KB), 2).report.total == 33_us); // no room to run ahead
  CHECK(play(graph, cluster(1, 2_KB), 2).report.total == 31_us);
}

TEST_CASE("what has not been written is not read: outputs, and inputs that a peer has sent") {
  Program program;
  const TensorIndex sent = program.add_tensor({5_KB, false}), made = program.add_tensor({7_KB, false});
  const TensorIndex weight = program.add_tensor({1_KB, true}), overwritten = program.add_tensor({2_KB, true});
  program.add_compute(work("a", 10_us));
  program.uses(std::array{sent, weight}, std::array{made, overwritten});
  const Outcome outcome = play(test::world(1, program), cluster(1));
  CHECK(outcome.report.total == 11_us);
  CHECK(outcome.traffic.read[0] == Pair{1, 1'000});
  CHECK(outcome.traffic.in_use[0] == 3'000); // the persistent ones stay
}

TEST_CASE("what exists on the device alone is saved before its room is used, and read again") {
  Program program;
  const TensorIndex a = program.add_tensor({100_B, false}), b = program.add_tensor({100_B, false});
  const TensorIndex weight = program.add_tensor({100_B, true});
  const TaskId first = program.add_compute(work("make a", 1_us));
  program.uses({}, std::array{a});
  const TaskId second = program.add_compute(work("make b", 1_us), std::array{first});
  program.uses(std::array{weight}, std::array{b});
  program.add_compute(work("use a and b", 1_us), std::array{second});
  program.uses(std::array{a, b}, {});
  // The second task waits for a to be saved (100 ns), then for its weight (100 ns), the third for a (100 ns).
  const Outcome outcome = play(test::world(1, program), cluster(1, 200_B), 0);
  CHECK(outcome.report.total == 3'300_ns);
  CHECK(outcome.traffic.written[0] == Pair{1, 100});
  CHECK(outcome.traffic.read[0] == Pair{2, 200});
  CHECK(outcome.report.ranks[0].peak_memory == 200_B);
  CHECK(outcome.report.ranks[0].bytes_sent == 100_B);
  const Outcome enough = play(test::world(1, program), cluster(1, 300_B), 0);
  CHECK(enough.report.total == 3'100_ns);
  CHECK(enough.traffic.written[0] == Pair{0, 0});
}

TEST_CASE("a tensor is saved again only when it has been written since") {
  Program program;
  const TensorIndex x = program.add_tensor({100_B, false}), y = program.add_tensor({100_B, true});
  const TensorIndex z = program.add_tensor({100_B, true});
  auto layer = [&, last = std::vector<TaskId>{}](auto inputs, auto outputs) mutable {
    last = {program.add_compute(work("layer", 1_us), last)};
    program.uses(inputs, outputs);
  };
  const std::array<TensorIndex, 0> nothing{};
  layer(nothing, std::array{x});
  layer(std::array{y, z}, nothing); // x is saved and dropped
  layer(std::array{x}, nothing);
  layer(std::array{y, z}, nothing); // x is dropped
  layer(std::array{x}, std::array{x});
  layer(std::array{y, z}, nothing); // x is saved and dropped
  layer(std::array{x}, nothing);
  const Outcome outcome = play(test::world(1, program), cluster(1, 200_B), 0);
  CHECK(outcome.traffic.written[0] == Pair{2, 200});
  // y with z; then in turn x, and the one of y and z that had made room for it.
  CHECK(outcome.traffic.read[0] == Pair{6, 200 + 500});
}

TEST_CASE("a tensor on its way out stays if it is needed after all, and goes again if it is written to meanwhile") {
  for (const bool writes : {false, true}) {
    Program program, peer;
    const TensorIndex x = program.add_tensor({1'000_B, false}), weight = program.add_tensor({1'000_B, true});
    const TaskId made = program.add_compute(work("make x", 1_us));
    program.uses({}, std::array{x});
    const TaskId big = program.add_compute(work("big", 1_us), std::array{made});
    program.uses(std::array{weight}, {}); // from 1 us on, waits for x to be saved
    program.add_compute(work("use x", 1_us), std::array{big});
    program.uses(std::array{x}, {});
    const TaskId got = program.add_receive("in", {0, 1, 0, 100_B}); // at 1.5 us
    if (writes) {
      program.uses({}, std::array{x});
    } else {
      program.add_send("out", {0, 1, 1, 100_B}, std::array{got}); // to 1.6 us
      program.uses(std::array{x}, {});
    }
    const TaskId wait = peer.add_compute(work("wait", 1'400_ns));
    peer.add_send("out", {0, 1, 0, 100_B}, std::array{wait});
    if (!writes) peer.add_receive("in", {0, 1, 1, 100_B});
    TaskGraph graph = test::world(2, program);
    graph.assign(1, graph.add_program(peer));
    const Outcome outcome = play(graph, cluster(2, 1'000_B));
    // Written to, it is saved from 1 to 2 and from 2 to 3 us; else from 1 to 2. Then come the weight, "big", x, "use
    // x".
    CHECK(outcome.report.total == (writes ? 7_us : 6_us));
    CHECK(outcome.traffic.written[0] == (writes ? Pair{2, 2'000} : Pair{1, 1'000}));
    CHECK(outcome.traffic.read[0] == Pair{2, 2'000});
  }
}

TEST_CASE("without a capacity every persistent tensor is read once at most, and nothing is written") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const TaskGraph graph = test::tangle(seed, 3);
    const memory::Uses uses{graph};
    std::uint64_t all = 0;
    for (TensorIndex tensor = 0; tensor < uses.tensors(0); ++tensor)
      all += uses.persistent(0, tensor) ? uses.bytes(0, tensor) : 0;
    for (const std::uint32_t depth : {0u, 2u, 1'000u}) {
      const Outcome outcome = play(graph, cluster(3), depth);
      for (std::uint32_t rank = 0; rank < 3; ++rank) {
        CHECK(outcome.traffic.read[rank].second <= all);
        CHECK(outcome.traffic.read[rank].second > 0);
        CHECK(outcome.traffic.written[rank] == Pair{0, 0});
      }
    }
  }
}

TEST_CASE("on a network that takes no time, every time is that of Unbounded, even with the least room") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const TaskGraph graph = test::tangle(seed, 3, Touch::Compute);
    const Report free = test::play<Instant>(graph, cluster(3), memory::Unbounded{});
    for (const std::uint32_t depth : {0u, 2u, 1'000u}) {
      CHECK(test::same_times(free, play<Instant>(graph, cluster(3), depth).report));
      CHECK(test::same_times(free, play<Instant>(graph, cluster(3, largest(graph)), depth).report));
    }
    const TaskGraph all = test::tangle(seed, 3);
    CHECK(test::same_times(test::play<Instant>(all, cluster(3), memory::Unbounded{}),
                           play<Instant>(all, cluster(3)).report));
  }
}

TEST_CASE("every run ends, within the capacity, however little room there is and whoever needs it") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const TaskGraph graph = test::tangle(seed, 3, Touch::Messages);
    const Bytes least = largest(graph);
    for (const std::uint64_t more : {0u, 1u, 500u, 2'000u, 5'000u})
      for (const std::uint32_t depth : {0u, 1u, 2u, 50u}) {
        const Bytes capacity = least + Bytes{more};
        const Outcome outcome = play(graph, cluster(3, capacity), depth);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
          CHECK(outcome.report.ranks[rank].peak_memory <= capacity);
          CHECK(outcome.traffic.most[rank] <= outcome.report.ranks[rank].peak_memory.count());
          // What is left at the end is persistent.
          CHECK(outcome.traffic.in_use[rank] <= 6'000);
          // A rank's own traffic takes its time, even where nobody else is on the wires.
          CHECK(outcome.report.ranks[rank].bytes_sent.count() >= outcome.traffic.written[rank].second);
        }
      }
    CHECK_THROWS_AS(play(graph, cluster(3, least - 1_B)), OutOfMemory);
  }
}

TEST_CASE("reads of equal pieces are those of a least-recently-used cache, and more room is never slower") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random{seed};
    std::vector<TensorIndex> order(60);
    Program program;
    for (int i = 0; i < 8; ++i)
      program.add_tensor({1_KB, true});
    std::vector<TaskId> last;
    for (TensorIndex& tensor : order) {
      tensor = static_cast<TensorIndex>(random() % 8);
      last = {program.add_compute(work("layer", 1_us), last)};
      program.uses(std::array{tensor}, {});
    }
    const TaskGraph graph = test::world(1, program);
    Time before = Time::infinity();
    for (std::uint64_t capacity = 1; capacity <= 9; ++capacity) {
      std::list<TensorIndex> cache;
      std::uint64_t misses = 0;
      for (const TensorIndex tensor : order) {
        const auto found = std::find(cache.begin(), cache.end(), tensor);
        misses += found == cache.end();
        if (found != cache.end()) cache.erase(found);
        cache.push_front(tensor);
        if (cache.size() > capacity) cache.pop_back();
      }
      const Outcome outcome = play(graph, cluster(1, Bytes{capacity * 1'000}), 0);
      CHECK(outcome.traffic.read[0] == Pair{misses, misses * 1'000});
      CHECK(outcome.report.total == 1_us * static_cast<std::int64_t>(60 + misses));
      CHECK(outcome.report.total <= before);
      before = outcome.report.total;
      // Running ahead does not make a chain slower than waiting for everything.
      CHECK(play(graph, cluster(1, Bytes{capacity * 1'000}), 2).report.total <= outcome.report.total);
    }
  }
}

TEST_CASE("the bytes of a rank over the bandwidth of its link bound its time, and a shared link that of all") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const TaskGraph graph = test::tangle(seed, 2, Touch::Messages);
    topology::Graph links{2};
    const auto memory = links.add_memory(), hub = links.add_switch();
    links.add_cable(0, hub, 2_GBps);
    links.add_cable(1, hub, 2_GBps);
    links.add_cable(hub, memory, 1_GBps);
    const Cluster machine{links, largest(graph) + 1_KB};
    Outcome outcome;
    Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, test::Given, memory::Remote> sim{machine};
    outcome.report = sim.run(graph, outcome.traffic);
    const auto& read = outcome.traffic.read;
    const auto& written = outcome.traffic.written;
    CHECK(outcome.report.total >= Bytes{read[0].second + read[1].second} / 1_GBps);
    CHECK(outcome.report.total >= Bytes{written[0].second + written[1].second} / 1_GBps);
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      CHECK(outcome.report.total >= Bytes{read[rank].second} / 2_GBps);
  }
}

TEST_CASE("ranks do not see each other's memory") {
  Program busy;
  std::vector<TaskId> last;
  for (int i = 0; i < 6; ++i) {
    last = {busy.add_compute(work("layer", 1_us), last)};
    busy.uses(std::array{busy.add_tensor({1_KB, true})}, std::array{busy.add_tensor({500_B, false})});
  }
  Program idle;
  idle.add_compute(work("nothing", 1_us));
  TaskGraph both = test::world(2, busy);
  both.assign(0, both.add_program(idle));
  const Outcome alone = play(test::world(1, busy), cluster(1, 2_KB)), beside = play(both, cluster(2, 2_KB));
  CHECK(beside.report.ranks[1].finish == alone.report.ranks[0].finish);
  CHECK(beside.traffic.read[1] == alone.traffic.read[0]);
  CHECK(beside.report.ranks[0].finish == 1_us);
  CHECK(beside.traffic.read[0] == Pair{0, 0});
  CHECK(beside.report.ranks[0].peak_memory == 0_B);
}

TEST_CASE("what was prefetched gives way to the task that needs the room") {
  // While "a" computes, the weights of "c" come; but "b" needs all there is.
  Program program;
  const TensorIndex small = program.add_tensor({100_B, true}), big = program.add_tensor({1'000_B, false});
  const TensorIndex late = program.add_tensor({300_B, true});
  const TaskId a = program.add_compute(work("a", 10_us));
  program.uses(std::array{small}, {});
  const TaskId c = program.add_compute(work("c", 10_us));
  program.uses(std::array{late}, {});
  program.depend(c, program.add_compute(work("b", 10_us), std::array{a}));
  program.uses({}, std::array{big});
  const Outcome outcome = play(test::world(1, program), cluster(1, 1'000_B));
  CHECK(outcome.report.total == 100_ns + 30_us + 300_ns);
  CHECK(outcome.traffic.read[0] == Pair{3, 100 + 300 + 300});
}

TEST_CASE("a task whose own tensors exceed the capacity is out of memory") {
  Program program;
  program.add_compute(work("fits", 1_us));
  program.uses(std::array{program.add_tensor({100_B, true})}, {});
  program.add_compute(work("does not", 1_us));
  program.uses(std::array{program.add_tensor({60_B, true})}, std::array{program.add_tensor({41_B, false})});
  CHECK_THROWS_WITH_AS(play(test::world(1, program), cluster(1, 100_B)),
                       "out of memory: rank 0 needs 101 of 100 bytes at does not (task 1)", OutOfMemory);
  CHECK_NOTHROW(play(test::world(1, program), cluster(1, 101_B)));
  CHECK_THROWS_WITH_AS(play(test::world(1, program), Cluster{topology::Graph{1}}),
                       "tensors live in the remote memory, which the topology lacks", TopologyError);
}

TEST_CASE("bytes that never come, and collectives that hold each other's room, end in a deadlock that says so") {
  Program program;
  program.add_compute(work("a", 1_us));
  program.uses(std::array{program.add_tensor({100_B, true})}, {});
  program.add_compute(work("b", 1_us));
  try {
    play<Nothing>(test::world(1, program), cluster(1));
    FAIL("a run that cannot finish finished");
  } catch (const Deadlock& deadlock) {
    CHECK(deadlock.stuck() ==
          std::vector<std::string>{"rank 0: compute a (task 0) waits for its tensors in the memory of its device",
                                   "rank 0: compute b (task 1) waits for its turn after a"});
  }

  // Each rank is in one collective, whose tensors fill its device, and computes what the other waits for.
  Program first, second;
  for (Program* p : {&first, &second}) {
    const TensorIndex x = p->add_tensor({100_B, false}), y = p->add_tensor({100_B, false});
    const std::uint16_t early = p == &first ? 0 : 1, late = p == &first ? 1 : 0;
    p->add_collective("early", {CollectiveType::AllReduce, early, 8_B});
    p->uses(std::array{x}, {});
    const TaskId task = p->add_compute(work("compute", 1_us));
    p->uses(std::array{y}, {});
    p->add_collective("late", {CollectiveType::AllReduce, late, 8_B}, std::array{task});
  }
  TaskGraph graph = test::world(2, first);
  graph.add_group(Communicators::world(2));
  graph.assign(1, graph.add_program(second));
  CHECK_NOTHROW(play(graph, cluster(2, 200_B)));
  try {
    play(graph, cluster(2, 199_B));
    FAIL("a run that cannot finish finished");
  } catch (const Deadlock& deadlock) {
    REQUIRE(deadlock.stuck().size() == 6);
    CHECK(deadlock.stuck()[1] == "rank 0: compute compute (task 1) waits for its tensors in the memory of its device");
  }
}

TEST_CASE("the engine and the order of equal events never change a byte") {
  using Heap = Simulator<engine::SerialHeap, time_model::Recorded, test::Wire, test::Given, memory::Remote>;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const TaskGraph graph = test::tangle(seed, 3, Touch::Messages);
    const Cluster machine = cluster(3, largest(graph) + 1_KB);
    Traffic traffic;
    const Report other = Heap{machine, {}, {}, test::Wire{}, memory::Remote{}}.run(graph, traffic);
    const Outcome one = play(graph, machine);
    CHECK(test::same_times(one.report, other));
    CHECK(one.traffic.read == traffic.read);
    CHECK(one.traffic.written == traffic.written);
  }
}
