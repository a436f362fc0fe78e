#include <triosim/nearest.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace triosim;

TEST_CASE("the nearest name is the one with the fewest wrong letters") {
  static constexpr std::string_view names[] = {"bandwidth", "latency", "topology", "size"};
  CHECK(nearest("latencie", names) == "latency");
  CHECK(nearest("bandwith", names) == "bandwidth");
  CHECK(nearest("SIZE", names) == "size");
  CHECK(nearest("topoolgy", names) == "topology");
  CHECK_FALSE(nearest("colour", names));
  CHECK_FALSE(nearest("", names));
  CHECK_FALSE(nearest(std::string(1000, 'x'), names));
}

TEST_CASE("letters that changed places are one mistake, and a dash is an underscore") {
  static constexpr std::string_view names[] = {"active_chunks", "abcd"};
  CHECK(nearest("active-chunks", names) == "active_chunks");
  CHECK(nearest("abdc", names) == "abcd");
  CHECK(did_you_mean("abdc", names) == ", did you mean \"abcd\"?");
  CHECK(did_you_mean("zzzz", names).empty());
}
