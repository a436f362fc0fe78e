#include <triosim/collective/chosen.hpp>
#include <triosim/collective/direct.hpp>
#include <triosim/collective/double_binary_tree.hpp>
#include <triosim/collective/halving_doubling.hpp>
#include <triosim/collective/hierarchical.hpp>
#include <triosim/collective/ring.hpp>
#include <triosim/collective/standard.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using collective::Call;

static_assert(collective::AlgorithmPolicy<collective::Ring>);
static_assert(collective::AlgorithmPolicy<collective::Direct>);
static_assert(collective::AlgorithmPolicy<collective::Standard>);

namespace {

struct DirectByThree : collective::DirectOver {
  DirectByThree() : DirectOver{3} {}
};
struct IslandsOfFour : collective::Hierarchical {
  IslandsOfFour() : Hierarchical{4} {}
};
struct ChosenTrees : collective::Chosen {
  ChosenTrees() : Chosen{Kind::DoubleBinaryTree} {}
};

constexpr CollectiveType all_types[] = {
    CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
    CollectiveType::AllToAll,  CollectiveType::Broadcast, CollectiveType::Reduce,
    CollectiveType::Gather,    CollectiveType::Scatter,   CollectiveType::Barrier};

} // namespace

TEST_CASE_TEMPLATE("every message is expected in the step in which it is sent, on 1 to 33 members", Algorithm,
                   collective::Ring, collective::Direct, collective::Standard, collective::HalvingDoubling,
                   collective::DoubleBinaryTree, DirectByThree, IslandsOfFour, ChosenTrees) {
  const Algorithm algorithm;
  for (const CollectiveType type : all_types)
    for (std::uint32_t n = 1; n <= 33; ++n) {
      const Call call{type, n, 1'000'003_B};
      for (std::uint32_t step = 0; step < algorithm.steps(call); ++step) {
        std::vector<std::uint32_t> received(n, 0);
        for (std::uint32_t member = 0; member < n; ++member)
          algorithm.sends(call, member, step, [&](std::uint32_t peer, Bytes) {
            REQUIRE(peer < n);
            REQUIRE(peer != member);
            ++received[peer];
          });
        for (std::uint32_t member = 0; member < n; ++member)
          REQUIRE(algorithm.receives(call, member, step) == received[member]);
      }
    }
}

namespace {

template <class Algorithm>
std::uint64_t bytes_sent(const Algorithm& algorithm, const Call& call, std::uint32_t member) {
  std::uint64_t sum = 0;
  for (std::uint32_t step = 0; step < algorithm.steps(call); ++step)
    algorithm.sends(call, member, step, [&](std::uint32_t, Bytes bytes) { sum += bytes.count(); });
  return sum;
}

} // namespace

TEST_CASE_TEMPLATE("bytes on the wire per member are the textbook's", Algorithm, collective::Ring, collective::Direct,
                   collective::Standard, DirectByThree, IslandsOfFour) {
  const Algorithm algorithm;
  for (std::uint32_t n = 1; n <= 33; ++n) {
    const std::uint64_t size = 1'000 * n, share = 1'000;
    for (std::uint32_t member = 0; member < n; ++member) {
      const auto sent = [&](CollectiveType type) { return bytes_sent(algorithm, Call{type, n, Bytes{size}}, member); };
      REQUIRE(sent(CollectiveType::AllReduce) == 2 * (n - 1) * share);
      REQUIRE(sent(CollectiveType::AllGather) == (n - 1) * share);
      REQUIRE(sent(CollectiveType::ReduceScatter) == (n - 1) * share);
      REQUIRE(sent(CollectiveType::Barrier) == 0);
    }
  }
}

