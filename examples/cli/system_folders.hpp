#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace triosim::cli {

/// Where machine files are looked for by name: the folder of the environment variable TRIOSIM_SYSTEMS, the checkout
/// that the program was built in or is started from, and where it was installed.
inline std::vector<std::string> system_folders() {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  if (const char* given = std::getenv("TRIOSIM_SYSTEMS")) folders.emplace_back(given);
  folders.emplace_back("examples/systems");
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  if (!code) {
    folders.push_back((program.parent_path() / "../../examples/systems").lexically_normal().string());
    folders.push_back((program.parent_path() / "../share/triosim/systems").lexically_normal().string());
  }
  return folders;
}

} // namespace triosim::cli
