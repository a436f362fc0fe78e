#pragma once

#include "triosim/chakra/groups.hpp"
#include "triosim/io/byte_stream.hpp"
#include "triosim/io/json_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// Reads a communicator-group file, packed with gzip or not: a JSON object of groups by name, each a list of ranks, in
/// the order of the file. Throws `TraceError` where a group is given twice, is empty or names a rank twice.
inline std::vector<CommGroup> read_groups(io::InputFile file) {
  io::ByteStream bytes{std::move(file)};
  io::JsonFile json{bytes};
  std::vector<CommGroup> groups;
  std::unordered_set<std::string> names;
  std::unordered_set<std::uint32_t> members;
  json.for_each_member([&](std::string name) {
    const std::size_t start = json.position();
    const io::JsonValue& value = json.value();
    const auto problem = [&](std::string_view text) { return json.problem(start, text, "group " + name); };
    if (!names.insert(name).second) throw problem("is given twice");
    if (!value.IsArray() || value.Empty()) throw problem("expected a list of at least one rank");
    CommGroup group{name, {}};
    members.clear();
    for (const io::JsonValue& element : value.GetArray()) {
      const std::string_view text = io::JsonFile::text(element);
      std::uint32_t rank = 0;
      const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), rank);
      if (text.empty() || code != std::errc{} || stop != text.data() + text.size())
        throw problem("found \"" + std::string{text.substr(0, 40)} + "\", expected the number of a rank");
      if (!members.insert(rank).second) throw problem("names rank " + std::to_string(rank) + " twice");
      group.members.push_back(rank);
    }
    groups.push_back(std::move(group));
  });
  json.expect_end();
  return groups;
}

inline std::vector<CommGroup> read_groups(std::string path) {
  return read_groups(io::InputFile{std::move(path)});
}

} // namespace triosim::chakra
