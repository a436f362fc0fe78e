#pragma once

#include "triosim/error.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/player/streams/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace triosim::io {

namespace replay_settings_detail {

using player::streams::RemoteMemory;
using player::streams::Scheduling;
using player::streams::Settings;

class Reader {
 public:
  using Value = JsonWalk::Value;

  Reader(std::string_view text, std::string file) : walk_{text, std::move(file)} {}

  Settings system() {
    Settings settings;
    const auto seen = walk_.members(
        walk_.root(),
        {"preferred-dataset-splits", "scheduling-policy", "collective-optimization", "active-chunks-per-dimension",
         "endpoint-delay", "local-mem-bw", "peak-perf", "roofline-enabled", "replay-only", "all-reduce-implementation",
         "all-gather-implementation", "reduce-scatter-implementation", "all-to-all-implementation",
         // What does not change an answer, or is dead in the published program.
         "boost-mode", "trace-enabled", "track-local-mem", "local-mem-trace-filename", "local-reduction-delay",
         "intra-dimension-scheduling", "inter-dimension-scheduling", "model-shared-bus", "L", "o", "g", "G"},
        JsonWalk::Others::refuse, [&](std::size_t key, const Value& value) {
          switch (key) {
          case 0:
            settings.splits =
                static_cast<std::uint32_t>(walk_.natural(value, 1, 1'000'000, "a whole number from 1 to 10^6"));
            break;
          case 1:
            settings.scheduling = static_cast<Scheduling>(walk_.one_of(value, {"LIFO", "FIFO", "EXPLICIT"}));
            break;
          case 2:
            settings.local_bandwidth_aware = walk_.one_of(value, {"baseline", "localBWAware"}) == 1;
            break;
          case 3:
            settings.active_chunks =
                static_cast<std::uint32_t>(walk_.natural(value, 1, 1'000'000, "a whole number from 1 to 10^6"));
            break;
          case 4:
            settings.endpoint_delay_ns =
                static_cast<std::int64_t>(walk_.natural(value, 0, 1'000'000'000, "nanoseconds, 0 to 10^9"));
            break;
          case 5:
            settings.local_memory_gbps = walk_.number(value, 0, 1e9, "GB/s, 0 to 10^9");
            break;
          case 6:
            settings.peak_tflops = walk_.number(value, 0, 1e9, "TFLOP/s, 0 to 10^9");
            break;
          case 7:
            settings.roofline = flag(value);
            break;
          case 8:
            settings.replay_only = flag(value);
            break;
          case 9:
          case 10:
          case 11:
          case 12:
            walk_.elements(value, [&](const Value& element) {
              settings.implementations[key - 9].push_back(
                  walk_.quantity(element, player::streams::parse_implementation));
            });
            if (settings.implementations[key - 9].empty()) walk_.refuse(value, "an entry for each dimension");
            break;
          case 20:
            if (flag(value)) walk_.fail("found a shared bus of the LogGP model, expected 0: it is not played here");
            break;
          default:
            break;
          }
        });
    walk_.require(seen, {"preferred-dataset-splits"});
    if (settings.roofline && !(settings.peak_tflops > 0))
      walk_.fail("found \"roofline-enabled\" and no \"peak-perf\", expected both");
    if (settings.roofline && !(settings.local_memory_gbps > 0))
      walk_.fail("found \"roofline-enabled\" and no \"local-mem-bw\", expected both");
    return settings;
  }

  RemoteMemory memory() {
    RemoteMemory memory;
    std::uint64_t nodes = 0, ranks = 0;
    const auto seen = walk_.members(
        walk_.root(), {"memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node"},
        JsonWalk::Others::refuse, [&](std::size_t key, const Value& value) {
          if (key == 0)
            memory.kind =
                static_cast<RemoteMemory::Kind>(walk_.one_of(value, {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                                                     "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"}));
          if (key == 1) memory.latency_ns = walk_.number(value, 0, 1e12, "nanoseconds");
          if (key == 2) memory.bytes_per_ns = walk_.number(value, 1e-9, 1e9, "bytes a nanosecond, more than 0");
          if (key == 3) nodes = walk_.natural(value, 1, 1u << 24, "a whole number from 1");
          if (key == 4) ranks = walk_.natural(value, 1, 1u << 24, "a whole number from 1");
        });
    walk_.require(seen, {"memory-type"});
    if (memory.kind != RemoteMemory::Kind::None && (seen & 6) != 6)
      walk_.fail("found a memory without \"remote-mem-latency\" or \"remote-mem-bw\", expected both");
    if (memory.kind == RemoteMemory::Kind::PerNode) {
      if (nodes == 0 || ranks == 0)
        walk_.fail("found a memory of each node, expected \"num-nodes\" and \"num-npus-per-node\" too");
      memory.ranks_per_node = static_cast<std::uint32_t>(ranks);
    }
    return memory;
  }

 private:
  // The published program takes numbers for truth values.
  bool flag(const Value& value) {
    if (value.IsBool()) return value.GetBool();
    return walk_.natural(value, 0, 1, "0 or 1") != 0;
  }

  JsonWalk walk_;
};

} // namespace replay_settings_detail

/// ASTRA-sim's system file. Keys that its code reads and that change an answer are taken, those that it ignores are
/// passed over, others are refused with the nearest known one. Throws `TraceError`.
inline player::streams::Settings parse_system(std::string_view text, std::string file) {
  return replay_settings_detail::Reader{text, std::move(file)}.system();
}
inline player::streams::Settings read_system(const std::string& path) {
  return parse_system(read_file(path), path);
}

/// ASTRA-sim's file of the remote memory. Throws `TraceError`.
inline player::streams::RemoteMemory parse_remote_memory(std::string_view text, std::string file) {
  return replay_settings_detail::Reader{text, std::move(file)}.memory();
}
inline player::streams::RemoteMemory read_remote_memory(const std::string& path) {
  return parse_remote_memory(read_file(path), path);
}

} // namespace triosim::io
