#include "support/postman.hpp"

#include <triosim/net/classic_optical.hpp>
#include <triosim/net/optical.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using test::Letter;

namespace {

Cluster machine(std::uint32_t devices, bool memory = false) {
  topology::Graph graph{devices};
  if (memory) graph.add_memory();
  return Cluster{graph};
}

} // namespace

TEST_CASE("published: hops on the ring that the walk through the mesh finds") {
  const net::classic::Optical two{machine(4), 2, 2};
  // 0, 1, 3, 2
  CHECK(two.hops(0, 1) == 1);
  CHECK(two.hops(1, 2) == 2);
  CHECK(two.hops(2, 0) == 1);
  // 0 1 2 3 7 11 15 14 13 12 8 9 10 6 5 4
  const net::classic::Optical four{machine(16), 4, 4};
  CHECK(four.hops(0, 4) == 1);
  CHECK(four.hops(12, 8) == 1);
  CHECK(four.hops(10, 6) == 1);
  CHECK(four.hops(7, 8) == 6);
  CHECK(four.hops(6, 7) == 7);
  CHECK(four.hops(16, 5) == 1); // from the memory
  const net::classic::Optical row{machine(5)};
  CHECK(row.hops(4, 0) == 1);
  CHECK(row.hops(0, 3) == 2);
  CHECK(test::post_one(four, 7, 8, 64_GB) == 1_s + 120_ns);
  CHECK(test::post_one(four, 16, 8, 64_GB) == 1_s + 20_ns);
}

TEST_CASE("published: each ring is one, for every shape that is taken") {
  for (std::uint32_t rows = 1; rows <= 7; ++rows)
    for (std::uint32_t columns = 1; columns <= 7; ++columns) {
      const Cluster cluster = machine(rows * columns);
      if (rows * columns == 1 || (columns == 1 && rows > 2)) {
        CHECK_THROWS_AS((net::classic::Optical{cluster, rows, columns}), TopologyError);
        continue;
      }
      const net::classic::Optical net{cluster, rows, columns};
      const std::uint32_t n = rows * columns;
      for (std::uint32_t a = 0; a < n; ++a) {
        int neighbours = 0;
        for (std::uint32_t b = 0; b < n; ++b)
          neighbours += net.hops(a, b) == 1;
        CHECK(neighbours == (n == 2 ? 1 : 2));
      }
    }
}

TEST_CASE("published: shapes that are refused") {
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{3, 2}, {0, 4}, {-2, -2}, {0, 0}, {4, 1}})
    CHECK_THROWS_AS((net::classic::Optical{machine(4), rows, columns}), TopologyError);
  CHECK_THROWS_WITH_AS((net::classic::Optical{machine(4), 3, 2}),
                       "an optical mesh of 3 x 2 cells for 4 devices needs one cell for each device", TopologyError);
  CHECK_THROWS_AS((net::classic::Optical{machine(4), 3'037'000'500, 3'037'000'500}), TopologyError);
}

TEST_CASE("published: no contention") {
  const net::classic::Optical net{machine(4), 2, 2};
  const std::vector<Letter> letters(3, Letter{Time{}, 0, 1, 64_GB});
  CHECK(test::post(net, letters) == std::vector<Time>(3, 1_s + 20_ns));
}

TEST_CASE("physical: a standing circuit takes hops and bytes, another its set-up once") {
  const net::Optical net{machine(12), {.rows = 3, .columns = 4}};
  CHECK(test::post_one(net, 0, 1, 64_MB) == 1_ms + 20_ns);
  CHECK(test::post_one(net, 3, 4, 64_MB) == 1_ms + 20_ns);   // the snake turns
  CHECK(test::post_one(net, 11, 0, 64_MB) == 1_ms + 100_ns); // 2 rows and 3 columns
  CHECK(test::post_one(net, 0, 2, 64_MB) == 21_ms + 40_ns);
  const std::vector<Letter> twice{{Time{}, 0, 2, 64_MB}, {50_ms, 0, 2, 64_MB}};
  CHECK(test::post(net, twice) == std::vector<Time>{21_ms + 40_ns, 51_ms + 40_ns});
}

TEST_CASE("physical: a circuit carries one message at a time") {
  const net::Optical net{machine(4)};
  const std::vector<Letter> letters(3, Letter{Time{}, 0, 1, 64_MB});
  CHECK(test::post(net, letters) == std::vector<Time>{1_ms + 20_ns, 2_ms + 20_ns, 3_ms + 20_ns});
}

