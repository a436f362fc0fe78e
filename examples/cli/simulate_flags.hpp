#pragma once

#include "cli/command.hpp"
#include "cli/simulate.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace triosim::cli {

/// The published program takes its flags in the style of Go: -flag v, -flag=v, --flag v. This brings the first two to
/// the third, and binds a value to its flag, so that negative numbers are not taken for flags.
inline void accept_go_style(const CLI::App& command, std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != command.get_name()) return;
  std::vector<std::string> result{arguments.front()};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    const bool one_dash = argument.size() > 2 && argument[0] == '-' && argument[1] != '-';
    const std::string flag = (one_dash ? "-" : "") + argument.substr(0, argument.find('='));
    const CLI::Option* option = command.get_option_no_throw(flag);
    if (option == nullptr) {
      result.push_back(std::move(argument));
      continue;
    }
    if (one_dash) argument.insert(0, 1, '-');
    if (argument.find('=') == std::string::npos && option->get_expected_min() > 0 && i + 1 < arguments.size())
      argument.append("=").append(arguments[++i]);
    result.push_back(std::move(argument));
  }
  arguments = std::move(result);
}

inline std::pair<CLI::App*, Run> add_simulate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", "How long does a step take on N GPUs, given the trace of one?");
  const auto options = std::make_shared<SimulateOptions>();
  SimulateOptions& o = *options;
  command->footer(
      "Examples:\n"
      "  triosim simulate --trace-dir sample_trace/vgg13 --GPUnumber 8 --strategy distributed-data-parallel\n"
      "  triosim simulate --trace-dir sample_trace/gpt2 --strategy tensor-parallel --topology switch\n"
      "  triosim simulate -trace-dir sample_trace/vgg13 -case 4 -micro-batch-size 16   (as published: classic)\n"
      "Exit codes: 0 done, 2 usage or configuration, 3 input file, 4 the run cannot finish.");

  command->add_option("--trace-dir", o.trace_dir, "Folder with trace.csv and tensor.csv")->capture_default_str();
  command->add_option("--batch-size", o.batch_size, "Batch of the trace")->capture_default_str();
  command->add_option("--batch-size-sim", o.batch_size_sim,
                      "Batch to simulate, of each GPU (single, data parallel) or of all together; -1: as traced");
  command->add_option("--micro-batch-size", o.micro_batch_size, "Samples of a micro-batch (pipeline); -1: the batch");
  command->add_option("--GPUnumber,--gpus", o.gpus, "GPUs")->capture_default_str();
  command->add_option("--bandwidth", o.bandwidth_gbps, "GPU to remote memory, GB/s (1e9)")->capture_default_str();
  command->add_option("--ptp-bandwidth", o.ptp_bandwidth_gbps, "GPU to GPU, GB/s (1e9)")->capture_default_str();
  const auto* capacity = command->add_option("--capacity", o.capacity_shift, "Memory of a GPU: 2 to this power, bytes")
                             ->capture_default_str();
  command->add_option("--interconnects", o.interconnects, "0 electrical, 1 optical")->capture_default_str();
  command->add_option("--numRows", o.rows, "Rows of the optical mesh")->capture_default_str();
  command->add_option("--numCols", o.columns, "Columns of the optical mesh; -1: what the rows leave");
  const auto* parallel_case = command->add_option(
      "--case", o.parallel_case,
      "0 single device, 1 data parallel, 2 distributed data parallel, 3 tensor parallel, 4 pipeline parallel");

  command->add_option("--rules", o.rules, "classic (as published; the default with -case) or physical (the default)");
  const char* physical = "Physical rules";
  command
      ->add_option("--strategy", o.strategy,
                   "single, data-parallel, distributed-data-parallel, tensor-parallel, pipeline-parallel")
      ->group(physical);
  command->add_option("--schedule", o.schedule, "Of the pipeline: gpipe, 1f1b")->capture_default_str()->group(physical);
  command->add_option("--network", o.network, "flow (max-min fair), packet (equal shares), optical, ideal")
      ->group(physical);
  command->add_option("--topology", o.topology, "ring, switch, fully-connected, mesh, torus, fat-tree, two-tier")
      ->capture_default_str()
      ->group(physical);
  command->add_option("--nic-bandwidth", o.nic_bandwidth_gbps, "Of each GPU between islands of eight, GB/s (two-tier)")
      ->capture_default_str()
      ->group(physical);
  command->add_option("--latency", o.latency, "Of a link")->capture_default_str()->group(physical);
  command->add_option("--bucket", o.bucket, "Gradients that are reduced together (distributed data parallel)")
      ->capture_default_str()
      ->group(physical);
  command
      ->add_option("--memory", o.memory,
                   "unbounded, bounded (all must fit -capacity), remote (what does not fit is fetched)")
      ->group(physical);
  command->add_option("--time-model", o.time_model, "scaled (with the batch), recorded")
      ->capture_default_str()
      ->group(physical);
  command->add_option("--fixed-part", o.fixed_part, "Of a layer's time, what no batch changes: 0 to 1 (scaled)")
      ->capture_default_str()
      ->group(physical);

  command->add_flag("--json", o.json, "One JSON object instead of text");
  command->add_option("--timeline", o.timeline, "Write a timeline for Perfetto (.json or .json.gz)");
  return {command, [options, command, parallel_case, capacity, physical] {
            for (const CLI::Option* option : command->get_options())
              if (option->get_group() == physical && option->count() > 0 && options->physical_flag.empty())
                options->physical_flag = option->get_name();
            options->case_given = parallel_case->count() > 0;
            options->capacity_given = capacity->count() > 0;
            return simulate(*options);
          }};
}

} // namespace triosim::cli
