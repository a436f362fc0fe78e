#include <triosim/chakra/cross_check.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/summary.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace triosim;

namespace {

chakra::Trace read(const std::string& nodes) {
  return chakra::read_memory("{\"workload_graph\": [" + nodes + "]}");
}

const std::string send = R"({"Id": 1, "Name": "s", "NodeType": 5, "comm_size": 8, "comm_dst": 1, "comm_tag": 3})";
const std::string receive = R"({"Id": 1, "Name": "r", "NodeType": 6, "comm_size": 8, "comm_src": 0, "comm_tag": 3})";

std::vector<std::string> check(const std::string& zero, const std::string& one,
                               const std::vector<chakra::CommGroup>& groups = {}) {
  const chakra::Trace a = read(zero), b = read(one);
  const std::vector<const chakra::Trace*> traces{&a, &b};
  const std::vector<std::uint32_t> ranks{0, 1};
  return chakra::cross_check(traces, ranks, groups);
}

} // namespace

TEST_CASE("a trace adds up, and its longest chain is the longest") {
  const chakra::Trace trace = read(R"({"Id": 0, "Name": "a", "NodeType": 4, "runtime": 5},
    {"Id": 1, "Name": "b", "NodeType": 4, "runtime": 70, "data_deps": []},
    {"Id": 2, "Name": "c", "NodeType": 4, "runtime": 5, "data_deps": [0]},
    {"Id": 3, "Name": "d", "NodeType": 7, "comm_size": 64, "comm_type": 1, "data_deps": [2]},
    {"Id": 4, "Name": "e", "NodeType": 4, "data_deps": [3]})");
  const chakra::Summary summary = chakra::summarize(trace);
  CHECK(summary.nodes == 5);
  CHECK(summary.of_type[static_cast<std::size_t>(chakra::NodeType::comp)] == 4);
  CHECK(summary.data_deps == 3);
  CHECK(summary.duration_micros == 80);
  CHECK(summary.longest_chain == 4);
  CHECK(summary.longest_micros == 70);
  REQUIRE(summary.traffic.size() == 1);
  CHECK(summary.traffic[0].what == "reduce");
  CHECK(summary.traffic[0].bytes == 64);
  CHECK(summary.odd == std::vector<std::string>{"1 compute nodes without duration, operations and bytes"});
}

TEST_CASE("a chain of a million nodes") {
  std::string nodes = R"({"Id": 0, "Name": "a", "NodeType": 4, "runtime": 1})";
  for (int i = 1; i < 100'000; ++i)
    nodes += ",{\"Id\": " + std::to_string(i) + ", \"Name\": \"a\", \"NodeType\": 4, \"runtime\": 1, \"data_deps\": [" +
             std::to_string(i - 1) + "]}";
  const chakra::Summary summary = chakra::summarize(read(nodes));
  CHECK(summary.longest_chain == 100'000);
  CHECK(summary.longest_micros == 100'000);
}

TEST_CASE("what is odd in one trace is said") {
  const chakra::Summary summary = chakra::summarize(read(
      R"({"Id": 0, "Name": "a", "NodeType": 7, "comm_type": 99}, {"Id": 1, "Name": "b", "NodeType": 5, "comm_size": 4})"));
  CHECK(summary.odd == std::vector<std::string>{"1 communication nodes without comm_size",
                                                "1 collectives of no known comm_type",
                                                "1 messages without the rank of their peer"});
}

TEST_CASE("messages between ranks: whole, one-sided, of two sizes, to a rank that is not there") {
  CHECK(check(send, receive).empty());
  CHECK(check(send, R"({"Id": 1, "Name": "x", "NodeType": 4, "runtime": 1})") ==
        std::vector<std::string>{"1 sends and 0 receives from rank 0 to rank 1 with tag 3"});
  std::string longer = receive;
  longer.replace(longer.find(": 8"), 3, ": 9");
  CHECK(check(send, longer) ==
        std::vector<std::string>{"a send of 8 bytes and a receive of 9 from rank 0 to rank 1 with tag 3"});
  std::string far = send;
  far.replace(far.find("_dst\": 1"), 8, "_dst\": 7");
  CHECK(check(far, receive) ==
        std::vector<std::string>{"0 sends and 1 receives from rank 0 to rank 1 with tag 3",
                                 "the trace of rank 7 is not among those given, but a message from rank 0 to rank 7 "
                                 "with tag 3 needs it"});
}

TEST_CASE("collectives between ranks: a member that does not come, another size, a group nobody calls") {
  const std::string call = R"({"Id": 0, "Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": 64})";
  const std::string other = R"({"Id": 0, "Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": 65})";
  CHECK(check(call, call).empty());
  CHECK(check(call, other) == std::vector<std::string>{"collectives of all ranks: number 1 differs in type or size on "
                                                       "rank 0 and on rank 1"});
  CHECK(check(call, R"({"Id": 0, "Name": "x", "NodeType": 4, "runtime": 1})") ==
        std::vector<std::string>{"collectives of all ranks are not called by its member rank 1"});
  CHECK(check(call, call, {{"5", {0, 1}}, {"6", {0}}}) == std::vector<std::string>{"group 5 is called by nobody"});
}

TEST_CASE("a long list of oddities is cut and counted") {
  std::string sends;
  for (int i = 0; i < 50; ++i)
    sends +=
        (i == 0 ? "" : ",") + std::string{"{\"Id\": "} + std::to_string(i) +
        ", \"Name\": \"s\", \"NodeType\": 5, \"comm_size\": 8, \"comm_dst\": 1, \"comm_tag\": " + std::to_string(i) +
        "}";
  const std::vector<std::string> found = check(sends, R"({"Id": 1, "Name": "x", "NodeType": 4, "runtime": 1})");
  REQUIRE(found.size() == 21);
  CHECK(found.back() == "and 30 more");
}
