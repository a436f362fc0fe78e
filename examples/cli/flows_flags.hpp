#pragma once

#include "cli/command.hpp"
#include "cli/flows.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace triosim::cli {

inline std::pair<CLI::App*, Run> add_flows(CLI::App& app) {
  CLI::App* command = app.add_subcommand("flows", "When do these flows finish on these links, shared max-min fairly?");
  const auto options = std::make_shared<FlowsOptions>();
  command
      ->add_option("FILE", options->file,
                   "Scenarios: links with bandwidth and latency, flows with bytes and route (JSON)")
      ->required();
  command->add_flag("--each", options->each, "A line for each flow instead of one for each scenario");
  command->add_flag("--json", options->json,
                    "One JSON object: scenarios with finish_s, flows in the order of the file");
  return {command, [options] { return flows(*options); }};
}

} // namespace triosim::cli
