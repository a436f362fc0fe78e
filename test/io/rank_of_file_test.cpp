#include <triosim/io/rank_of_file.hpp>

#include <doctest/doctest.h>

using triosim::io::rank_of_file;

TEST_CASE("the rank is the last number of a file's name that stands alone") {
  CHECK(rank_of_file("out/gpt3.12.et") == 12u);
  CHECK(rank_of_file("out.7/et_3.json.gz") == 3u);
  CHECK(rank_of_file("rank-0.Jul_15_10_52_41.1074.pt.trace.json.gz") == 1074u);
  CHECK(rank_of_file("trace_rank5.json") == 5u);
  CHECK(rank_of_file("4") == 4u);
  CHECK(rank_of_file("gpt3.et") == std::nullopt);
  CHECK(rank_of_file("v0.0.4/trace.et") == std::nullopt);
  CHECK(rank_of_file("99999999999999.et") == std::nullopt);
  CHECK(rank_of_file("") == std::nullopt);
}