TEST_CASE("direct all-to-all sends each share once; the ring passes it on") {
  for (std::uint32_t n = 2; n <= 33; ++n) {
    const Call call{CollectiveType::AllToAll, n, Bytes{1'000 * n}};
    CHECK(bytes_sent(collective::Direct{}, call, 1) == (n - 1) * 1'000);
    CHECK(bytes_sent(collective::Ring{}, call, 1) == n * (n - 1) / 2 * 1'000);
  }
}

TEST_CASE("odd sizes: nothing is lost when a buffer does not divide") {
  for (std::uint32_t n = 1; n <= 33; ++n) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < n; ++i)
      sum += collective::piece(1'000'003_B, n, i).count();
    CHECK(sum == 1'000'003);
    // Over all members, a ring all-reduce moves every chunk 2(N-1) times.
    std::uint64_t wire = 0;
    for (std::uint32_t member = 0; member < n; ++member)
      wire += bytes_sent(collective::Ring{}, Call{CollectiveType::AllReduce, n, 1'000'003_B}, member);
    CHECK(wire == 2 * (n - 1) * std::uint64_t{1'000'003});
  }
}

TEST_CASE("ring all-reduce: a member forwards the chunk that it received in the step before") {
  const Call call{CollectiveType::AllReduce, 5, Bytes{10 + 4}}; // chunks of 3, 3, 3, 3, 2 bytes
  for (std::uint32_t member = 0; member < 5; ++member)
    for (std::uint32_t step = 1; step < 8; ++step) {
      Bytes received, sent;
      collective::Ring{}.sends(call, (member + 4) % 5, step - 1, [&](std::uint32_t, Bytes bytes) { received = bytes; });
      collective::Ring{}.sends(call, member, step, [&](std::uint32_t, Bytes bytes) { sent = bytes; });
      CHECK(received == sent);
    }
}

TEST_CASE("halving and doubling: the ring's bytes in log N steps; members beyond a power of two are folded in") {
  const collective::HalvingDoubling algorithm;
  for (std::uint32_t n = 2; n <= 33; ++n) {
    const Call call{CollectiveType::AllReduce, n, Bytes{1'000'000}};
    const std::uint32_t power = std::bit_floor(n), levels = static_cast<std::uint32_t>(std::countr_zero(power));
    CHECK(algorithm.steps(call) == 2 * levels + (n == power ? 0 : 2));
    std::uint64_t wire = 0;
    for (std::uint32_t member = 0; member < n; ++member)
      wire += bytes_sent(algorithm, call, member);
    CHECK(wire == 2 * (power - 1) * std::uint64_t{1'000'000} + 2 * (n - power) * std::uint64_t{1'000'000});
  }
}

TEST_CASE("two trees: every byte goes once up and once down each edge, and nobody is an inner node of both") {
  const collective::DoubleBinaryTree algorithm;
  for (std::uint32_t n = 2; n <= 33; ++n)
    for (const std::uint64_t size : {1'001ull, 3'000'001ull}) {
      const auto wire = [&](CollectiveType type) {
        std::uint64_t sum = 0;
        for (std::uint32_t member = 0; member < n; ++member)
          sum += bytes_sent(algorithm, Call{type, n, Bytes{size}}, member);
        return sum;
      };
      CHECK(wire(CollectiveType::AllReduce) == 2 * (n - 1) * size);
      CHECK(wire(CollectiveType::Broadcast) == (n - 1) * size);
      CHECK(wire(CollectiveType::Reduce) == (n - 1) * size);
      // Up and down two trees as a leaf, or a leaf and an inner node with two children: 3 S at most, half of it twice.
      for (std::uint32_t member = 0; member < n; ++member)
        CHECK(bytes_sent(algorithm, Call{CollectiveType::AllReduce, n, Bytes{size}}, member) <= 2 * size + 2);
    }
}

TEST_CASE("islands send a share of the buffer to each other, rings all of it") {
  const collective::Hierarchical islands{4};
  const Call call{CollectiveType::AllReduce, 16, Bytes{16'000}};
  std::uint64_t across = 0;
  for (std::uint32_t step = 0; step < islands.steps(call); ++step)
    islands.sends(call, 5, step, [&](std::uint32_t peer, Bytes bytes) {
      if (peer / 4 != 1) across += bytes.count();
    });
  CHECK(across == 2 * 3 * 1'000); // 2 (G - 1) / G of a quarter
}
