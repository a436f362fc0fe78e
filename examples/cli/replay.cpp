#include "cli/replay.hpp"
#include "cli/command.hpp"
#include "cli/network_file.hpp"
#include "cli/replay_rules.hpp"
#include "cli/system_folders.hpp"

#include <triosim/chakra/groups_reader.hpp>
#include <triosim/error.hpp>
#include <triosim/io/machine_file.hpp>
#include <triosim/io/replay_settings.hpp>
#include <triosim/io/replay_workload.hpp>
#include <triosim/report/csv.hpp>
#include <triosim/report/json.hpp>
#include <triosim/report/text.hpp>
#include <triosim/report/timeline.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace triosim::cli {

namespace {

void warn(const std::string& text) {
  std::fprintf(stderr, "triosim: warning: %s\n", text.c_str());
}

void warn_of(const ReplayInput& input, const io::TraceFiles& files) {
  for (const auto& [what, count] : input.workload.passed_over)
    warn(what + ", " + std::to_string(count) + " times");
  if (!files.unused.empty())
    warn(std::to_string(files.unused.size()) + " files without a rank in their names are not played, such as " +
         files.unused.front());
  std::vector<bool> called(input.workload.groups.size(), false);
  bool communicates = false, alone = false;
  for (std::size_t rank = 0; rank < input.workload.ranks.size(); ++rank)
    for (const ReplayProgram::Node& node : input.workload.program(static_cast<std::uint32_t>(rank)).nodes) {
      if (node.kind == ReplayProgram::Kind::Send || node.kind == ReplayProgram::Kind::Receive) communicates = true;
      if (node.kind != ReplayProgram::Kind::Collective) continue;
      communicates = true;
      const std::uint32_t group = input.workload.ranks[rank].who[node.who];
      if (group == ReplayWorkload::everybody) continue;
      called[group] = true;
      alone = alone || input.workload.groups[group].members.size() < 2;
    }
  if (!communicates && input.workload.ranks.size() > 1) warn("no communication is in the traces");
  if (alone) warn("some collectives are of one rank: they take no time");
  std::size_t idle = 0;
  for (std::size_t group = 0; group < called.size(); ++group)
    idle += !called[group] && input.workload.groups[group].members.size() > 1 ? 1u : 0u;
  if (idle != 0) warn(std::to_string(idle) + " groups are called by nobody");
}

} // namespace

int replay(const ReplayOptions& options) {
  ReplayInput input;
  if (options.machine.empty()) {
    if (options.network.empty() || options.system.empty())
      throw ConfigError{options.network.empty() ? "--network" : "--system", "nothing",
                        "a file, or --machine in the place of both"};
    input.dimensions = parse_network(io::read_file(options.network), options.network);
    input.settings = io::read_system(options.system);
  } else {
    if (!options.network.empty() || !options.system.empty() || options.rules == Rules::classic)
      throw ConfigError{"--machine", options.machine, "physical rules, and no --network and --system beside it"};
    input.machine = io::find_machine(options.machine, system_folders());
    input.settings.peak_tflops = input.machine->device.peak_of(options.data_type) / 1e12;
    input.settings.local_memory_gbps = input.machine->device.memory_bandwidth.bytes_per_second() / 1e9;
  }
  if (!options.memory.empty()) input.memory = io::read_remote_memory(options.memory);
  input.settings.queues_per_dimension = options.queues_per_dimension;
  if (options.roofline) input.settings.roofline = *options.roofline;
  if (options.peak_tflops) input.settings.peak_tflops = *options.peak_tflops;
  if (options.local_memory_gbps) input.settings.local_memory_gbps = *options.local_memory_gbps;
  if (input.settings.roofline && !(input.settings.peak_tflops > 0 && input.settings.local_memory_gbps > 0))
    throw ConfigError{"--roofline", "true", "a peak and a memory bandwidth, in the system file or as options"};

  const io::TraceFiles files = io::find_trace_files(options.workload);
  std::uint64_t devices = 1;
  for (const player::streams::Dimension& dimension : input.dimensions)
    devices *= dimension.size;
  if (!input.machine && devices != files.of_rank.size())
    throw ConfigError{options.network + ": npus_count", std::to_string(devices),
                      std::to_string(files.of_rank.size()) + ", as many as there are traces"};
  std::vector<chakra::CommGroup> groups;
  if (!options.comm_group_file.empty()) groups = chakra::read_groups(options.comm_group_file);
  input.workload = io::read_workload(files.of_rank, std::move(groups));
  if (!options.quiet) warn_of(input, files);

  std::optional<report::Timeline> timeline;
  if (!options.timeline.empty()) timeline.emplace(report::Timeline::to_file(options.timeline));
  MaybeTimeline observer{timeline ? &*timeline : nullptr};
  const Report report =
      options.rules == Rules::classic ? replay_classic(options, input) : replay_physical(options, input, observer);
  if (!options.csv.empty()) io::write_file(options.csv, report::to_csv(report));
  if (options.quiet && !options.json) return done;
  const std::string text = options.json ? report::to_json(report) : report::to_text(report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw std::runtime_error{"cannot write to the standard output"};
  return done;
}

} // namespace triosim::cli
