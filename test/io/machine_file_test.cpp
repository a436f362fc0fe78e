#include <triosim/error.hpp>
#include <triosim/io/machine_file.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

const std::string systems = std::string{TRIOSIM_SOURCE_DIR} + "/examples/systems";

std::string with_tiers(const std::string& tiers) {
  return R"({"name": "m", "device": {"name": "d", "peak": {"bf16": "1 TFLOP/s"}, "memory_bandwidth": "1 TB/s",
             "memory": "1 GB"}, "tiers": [)" +
         tiers + "]}";
}

std::string complaint(const std::string& text) {
  try {
    io::parse_machine(text, "m.json");
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}

} // namespace

TEST_CASE(
    "every machine that is shipped can be read, under the name of its file, and says where its numbers are from") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{systems}) {
    CAPTURE(entry.path().string());
    const Machine machine = io::read_machine(entry.path().string());
    CHECK(machine.name == entry.path().stem().string());
    CHECK(machine.device.peak_of("fp16") > 1e14);
    CHECK(machine.device.memory >= 16_GB);
    CHECK(machine.tiers.size() == 2);
    CHECK(machine.tiers[0].bandwidth > machine.tiers[1].bandwidth);
    const std::string text = io::read_file(entry.path().string());
    std::size_t sources = 0;
    for (std::size_t at = text.find("\"source\""); at != std::string::npos; at = text.find("\"source\"", at + 1))
      ++sources;
    CHECK(sources == 2 + machine.tiers.size() + (machine.nccl ? 1 : 0));
    ++count;
  }
  CHECK(count >= 7);
}

TEST_CASE("figures of a machine") {
  const Machine machine = io::find_machine("a100-80gb", {"/nowhere", systems});
  CHECK(machine.device.peak_of("bf16") == 312e12);
  CHECK(machine.device.memory == 80_GB);
  CHECK(machine.tiers[0].size == 8);
  CHECK(machine.tiers[0].bandwidth == 300_GBps);
  CHECK(machine.tiers[1].shape == Tier::Shape::FatTree);
  CHECK(machine.tiers[1].size == 0);
  CHECK(machine.below(0) == 1);
  CHECK(machine.below(1) == 8);
  CHECK_THROWS_WITH_AS(machine.device.peak_of("fp8"),
                       "data type: found \"fp8\", expected one that A100-SXM4-80GB has: bf16, fp16, fp32, fp64, int8, "
                       "tf32",
                       ConfigError);
}

TEST_CASE("a name that is not there is answered with the nearest that is") {
  CHECK_THROWS_AS(io::find_machine("no/such.json", {systems}), Error);
  try {
    io::find_machine("a100-80bg", {systems});
    FAIL("found");
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    CHECK(text.find("machine: found \"a100-80bg\"") == 0);
    CHECK(text.find("did you mean \"a100-80gb\"?") != std::string::npos);
  }
}

TEST_CASE("what is wrong in a machine is named with its place") {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "m.json: found no \"name\", expected name, device, tiers"},
      {with_tiers(""), "m.json: found no tier, expected \"tiers\": a list of one or more"},
      {with_tiers(R"({"name": "a", "bandwidth": "0 GB/s", "latency": "1 us"})"),
       "m.json: tiers[0].bandwidth: found \"0 GB/s\", expected more than nothing"},
      {with_tiers(R"({"name": "a", "bandwidth": "fast", "latency": "1 us"})"),
       "m.json: tiers[0].bandwidth: found \"fast\", expected a number with a unit, such as 65 GB/s or 400 Gb/s"},
      {with_tiers(R"({"name": "a", "bandwidth": "1 GB/s", "latency": "-1 us"})"),
       "m.json: tiers[0].latency: found \"-1 us\", expected zero or more"},
      {with_tiers(R"({"name": "a", "bandwidth": "1 GB/s", "latency": "1 us", "topology": "swich"})"),
       "m.json: tiers[0].topology: found \"swich\", expected one of switch, ring, fully-connected, mesh, fat-tree, did "
       "you mean \"switch\"?"},
      {with_tiers(R"({"name": "a", "bandwidth": "1 GB/s", "latency": "1 us"},
                     {"name": "b", "bandwidth": "1 GB/s", "latency": "1 us"})"),
       "m.json: tiers[0].size: found none, expected one: only the last tier takes as many as there are"},
      {with_tiers(R"({"name": "a", "bandwidth": "1 GB/s", "latency": "1 us", "size": 10000},
                     {"name": "b", "bandwidth": "1 GB/s", "latency": "1 us", "size": 10000})"),
       "m.json: tiers[1].size: found more than 16777216 devices in all, expected fewer"},
      {R"({"name": "m", "device": {"name": "d", "peak": {"bf61": "1 TFLOP/s"}}})",
       "m.json: device.peak.bf61: found another data type, expected fp64, fp32, tf32, fp16, bf16, fp8 or int8, did you "
       "mean \"bf16\"?"},
      {R"({"nccl": {"ll": {"launch": "1 us", "hop": "1 us", "net_hop": "1 us", "share": 2}}})",
       "m.json: nccl.ll.share: found 2, expected more than 0 and at most 1"},
      {R"({"nccl": {"l128": {}}})", "m.json: nccl: found the key \"l128\", expected one of ll, ll128, simple, "
                                    "pair_bandwidth, bandwidth, net_bandwidth, source, did you mean \"ll128\"?"},
      {R"({"name": "m", "device": {"name": "d", "peak": {}}})",
       "m.json: device.peak: found no data type, expected one or more, such as \"bf16\": \"312 TFLOP/s\""},
  };
  for (const auto& [text, expected] : wrong)
    CHECK(complaint(text) == expected);
  CHECK(complaint(with_tiers(R"({"name": "a", "bandwidth": "1 GB/s", "latency": "1 us", "source": ["x", "y"]})")) ==
        "none");
}
