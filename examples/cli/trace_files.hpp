#pragma once

#include <triosim/error.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace triosim::cli {

/// The files that are named, with folders replaced by the regular files in them in the order of their names. Throws
/// `TraceError` for an empty folder.
inline std::vector<std::string> trace_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator{path, code})
      if (entry.is_regular_file(code)) inside.push_back(entry.path().string());
    if (inside.empty()) throw TraceError::in_file(path, "is a folder without files, expected traces");
    // Shorter first, so that rank 2 comes before rank 10.
    std::sort(inside.begin(), inside.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

} // namespace triosim::cli
