#pragma once

#include <cstdint>
#include <string>

namespace triosim::cli {

/// What the flags of `triosim simulate` say. -1 is "not given", as in the published program.
struct SimulateOptions {
  std::string trace_dir = "sample_trace/vgg13";
  std::int64_t batch_size = 128;
  std::int64_t batch_size_sim = -1;
  std::int64_t micro_batch_size = -1;
  std::int64_t gpus = 8;
  std::int64_t parallel_case = 0;
  double bandwidth_gbps = 696;
  double ptp_bandwidth_gbps = 65;
  std::int64_t capacity_shift = 40;
  std::int64_t rows = 1;
  std::int64_t columns = -1;
  std::int64_t interconnects = 0;

  bool case_given = false;
  bool capacity_given = false;
  /// "classic", "physical", or empty: classic where the published -case is used.
  std::string rules;
  /// The first flag that was given of those that the classic rules do not know.
  std::string physical_flag;
  std::string strategy; // empty: by -case
  std::string schedule = "1f1b";
  std::string time_model = "scaled";
  double fixed_part = 0;
  std::string network; // empty: by -interconnects
  std::string topology = "ring";
  double nic_bandwidth_gbps = 50;
  std::string latency = "100 ns";
  std::string bucket = "25 MiB";
  std::string memory; // empty: unbounded, bounded if -capacity is given

  bool json = false;
  std::string timeline;

  bool classic() const { return rules.empty() ? case_given : rules == "classic"; }
  std::int64_t simulated_batch() const { return batch_size_sim == -1 ? batch_size : batch_size_sim; }
};

/// One run; the exit code of the program. Throws `Error`.
int simulate(const SimulateOptions& options);

} // namespace triosim::cli
