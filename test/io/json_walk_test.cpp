#include <triosim/error.hpp>
#include <triosim/io/json_walk.hpp>
#include <triosim/units.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using io::JsonWalk;

namespace {

struct Box {
  std::uint64_t count = 0;
  double share = 0;
  bool open = false;
  std::string name;
  std::size_t shape = 0;
  Time age;
  std::vector<std::uint64_t> list;
};

Box read(const std::string& text) {
  JsonWalk walk{text, "box.json"};
  Box box;
  const auto seen = walk.members(walk.root(), {"count", "share", "open", "name", "shape", "age", "list"},
                                 JsonWalk::Others::refuse, [&](std::size_t key, const JsonWalk::Value& value) {
                                   if (key == 0) box.count = walk.natural(value, 1, 10, "1 to 10");
                                   if (key == 1) box.share = walk.number(value, 0, 1, "0 to 1");
                                   if (key == 2) box.open = walk.boolean(value);
                                   if (key == 3) box.name = walk.text(value);
                                   if (key == 4) box.shape = walk.one_of(value, {"round", "square"});
                                   if (key == 5) box.age = walk.quantity(value, parse_time);
                                   if (key == 6)
                                     walk.elements(value, [&](const JsonWalk::Value& element) {
                                       box.list.push_back(walk.natural(element, 0, 9, "a digit"));
                                     });
                                 });
  walk.require(seen, {"count"});
  return box;
}

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}

} // namespace

TEST_CASE("values come out as they are") {
  const Box box = read("\xef\xbb\xbf{\"count\": 1e1, \"share\": 0.25, \"open\": true, \"name\": \"a\\u00e4\", "
                       "\"shape\": \"square\", \"age\": \"5 us\", \"list\": [1, 2.0]}");
  CHECK(box.count == 10);
  CHECK(box.share == 0.25);
  CHECK(box.open);
  CHECK(box.name == "a\xc3\xa4");
  CHECK(box.shape == 1);
  CHECK(box.age == 5_us);
  CHECK(box.list == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("each mistake is one sentence with its place") {
  CHECK(complaint("[]") == "box.json: found a list, expected an object");
  CHECK(complaint("{}") == "box.json: found no \"count\", expected count");
  CHECK(complaint(R"({"cuont": 1})") == "box.json: found the key \"cuont\", expected one of count, share, open, name, "
                                        "shape, age, list, did you mean \"count\"?");
  CHECK(complaint(R"({"count": 1, "count": 2})") == "box.json: count: found twice, expected once");
  CHECK(complaint(R"({"count": 11})") == "box.json: count: found 11, expected 1 to 10");
  CHECK(complaint(R"({"count": 1.5})") == "box.json: count: found 1.5, expected 1 to 10");
  CHECK(complaint(R"({"count": -1})") == "box.json: count: found -1, expected 1 to 10");
  CHECK(complaint(R"({"count": null})") == "box.json: count: found null, expected 1 to 10");
  CHECK(complaint(R"({"share": "all"})") == "box.json: share: found \"all\", expected 0 to 1");
  CHECK(complaint(R"({"open": 1})") == "box.json: open: found 1, expected true or false");
  CHECK(complaint(R"({"shape": "rond"})") ==
        "box.json: shape: found \"rond\", expected one of round, square, did you mean \"round\"?");
  CHECK(complaint(R"({"age": "5 parsecs"})") ==
        "box.json: age: found \"5 parsecs\", expected a number with a unit, such as 5 us or 20 ns");
  CHECK(complaint(R"({"list": [1, {}]})") == "box.json: list[1]: found an object, expected a digit");
  CHECK(complaint("{\"a\\u001b[2J\": 1}").find('\x1b') == std::string::npos);
  CHECK(complaint("{\"count\": 1") == "box.json: byte 11: Missing a comma or '}' after an object member.");
}

TEST_CASE("a hundred thousand brackets cost no stack") {
  CHECK(complaint(std::string(100'000, '[')).substr(0, 10) == "box.json: ");
  CHECK(complaint(std::string(100'000, '[') + std::string(100'000, ']')) ==
        "box.json: found a list, expected an object");
}
