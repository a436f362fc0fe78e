#pragma once

#include "triosim/io/json_text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace triosim::chakra {

/// The ranks that take part in one communicator, in their order in it, under the text that `pg_name` holds.
struct CommGroup {
  std::string name;
  std::vector<std::uint32_t> members;

  bool operator==(const CommGroup&) const = default;
};

/// Appends the communicator-group file, `{"1": [0, 1], "2": [2, 3]}`, group by group in the given order. The separators
/// and the missing line end are those of the published generator.
inline void append_groups(std::string& out, const std::vector<CommGroup>& groups) {
  out.push_back('{');
  for (const CommGroup& group : groups) {
    if (&group != &groups.front()) out.append(", ");
    io::append_json_string(out, group.name);
    out.append(": [");
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      if (i != 0) out.append(", ");
      io::append_decimal(out, group.members[i]);
    }
    out.push_back(']');
  }
  out.push_back('}');
}

} // namespace triosim::chakra
