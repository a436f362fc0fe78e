// The triosim program. This is the one translation unit that sees CLI11: a subcommand `x` declares its flags in
// x_flags.hpp, keeps their values in a plain struct (x.hpp) and does its work in x.cpp.
#include "cli/command.hpp"
#include "cli/convert_flags.hpp"
#include "cli/flows_flags.hpp"
#include "cli/generate_flags.hpp"
#include "cli/inspect_flags.hpp"
#include "cli/prefixes.hpp"
#include "cli/replay_flags.hpp"
#include "cli/simulate_flags.hpp"

#include <triosim/error.hpp>
#include <triosim/version.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace {

using namespace triosim;

int complain(const char* message, int code) {
  std::fprintf(stderr, "triosim: %s\n", message);
  return code;
}

#define TRIOSIM_STRING_(x) #x
#define TRIOSIM_STRING(x) TRIOSIM_STRING_(x)
constexpr const char* version_text = "triosim " TRIOSIM_STRING(TRIOSIM_VERSION_MAJOR) "." TRIOSIM_STRING(
    TRIOSIM_VERSION_MINOR) "." TRIOSIM_STRING(TRIOSIM_VERSION_PATCH);

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"How long will one training step of this model take on that machine, split that way, and why?",
               "triosim"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);

  std::map<const CLI::App*, cli::Run> commands;
  const auto simulate = cli::add_simulate(app);
  commands.insert(simulate);
  const auto generate = cli::add_generate(app);
  commands.insert(generate);
  commands.insert(cli::add_replay(app));
  commands.insert(cli::add_inspect(app));
  commands.insert(cli::add_convert(app));
  commands.insert(cli::add_flows(app));

  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    cli::accept_go_style(*simulate.first, arguments);
    cli::complete_prefixes({generate.first}, arguments);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::done : cli::usage_error;
  }

  try {
    for (const CLI::App* chosen : app.get_subcommands())
      return commands.at(chosen)();
    return cli::usage_error;
  } catch (const TraceError& error) {
    return complain(error.what(), cli::input_error);
  } catch (const OutOfMemory& error) {
    return complain(error.what(), cli::cannot_finish);
  } catch (const Deadlock& error) {
    return complain(error.what(), cli::cannot_finish);
  } catch (const Error& error) {
    return complain(error.what(), cli::usage_error);
  } catch (const std::bad_alloc&) {
    return complain("this machine has too little memory for the run", cli::internal_error);
  } catch (const std::exception& error) {
    return complain((std::string{"internal error: "} + error.what()).c_str(), cli::internal_error);
  }
}
