#include <triosim/io/json_file.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace triosim;

namespace {

// The texts of a list, or the error.
std::vector<std::string> texts(std::string_view json) {
  io::ByteStream bytes{io::InputFile::from_memory("j", json)};
  io::JsonFile file{bytes};
  std::vector<std::string> result;
  file.for_each_element([&] { result.emplace_back(io::JsonFile::text(file.value())); });
  file.expect_end();
  return result;
}

} // namespace

TEST_CASE("values are found whatever stands in them and however long they are") {
  CHECK(texts("[]").empty());
  CHECK(texts(" [ 1 , 2.50 ,-3e9]\n") == std::vector<std::string>{"1", "2.50", "-3e9"});
  CHECK(texts(R"(["a]b", "c\"d,", "\\", "e\\\"f", {"g": ["]"]}, "h"])") ==
        std::vector<std::string>{"a]b", "c\"d,", "\\", "e\\\"f", "", "h"});
  // A value is looked at through a window of 4096 bytes that doubles.
  for (std::size_t length : {4093u, 4094u, 4095u, 4096u, 4097u, 8191u, 8192u, 300'000u}) {
    const std::string filler(length, 'x');
    CHECK(texts("[\"" + filler + "\", 2]") == std::vector<std::string>{filler, "2"});
    const std::string quoted = filler + "\\\"";
    CHECK(texts("[\"" + quoted + "\",2]") == std::vector<std::string>{filler + "\"", "2"});
    const std::string number = "0." + std::string(length, '1');
    CHECK(texts("[" + number + "]") == std::vector<std::string>{number});
  }
}

TEST_CASE("text that is no JSON is refused with the byte") {
  for (const char* const bad :
       {"", "[", "[1", "[1,", "[1 2]", "[,]", "[\"a]", "[\"a\\\"]", "[}]", "[1]]", "[nul]", "[\"a\"b]", "{}"})
    CHECK_THROWS_AS(texts(bad), TraceError);
  CHECK_THROWS_WITH_AS(texts("[1, tru]"), "j: byte 7: Invalid value.", TraceError);
  CHECK_THROWS_WITH_AS(texts("[1 2]"), "j: byte 3: found \"2\", expected \"]\"", TraceError);
}

TEST_CASE("a byte-order mark is passed over") {
  CHECK(texts("\xef\xbb\xbf[1]") == std::vector<std::string>{"1"});
}
