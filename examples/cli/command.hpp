#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace triosim::cli {

/// A subcommand: what its flags filled in, run after parsing. The result is the exit code of the program.
using Run = std::function<int()>;

/// Exit codes of the program.
enum ExitCode : int { done = 0, internal_error = 1, usage_error = 2, input_error = 3, cannot_finish = 4 };

} // namespace triosim::cli
