#include "support/shared.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/io/machine_file.hpp>
#include <triosim/net/flow_network.hpp>
#include <triosim/net/nccl.hpp>
#include <triosim/topology/builders/machine.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

const std::vector<std::string> systems{std::string{TRIOSIM_SOURCE_DIR} + "/examples/systems"};

net::NcclModel model_of(const std::string& name) {
  const Machine machine = io::find_machine(name, systems);
  return net::NcclModel{machine.nccl.value(), machine.tiers[0].size};
}

} // namespace

TEST_CASE("costs add up: the fastest protocol, by ring or by tree") {
  NcclCosts costs;
  costs.protocols[0] = {2_us, 1_us, 5_us, 0.25};
  costs.protocols[1] = {50_us, 2_us, 6_us, 0.9};
  costs.protocols[2] = {100_us, 3_us, 9_us, 1};
  costs.pair = costs.many = 100_GBps;
  costs.net = 10_GBps;
  const net::NcclModel model{costs, 8};
  // One node: 14 hops; a small buffer by the quick protocol, a large one by the wide one.
  CHECK(model.time(CollectiveType::AllReduce, 0_B, 8, 1) == 16_us);
  CHECK(model.time(CollectiveType::AllReduce, 8_GB, 8, 1) == 100_us + 42_us + 140_ms);
  CHECK(model.time(CollectiveType::AllGather, 8_GB, 8, 1) == 100_us + 21_us + 70_ms);
  CHECK(model.time(CollectiveType::Broadcast, 8_GB, 8, 1) == 100_us + 21_us + 80_ms);
  // Two nodes of eight: a tree of 2 x 7 hops within and 2 between; two members of two nodes have an adapter each.
  CHECK(model.time(CollectiveType::AllReduce, 0_B, 16, 2) == 2_us + 14_us + 10_us);
  CHECK(model.time(CollectiveType::AllReduce, 1_GB, 2, 2) == 100_us + 18_us + 100_ms);
  CHECK(model.time(CollectiveType::AllReduce, 1_GB, 1, 1) == Time{});
  CHECK_FALSE(model.time(CollectiveType::AllToAll, 1_GB, 8, 1));
}

TEST_CASE("more bytes, and more nodes, never take less time") {
  for (const char* name : {"a100-40gb", "a100-80gb", "h100", "v100-dgx1"}) {
    const net::NcclModel model = model_of(name);
    for (const std::uint32_t n : {2u, 4u, 8u, 16u, 64u}) {
      Time before;
      for (std::uint64_t bytes = 1024; bytes < 4'000'000'000; bytes *= 3) {
        const Time time = model.time(CollectiveType::AllReduce, Bytes{bytes}, n, (n + 7) / 8).value();
        CHECK(time >= before);
        before = time;
      }
    }
  }
}

TEST_CASE("measured all-reduces") {
  const auto folder = test::shared_folder("data/measured");
  if (folder.empty()) return;
  const std::map<std::string, std::string> machines{{"a100-nvswitch", "a100-80gb"},
                                                    {"a100-nd-v4", "a100-40gb"},
                                                    {"v100-hybrid-mesh", "v100-dgx1"},
                                                    {"vidur-h100-dgx", "h100"}};
  std::map<std::string, std::pair<double, int>> large, small;
  std::ifstream in{folder / "all_reduce.csv"};
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream text{line};
    std::string system, gpus, nodes, bytes, time;
    for (std::string* field : {&system, &gpus, &nodes, &bytes, &time})
      std::getline(text, *field, ',');
    const net::NcclModel model = model_of(machines.at(system));
    const double predicted =
        model
            .time(CollectiveType::AllReduce, Bytes{std::stoull(bytes)}, static_cast<std::uint32_t>(std::stoul(gpus)),
                  static_cast<std::uint32_t>(std::stoul(nodes)))
            .value()
            .seconds() *
        1e6;
    const double error = std::max(std::abs(predicted / std::stod(time) - 1), 1e-4);
    auto& sum = (std::stoull(bytes) >= 1'000'000 ? large : small)[system + " " + gpus];
    sum.first += std::log(error);
    ++sum.second;
  }
  CHECK(large.size() >= 12);
  for (const auto& entry : large) {
    CAPTURE(entry.first);
    CHECK(std::exp(entry.second.first / entry.second.second) < 0.10);
  }
  for (const auto& entry : small) {
    CAPTURE(entry.first);
    CHECK(std::exp(entry.second.first / entry.second.second) < 0.35);
  }
}

TEST_CASE("the topology of a machine: islands on a switch, an adapter for each device") {
  const Machine machine = io::find_machine("h100", systems);
  const topology::Graph one = topology::of_machine(machine, 4), two = topology::of_machine(machine, 16);
  CHECK(one.devices() == 4);
  CHECK(two.devices() == 16);
  topology::Routes<topology::ShortestHops> routes{two};
  CHECK(routes.bandwidth(routes.find(0, 7)) == 450_GBps);
  CHECK(routes.latency(routes.find(0, 7)) == 1_us);
  CHECK(routes.bandwidth(routes.find(0, 8)) == 50_GBps);
  CHECK(routes.latency(routes.find(0, 8)) == 5_us);
  CHECK_THROWS_AS(topology::of_machine(machine, 12), TopologyError);
}
