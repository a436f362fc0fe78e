#pragma once

#include "cli/command.hpp"
#include "cli/inspect.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace triosim::cli {

inline std::pair<CLI::App*, Run> add_inspect(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("inspect", "What is in Chakra traces of any format, and what is odd about them");
  const auto options = std::make_shared<InspectOptions>();
  command->footer("Several files are checked against each other; the rank of a file is the number in its name.\n"
                  "Example: triosim inspect out/gpt3.*.et --comm-group out/gpt3.json\n"
                  "Exit codes: 0 done, 2 usage, 3 input file.");
  command->add_option("FILE", options->files, "Traces, or folders of them")->required()->expected(-1);
  command->add_option("--comm-group", options->comm_group_file, "File of communicator groups");
  command->add_flag("--json", options->json, "The answer as JSON");
  return {command, [options] { return inspect(*options); }};
}

} // namespace triosim::cli
