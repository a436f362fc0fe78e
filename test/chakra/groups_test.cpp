#include "support/shared.hpp"

#include <triosim/chakra/groups_reader.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

using namespace triosim;
using namespace triosim::chakra;

namespace {

std::vector<CommGroup> groups_of(std::string_view text) {
  return read_groups(io::InputFile::from_memory("g", text));
}

} // namespace

TEST_CASE("groups are read in the order of the file and written without a difference") {
  const std::string text = R"({"7": [3, 1], "data \"x\"": [0], "8": [4294967295]})";
  const std::vector<CommGroup> groups = groups_of(text);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0] == CommGroup{"7", {3, 1}});
  CHECK(groups[1].name == "data \"x\"");
  std::string again;
  append_groups(again, groups);
  CHECK(again == text);
  CHECK(groups_of("{}").empty());
  again.clear();
  append_groups(again, {});
  CHECK(again == "{}");
}

TEST_CASE("nonsense in a group file is refused with the group's name") {
  CHECK_THROWS_WITH_AS(groups_of(R"({"1": [0], "1": [2]})"), "g: byte 16: group 1: is given twice", TraceError);
  CHECK_THROWS_WITH_AS(groups_of(R"({"1": [0, 2, 0]})"), "g: byte 6: group 1: names rank 0 twice", TraceError);
  CHECK_THROWS_WITH_AS(groups_of(R"({"1": [-1]})"), "g: byte 6: group 1: found \"-1\", expected the number of a rank",
                       TraceError);
  for (const char* const bad :
       {R"({"1": []})", R"({"1": 3})", R"({"1": [1.5]})", R"({"1": [4294967296]})", R"({"1": [[0]]})",
        R"({"1": [true]})", R"({"1": [0]}x)", R"({"1": [0])", R"([0])", "", "{", "{1: [0]}"})
    CHECK_THROWS_AS(groups_of(bad), TraceError);
}

TEST_CASE("a group file that is cut off at any byte is refused") {
  const std::string_view text = R"({"1": [0, 1], "2": [2, 3]})";
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK_THROWS_AS(groups_of(text.substr(0, length)), TraceError);
}

TEST_CASE("group files of the published generator are read and written without a difference") {
  const std::filesystem::path golden = test::shared_folder("golden/symbolic");
  if (golden.empty()) return;
  for (const auto& folder : std::filesystem::directory_iterator{golden}) {
    const std::filesystem::path path = folder.path() / "workload.json";
    if (!std::filesystem::exists(path)) continue;
    std::string again;
    append_groups(again, read_groups(path.string()));
    CHECK(again == io::read_file(path.string()));
  }
}
