#include <triosim/chakra/file_template.hpp>
#include <triosim/chakra/groups.hpp>
#include <triosim/chakra/names.hpp>
#include <triosim/chakra/operation.hpp>
#include <triosim/chakra/published.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

using namespace triosim;
using namespace triosim::chakra;
using namespace std::string_view_literals;

namespace {

std::string file_of(Format format, const Operation& operation, std::span<const std::uint32_t> values) {
  OperationEncoding encode;
  FileTemplate file{format, published_header};
  file.add(encode(operation));
  return file.render(values);
}

} // namespace

TEST_CASE("the v0.0.4 file of a collective, byte for byte") {
  constexpr std::uint64_t deps[] = {7, 300, 7};
  constexpr OperandText inputs[] = {{"x@0B", "8.0"}};
  Operation all_reduce;
  all_reduce.id = 9;
  all_reduce.name = "x@0_X1COMM";
  all_reduce.type = NodeType::comm_coll;
  all_reduce.data_deps = deps;
  all_reduce.inputs = inputs;
  all_reduce.comm_size = 8;
  all_reduce.collective = CollectiveType::all_reduce;
  all_reduce.group = RankValue::slot(0);
  const std::uint32_t values[] = {12};
  const std::string expected{"\x24\x12\x22\x0a\x06schema\xea\x01\x17symbolic_tensor_network"
                             "\x75\x08\x09\x12\x0ax@0_X1COMM\x18\x07"
                             "\x2a\x03\x07\xac\x02"
                             "\x52\x16\x0a\x06inputs\xf2\x01\x0b\x0a\x04x@0B\x0a\x03"
                             "8.0"
                             "\x52\x09\x0a\x07outputs"
                             "\x52\x0d\x0a\x09"
                             "comm_size\x48\x08"
                             "\x52\x0d\x0a\x09"
                             "comm_type\x48\x00"
                             "\x52\x0e\x0a\x07pg_name\xea\x01\x02"
                             "12"
                             "\x52\x0d\x0a\x09is_cpu_op\x38\x00"sv};
  CHECK(file_of(Format::v0_0_4, all_reduce, values) == expected);
}

TEST_CASE("one template makes the files of ranks whose groups and peers need different numbers of bytes") {
  OperationEncoding encode;
  Operation send;
  send.id = 5;
  send.name = "s";
  send.type = NodeType::comm_send;
  send.comm_size = 1;
  send.tag = 3;
  for (const Format format : {Format::v0_0_4, Format::v0_0_1, Format::json, Format::workload_graph}) {
    CAPTURE(to_text(format));
    FileTemplate shared{format, published_header};
    send.peer = RankValue::slot(1);
    shared.add(encode(send));
    shared.add(encode(send));
    CHECK(shared.slots() == 2);
    for (const std::uint32_t peer : {0u, 1u, 127u, 128u, 70'000u}) {
      FileTemplate own{format, published_header};
      send.peer = RankValue::fixed(peer);
      own.add(encode(send));
      own.add(encode(send));
      const std::uint32_t values[] = {99, peer};
      CHECK(shared.render(values) == own.render({}));
    }
    CHECK_THROWS_AS(shared.render(std::array<std::uint32_t, 1>{1}), Error);
  }
}

TEST_CASE("a number of operands is printed as Python prints a float") {
  CHECK(float_text(65536) == "65536.0");
  CHECK(float_text(0) == "0.0");
  CHECK(float_text(0.1) == "0.1");
  CHECK(float_text(1e16) == "1e+16");
  CHECK(float_text(9007199254740993.0) == "9007199254740992.0");
  CHECK(float_text(1.5e300) == "1.5e+300");
  CHECK(float_text(0.00001) == "1e-05");
  CHECK(float_text(0.0001) == "0.0001");
}
