#pragma once

#include "triosim/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace triosim::io {

/// The names of a set of traces: one file a rank, and one for the communicator groups.
class TraceNames {
 public:
  /// `pattern` has one `%d` for the rank; without any, `.%d.et` is appended. The group file drops `.%d` and has `.json`
  /// for
  /// `.et`, unless `group_file` names another. Throws `ConfigError` for a pattern that does not give one file a rank.
  TraceNames(std::filesystem::path folder, std::string pattern, const std::string& group_file = {})
      : folder_{std::move(folder)} {
    if (pattern.find("%d") == std::string::npos) pattern += ".%d.et";
    const std::size_t at = pattern.find("%d");
    if (pattern.find('%', at + 1) != std::string::npos || pattern.find('%') != at)
      throw ConfigError{"output_name", pattern, "one %d for the rank and no other percent sign"};
    before_ = pattern.substr(0, at);
    after_ = pattern.substr(at + 2);
    replace_all(pattern, ".%d", "");
    replace_all(pattern, ".et", ".json");
    groups_ = group_file.empty() ? folder_ / pattern : std::filesystem::path{group_file};
    if (group_file.empty() && std::filesystem::path{pattern}.filename().empty())
      throw ConfigError{"output_name", before_ + "%d" + after_, "a name beside the rank, or a name for the group file"};
  }

  std::filesystem::path trace(std::uint32_t rank) const { return folder_ / (before_ + std::to_string(rank) + after_); }
  const std::filesystem::path& groups() const noexcept { return groups_; }

  /// Makes the folders that are missing. Throws `Error`.
  void make_folders() const {
    for (const std::filesystem::path& folder : {folder_, trace(0).parent_path(), groups_.parent_path()}) {
      if (folder.empty()) continue;
      std::error_code code;
      std::filesystem::create_directories(folder, code);
      if (code) throw Error{"cannot make the folder " + folder.string() + ": " + code.message()};
    }
  }

 private:
  static void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  }

  std::filesystem::path folder_;
  std::string before_, after_;
  std::filesystem::path groups_;
};

} // namespace triosim::io
