#include "cli/simulate.hpp"

#include "cli/command.hpp"
#include "cli/simulate_rules.hpp"

#include <triosim/error.hpp>
#include <triosim/report/json.hpp>
#include <triosim/report/text.hpp>
#include <triosim/trace/csv.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace triosim::cli {

namespace {

void require(const char* flag, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw ConfigError{flag, std::to_string(value), std::to_string(least) + " to " + std::to_string(most)};
}

void require_bandwidth(const char* flag, double value) {
  if (!(value > 0 && value <= 1e12)) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    throw ConfigError{flag, text, "more than 0 and at most 1e12 GB/s"};
  }
}

constexpr std::int64_t most_samples = std::int64_t{1} << 31;

void validate(const SimulateOptions& o) {
  if (!o.rules.empty() && o.rules != "classic" && o.rules != "physical")
    throw ConfigError{"--rules", o.rules, "classic or physical"};
  require("--GPUnumber", o.gpus, 1, 1 << 20);
  require("--case", o.parallel_case, 0, 4);
  require("--batch-size", o.batch_size, 1, most_samples);
  if (o.batch_size_sim != -1) require("--batch-size-sim", o.batch_size_sim, 1, most_samples);
  if (o.micro_batch_size != -1) require("--micro-batch-size", o.micro_batch_size, 1, most_samples);
  require_bandwidth("--bandwidth", o.bandwidth_gbps);
  require_bandwidth("--ptp-bandwidth", o.ptp_bandwidth_gbps);
  require_bandwidth("--nic-bandwidth", o.nic_bandwidth_gbps);
  require("--capacity", o.capacity_shift, 0, 63);
  require("--interconnects", o.interconnects, 0, 1);
  if (!o.strategy.empty() && o.case_given)
    throw ConfigError{"--strategy", o.strategy, "one of --strategy and -case, not both"};
}

} // namespace

int simulate(const SimulateOptions& options) {
  validate(options);
  const Trace trace = trace::read_csv(options.trace_dir);
  std::optional<report::Timeline> timeline;
  if (!options.timeline.empty()) timeline.emplace(report::Timeline::to_file(options.timeline));
  MaybeTimeline observer{timeline ? &*timeline : nullptr};
  const Report report =
      options.classic() ? simulate_classic(options, trace, observer) : simulate_physical(options, trace, observer);
  const std::string text = options.json ? report::to_json(report) : report::to_text(report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw std::runtime_error{"cannot write to the standard output"};
  return done;
}

} // namespace triosim::cli
