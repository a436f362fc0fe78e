#include "support/shared.hpp"

#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using namespace triosim;
using namespace triosim::chakra;

TEST_CASE("files of the published generator are read and written without a difference") {
  const std::filesystem::path golden = test::shared_folder("golden/symbolic");
  if (golden.empty()) return;
  std::size_t compared = 0;
  for (const auto& folder : std::filesystem::directory_iterator{golden})
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string path = entry.path().string();
      const std::string name = entry.path().filename().string();
      if (name == "workload.json" || !name.starts_with("workload")) continue;
      CAPTURE(path);
      const std::string bytes = io::read_file(path);
      const Trace trace = read(path);
      CHECK(write_memory(trace, trace.format()) == bytes);
      CHECK(trace.losses().empty());
      ++compared;
      const std::string et = path.substr(0, path.size() - 4) + "et";
      if (path.ends_with(".json") && std::filesystem::exists(et))
        CHECK(write_memory(trace, Format::v0_0_4) == io::read_file(et));
    }
  CHECK(compared > 90);
}
