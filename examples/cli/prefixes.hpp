#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace triosim::cli {

/// The only long option that begins with `given`; nothing where there are several, or where it is a whole name already.
/// The published names, which have no dash, come before the aliases that have one.
inline std::string completion(const CLI::App& command, const std::string& given) {
  for (const bool aliases : {false, true}) {
    std::string completed;
    const CLI::Option* meant = nullptr;
    bool several = false;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) {
        if (name == given) return {};
        if (name.compare(0, given.size(), given) != 0 || (name.find('-') != std::string::npos) != aliases) continue;
        several = several || (meant != nullptr && meant != option);
        meant = option;
        completed = name;
      }
    if (several) return {};
    if (meant != nullptr) return completed;
  }
  return {};
}

/// Lets the long options of some subcommands be shortened as long as it is clear which one is meant (`--micro 4` for
/// `--micro_batch 4`), as Python's argument parser does. What is not clear is left as it is and reported by the parser.
inline void complete_prefixes(const std::vector<const CLI::App*>& commands, std::vector<std::string>& arguments) {
  const CLI::App* command = nullptr;
  for (std::string& argument : arguments) {
    if (command == nullptr) {
      for (const CLI::App* candidate : commands)
        if (candidate->get_name() == argument) command = candidate;
      continue;
    }
    if (argument == "--") return;
    if (argument.size() < 3 || argument.compare(0, 2, "--") != 0) continue;
    const std::size_t equals = argument.find('=');
    const std::string given = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const std::string completed = completion(*command, given);
    if (!completed.empty()) argument = "--" + completed + (equals == std::string::npos ? "" : argument.substr(equals));
  }
}

} // namespace triosim::cli
