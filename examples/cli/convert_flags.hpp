#pragma once

#include "cli/command.hpp"
#include "cli/convert.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace triosim::cli {

inline std::pair<CLI::App*, Run> add_convert(CLI::App& app) {
  CLI::App* command = app.add_subcommand("convert", "Chakra traces from one format to another");
  const auto options = std::make_shared<ConvertOptions>();
  command->footer("Example: triosim convert out/gpt3.0.et gpt3.0.json --to json\n"
                  "What the new format cannot hold is listed on stderr.\n"
                  "Exit codes: 0 done, 2 usage, 3 input file, or something would be lost with --lossless.");
  const std::map<std::string, chakra::Format> formats{{"v0.0.4", chakra::Format::v0_0_4},
                                                      {"v0.0.1", chakra::Format::v0_0_1},
                                                      {"json", chakra::Format::json},
                                                      {"workload_graph", chakra::Format::workload_graph}};
  command->add_option("IN", options->input, "A trace, packed with gzip or not, or a folder of them")->required();
  command->add_option("OUT", options->output, "Where it goes; packed if the name ends in .gz; of a folder, a folder")
      ->required();
  command->add_option("--to", options->to, "v0.0.4, v0.0.1, json or workload_graph")
      ->required()
      ->transform(CLI::CheckedTransformer(formats));
  command->add_option("--from", options->from, "What the input is, where that cannot be seen")
      ->transform(CLI::CheckedTransformer(formats));
  command->add_flag("--lossless", options->lossless, "Refuse to write a file that would lack something");
  return {command, [options] { return convert(*options); }};
}

} // namespace triosim::cli
