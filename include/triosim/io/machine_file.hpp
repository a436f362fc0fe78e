#pragma once

#include "triosim/error.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/machine.hpp"
#include "triosim/nearest.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace triosim::io {

namespace machine_file_detail {

class Reader {
 public:
  Reader(std::string_view text, std::string file) : walk_{text, std::move(file)} {}

  Machine read() {
    Machine machine;
    const auto seen =
        walk_.members(walk_.root(), {"name", "device", "tiers", "source", "nccl"}, JsonWalk::Others::refuse,
                      [&](std::size_t key, const JsonWalk::Value& value) {
                        if (key == 0) machine.name = walk_.text(value);
                        if (key == 1) machine.device = device(value);
                        if (key == 2)
                          walk_.elements(value, [&](const auto& element) { machine.tiers.push_back(tier(element)); });
                        if (key == 3) sources(value);
                        if (key == 4) machine.nccl = nccl(value);
                      });
    walk_.require(seen, {"name", "device", "tiers"});
    if (machine.tiers.empty()) walk_.fail("found no tier, expected \"tiers\": a list of one or more");
    std::uint64_t devices = 1;
    for (std::size_t i = 0; i < machine.tiers.size(); ++i)
      walk_.at("tiers[" + std::to_string(i) + "].size", [&] {
        if (machine.tiers[i].size == 0 && i + 1 < machine.tiers.size())
          walk_.fail("found none, expected one: only the last tier takes as many as there are");
        devices *= std::max(machine.tiers[i].size, 1u);
        if (devices > most_devices) walk_.fail("found more than 16777216 devices in all, expected fewer");
      });
    return machine;
  }

 private:
  static constexpr std::uint64_t most_devices = std::uint64_t{1} << 24;

  DeviceModel device(const JsonWalk::Value& value) {
    DeviceModel device;
    const auto seen = walk_.members(value, {"name", "peak", "memory_bandwidth", "memory", "source"},
                                    JsonWalk::Others::refuse, [&](std::size_t key, const JsonWalk::Value& member) {
                                      if (key == 0) device.name = walk_.text(member);
                                      if (key == 1) peaks(member, device);
                                      if (key == 2) device.memory_bandwidth = bandwidth(member);
                                      if (key == 3) device.memory = walk_.quantity(member, parse_bytes);
                                      if (key == 4) sources(member);
                                    });
    walk_.require(seen, {"name", "peak", "memory_bandwidth", "memory"});
    return device;
  }

  void peaks(const JsonWalk::Value& value, DeviceModel& device) {
    static constexpr std::string_view types[] = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8"};
    walk_.each_member(value, [&](std::string_view type, const JsonWalk::Value& member) {
      if (std::find(std::begin(types), std::end(types), type) == std::end(types))
        walk_.fail("found another data type, expected fp64, fp32, tf32, fp16, bf16, fp8 or int8" +
                   did_you_mean(type, types));
      const double rate = walk_.quantity(member, parse_flop_rate);
      if (!(rate > 0)) walk_.refuse(member, "more than nothing");
      device.peak[std::string{type}] = rate;
    });
    if (device.peak.empty()) walk_.fail("found no data type, expected one or more, such as \"bf16\": \"312 TFLOP/s\"");
  }

  Tier tier(const JsonWalk::Value& value) {
    Tier tier;
    const auto seen =
        walk_.members(value, {"name", "bandwidth", "latency", "topology", "size", "source"}, JsonWalk::Others::refuse,
                      [&](std::size_t key, const JsonWalk::Value& member) {
                        if (key == 0) tier.name = walk_.text(member);
                        if (key == 1) tier.bandwidth = bandwidth(member);
                        if (key == 2) tier.latency = latency(member);
                        if (key == 3)
                          tier.shape = static_cast<Tier::Shape>(
                              walk_.one_of(member, {"switch", "ring", "fully-connected", "mesh", "fat-tree"}));
                        if (key == 4)
                          tier.size = static_cast<std::uint32_t>(
                              walk_.natural(member, 1, most_devices, "a whole number from 1 to 16777216"));
                        if (key == 5) sources(member);
                      });
    walk_.require(seen, {"name", "bandwidth", "latency"});
    return tier;
  }

