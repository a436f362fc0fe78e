#pragma once

#include "cli/generate.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace triosim::cli {

enum class Backend : std::uint8_t { congestion_unaware, congestion_aware, flow, packet, nccl };
enum class Algorithm : std::uint8_t { standard, direct, halving_doubling, double_binary_tree, hierarchical };

struct ReplayOptions {
  std::string workload, network, system, comm_group_file, memory, machine;
  std::string data_type = "bf16";
  Backend backend = Backend::congestion_unaware;
  std::optional<Rules> rules;
  std::optional<Algorithm> collectives;
  std::uint32_t queues_per_dimension = 1;
  // Over what the system file says.
  std::optional<bool> roofline;
  std::optional<double> peak_tflops, local_memory_gbps;
  bool json = false, quiet = false;
  std::string csv, timeline, scenario;
};

int replay(const ReplayOptions& options);

} // namespace triosim::cli
