#pragma once

#include <string>
#include <vector>

namespace triosim::cli {

struct InspectOptions {
  std::vector<std::string> files;
  std::string comm_group_file;
  bool json = false;
};

int inspect(const InspectOptions& options);

} // namespace triosim::cli
