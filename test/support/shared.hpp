#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace triosim::test {

/// A folder of recorded data: under the environment variable TRIOSIM_SHARED, else under ../shared beside the checkout.
/// Empty where it is absent, which is said once in the output of the test.
inline std::filesystem::path shared_folder(const std::string& folder) {
  const char* const given = std::getenv("TRIOSIM_SHARED");
  const std::filesystem::path root = given ? given : std::filesystem::path{TRIOSIM_SOURCE_DIR} / ".." / "shared";
  const std::filesystem::path path = root / folder;
  if (std::filesystem::is_directory(path)) return path;
  MESSAGE("skipped: no recorded data at ", path.string());
  return {};
}

} // namespace triosim::test