TEST_CASE("physical: without a free wave-guide a message waits, and the longest idle circuit gives way") {
  const net::Optical net{machine(8),
                         {.hop = Time{}, .set_up = 1_ms, .wave_guides = 1, .standing = net::StandingCircuits::None}};
  // One sender: each message needs its own circuit, one after the other.
  const std::vector<Letter> out{{Time{}, 0, 1, 64_MB}, {Time{}, 0, 2, 64_MB}, {Time{}, 0, 1, 64_MB}};
  CHECK(test::post(net, out) == std::vector<Time>{2_ms, 5_ms, 3_ms}); // the third rides on the open circuit
  // One receiver.
  const std::vector<Letter> in{{Time{}, 1, 0, 64_MB}, {Time{}, 2, 0, 64_MB}, {Time{}, 3, 0, 64_MB}};
  CHECK(test::post(net, in) == std::vector<Time>{2_ms, 4_ms, 6_ms});
  // Others are not held up.
  const std::vector<Letter> both{{Time{}, 1, 0, 64_MB}, {Time{}, 2, 0, 64_MB}, {Time{}, 3, 4, 64_MB}};
  CHECK(test::post(net, both) == std::vector<Time>{2_ms, 4_ms, 2_ms});
}

TEST_CASE("physical: everybody to everybody ends, with few wave-guides as with many") {
  Time before = Time::infinity();
  for (const std::uint32_t guides : {1u, 2u, 4u, 16u}) {
    const net::Optical net{machine(16),
                           {.set_up = 10_us, .wave_guides = guides, .standing = net::StandingCircuits::None}};
    std::vector<Letter> letters;
    for (std::uint32_t a = 0; a < 16; ++a)
      for (std::uint32_t b = 0; b < 16; ++b)
        if (a != b) letters.push_back({Time{}, a, b, 1_MB});
    const auto arrivals = test::post(net, letters);
    const Time last = *std::max_element(arrivals.begin(), arrivals.end());
    CHECK(last < Time::infinity());
    CHECK(last < before);
    before = last;
  }
}

TEST_CASE("physical: the butterfly stands, and takes its wave-guides") {
  const net::Optical net{machine(8), {.rows = 2, .columns = 4, .standing = net::StandingCircuits::Butterfly}};
  CHECK(test::post_one(net, 0, 4, 64_MB) < 2_ms);
  CHECK(test::post_one(net, 0, 2, 64_MB) < 2_ms);
  CHECK(test::post_one(net, 1, 2, 64_MB) > 20_ms);
  CHECK_THROWS_WITH_AS((net::Optical{machine(16), {.wave_guides = 3, .standing = net::StandingCircuits::Butterfly}}),
                       "the standing circuits of an optical mesh need 4 wave-guides at rank 0, which has 3",
                       TopologyError);
  CHECK_THROWS_AS((net::Optical{machine(16), {.rows = 3, .columns = 5}}), TopologyError);
}

TEST_CASE("physical: a pair that can never have a circuit is told so") {
  const net::Optical net{machine(8), {.wave_guides = 2}}; // both taken by the ring
  CHECK(test::post_one(net, 0, 7, 64_MB) < 2_ms);
  CHECK_THROWS_WITH_AS(test::post_one(net, 0, 4, 64_MB),
                       "the optical mesh can never open a circuit from node 0 to node 4", TopologyError);
}

TEST_CASE("physical: the memory has a circuit of its own to each device") {
  const net::Optical net{machine(4, true)};
  const std::vector<Letter> letters{
      {Time{}, 4, 0, 64_MB}, {Time{}, 4, 1, 64_MB}, {Time{}, 4, 0, 64_MB}, {Time{}, 2, 4, 64_MB}};
  CHECK(test::post(net, letters) == std::vector<Time>{1_ms + 20_ns, 1_ms + 20_ns, 2_ms + 20_ns, 1_ms + 20_ns});
}

TEST_CASE("physical: a dead circuit delivers nothing and hangs nobody") {
  const net::Optical net{machine(4), {.bandwidth = Bandwidth{}, .wave_guides = 3}};
  const std::vector<Letter> letters{{Time{}, 0, 1, 1_B}, {Time{}, 0, 2, 1_B}, {Time{}, 0, 2, 1_B}, {Time{}, 1, 2, 0_B}};
  const auto arrivals = test::post(net, letters);
  CHECK(arrivals[1] == Time::infinity());
  CHECK(arrivals[3] == 20_ns);
}
