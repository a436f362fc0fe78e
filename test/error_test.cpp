#include <triosim/error.hpp>

#include <doctest/doctest.h>

using namespace triosim;

TEST_CASE("a trace error names the place, the field and the problem on one line") {
  const TraceError line = TraceError::at_line("a/trace.csv", 7, "stage", "found \"frward\", expected forward");
  CHECK(std::string{line.what()} == "a/trace.csv:7: stage: found \"frward\", expected forward");
  CHECK(line.line() == 7);
  CHECK(line.field() == "stage");

  const TraceError byte = TraceError::at_byte("x.et", 12, "", "the file ends inside a node");
  CHECK(std::string{byte.what()} == "x.et: byte 12: the file ends inside a node");
  CHECK(byte.byte() == 12);
}

TEST_CASE("a configuration error names the key, the value and what is allowed") {
  const ConfigError error{"-GPUnumber", "0", "1 or more"};
  CHECK(std::string{error.what()} == "-GPUnumber: found \"0\", expected 1 or more");
}

TEST_CASE("a deadlock counts all stuck tasks and shows the first few") {
  const Deadlock error{{"a waits for b", "b waits for a", "c waits for a"}, 2};
  CHECK(std::string{error.what()} == "deadlock: 3 tasks cannot go on: a waits for b; b waits for a; and 1 more");
  CHECK(error.stuck().size() == 3);
}