  NcclCosts nccl(const JsonWalk::Value& value) {
    NcclCosts costs;
    const auto seen =
        walk_.members(value, {"ll", "ll128", "simple", "pair_bandwidth", "bandwidth", "net_bandwidth", "source"},
                      JsonWalk::Others::refuse, [&](std::size_t key, const JsonWalk::Value& member) {
                        if (key < 3) costs.protocols[key] = protocol(member);
                        if (key == 3) costs.pair = bandwidth(member);
                        if (key == 4) costs.many = bandwidth(member);
                        if (key == 5) costs.net = bandwidth(member);
                        if (key == 6) sources(member);
                      });
    walk_.require(seen, {"ll", "ll128", "simple", "pair_bandwidth", "bandwidth", "net_bandwidth"});
    return costs;
  }
  NcclCosts::Protocol protocol(const JsonWalk::Value& value) {
    NcclCosts::Protocol protocol;
    const auto seen = walk_.members(value, {"launch", "hop", "net_hop", "share"}, JsonWalk::Others::refuse,
                                    [&](std::size_t key, const JsonWalk::Value& member) {
                                      if (key == 0) protocol.launch = latency(member);
                                      if (key == 1) protocol.hop = latency(member);
                                      if (key == 2) protocol.net_hop = latency(member);
                                      if (key == 3)
                                        protocol.share = walk_.number(member, 1e-6, 1, "more than 0 and at most 1");
                                    });
    walk_.require(seen, {"launch", "hop", "net_hop", "share"});
    return protocol;
  }

  Bandwidth bandwidth(const JsonWalk::Value& value) {
    const Bandwidth found = walk_.quantity(value, parse_bandwidth);
    if (!(found > Bandwidth{})) walk_.refuse(value, "more than nothing");
    return found;
  }
  Time latency(const JsonWalk::Value& value) {
    const Time found = walk_.quantity(value, parse_time);
    if (found < Time{}) walk_.refuse(value, "zero or more");
    return found;
  }
  // Where a number comes from is for those who read the file.
  void sources(const JsonWalk::Value& value) {
    if (value.IsString()) return;
    walk_.elements(value, [&](const auto& element) { walk_.text(element); });
  }

  JsonWalk walk_;
};

} // namespace machine_file_detail

/// Reads the description of a machine: {"name", "source", "device": {"name", "peak": {"bf16": "312 TFLOP/s", ...},
/// "memory_bandwidth": "2039 GB/s", "memory": "80 GB", "source"}, "tiers": [{"name", "topology", "size", "bandwidth",
/// "latency", "source"}, ...]}, the innermost tier first. A topology is switch (where none is given), ring,
/// fully-connected, mesh or fat-tree; "nccl": {"ll", "ll128", "simple": {"launch", "hop", "net_hop", "share"},
/// "pair_bandwidth", "bandwidth", "net_bandwidth"}, which may be left out (see NcclCosts). Throws `TraceError`.
inline Machine parse_machine(std::string_view text, std::string file) {
  return machine_file_detail::Reader{text, std::move(file)}.read();
}
inline Machine read_machine(const std::string& path) {
  return parse_machine(read_file(path), path);
}

/// The machine of a path, or of a name: that of a file NAME.json in one of `folders`. Throws `ConfigError` for a name
/// that is not there, with the nearest that is.
inline Machine find_machine(const std::string& name_or_path, const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json")) return read_machine(name_or_path);
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path{folder} / (name_or_path + ".json");
    if (fs::is_regular_file(path, none)) return read_machine(path.string());
    for (const auto& entry : fs::directory_iterator{folder, none})
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string_view> views{names.begin(), names.end()};
  std::string expected = "the path of a machine file";
  if (!names.empty()) expected += " or one of ";
  for (std::size_t i = 0; i < names.size(); ++i)
    expected.append(i == 0 ? "" : ", ").append(names[i]);
  throw ConfigError{"machine", name_or_path, expected + did_you_mean(name_or_path, views)};
}

} // namespace triosim::io
