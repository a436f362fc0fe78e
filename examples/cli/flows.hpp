#pragma once

#include <string>

namespace triosim::cli {

struct FlowsOptions {
  std::string file;
  bool json = false;
  bool each = false;
};

/// Plays the scenarios of a file on the max-min flow network and prints when each flow finishes.
int flows(const FlowsOptions& options);

} // namespace triosim::cli
