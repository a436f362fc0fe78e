#include "support/archetypes.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/simulator.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

using namespace triosim;
using namespace triosim::literals;
namespace least = triosim::test::archetypes;

TEST_CASE("four policies that have nothing but what the concepts ask for make a simulator that runs") {
  using Sim = Simulator<least::Engine, least::TimeModel, least::Net, least::Strategy>;
  for (std::uint32_t ranks = 1; ranks <= 5; ++ranks) {
    const Sim sim{Cluster{topology::Graph{ranks}}, least::Strategy{0}, least::TimeModel{10_us}, least::Net{1_GBps}};
    const Report report = sim.run(least::Strategy::Source{Bytes{1'000} * ranks});
    CHECK(report.total == 10_us + 2_us * (ranks - 1)); // 2(N-1) steps of 1/N of the bytes
    CHECK(report.ranks.size() == ranks);
  }
}

TEST_CASE("the archetype of an engine gives the report of the engine that ships") {
  const auto report = [](auto engine_tag) {
    using Sim = Simulator<typename decltype(engine_tag)::type, least::TimeModel, least::Net, least::Strategy>;
    const Sim sim{Cluster{topology::Graph{7}}, least::Strategy{0}, least::TimeModel{10_us}, least::Net{3_GBps}};
    return sim.run(least::Strategy::Source{1_MB});
  };
  const Report a = report(std::type_identity<least::Engine>{}), b = report(std::type_identity<engine::Serial>{});
  CHECK(a.total == b.total);
  CHECK(a.events == b.events);
  CHECK(a.ranks[6].finish == b.ranks[6].finish);
}

TEST_CASE("so does a memory policy that has nothing but what its concept asks for") {
  using Sim = Simulator<least::Engine, least::TimeModel, least::Net, least::Strategy, least::Memory>;
  const Sim sim{Cluster{topology::Graph{2}}, least::Strategy{0}, least::TimeModel{10_us}, least::Net{1_GBps},
                least::Memory{3_GB}};
  const Report report = sim.run(least::Strategy::Source{2_KB});
  CHECK(report.total == 12_us);
  CHECK(report.ranks[1].peak_memory == 3_GB);
}
