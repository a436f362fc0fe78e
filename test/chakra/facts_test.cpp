#include <triosim/chakra/facts.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/trace_builder.hpp>
#include <triosim/chakra/write.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::chakra;

namespace {

Trace with(std::vector<Attribute> attributes) {
  TraceBuilder builder{"f", Format::v0_0_4};
  NodeView node;
  node.attributes = attributes;
  builder.node(node);
  return builder.finish();
}

} // namespace

TEST_CASE("a number may have any integer type, be a bool, or a float without a fraction") {
  for (unsigned type = 7; type <= 27; type += 2) {
    const auto value = static_cast<ValueType>(type);
    CAPTURE(type);
    CHECK(with({{"comm_size", value, false, 1, {}, {}}}).facts(0).comm_size == 1);
  }
  const auto comm_size = [](double value) {
    return with({{"comm_size", ValueType::double_val, false, std::bit_cast<std::uint64_t>(value), {}, {}}})
        .facts(0)
        .comm_size;
  };
  CHECK(comm_size(1e12) == 1'000'000'000'000);
  CHECK(comm_size(-3) == -3);
  CHECK_FALSE(comm_size(0.5).has_value());
  CHECK_FALSE(comm_size(1e300).has_value());
  CHECK_FALSE(comm_size(std::bit_cast<double>(~std::uint64_t{0})).has_value());
  CHECK(with({{"comm_size", ValueType::float_val, false, std::bit_cast<std::uint32_t>(8.0f), {}, {}}})
            .facts(0)
            .comm_size == 8);
  CHECK(with({Attribute::int64("comm_dst", -1)}).facts(0).comm_dst == -1);
}

TEST_CASE("is_cpu_op may be a bool or a number, a group a text or a number under either name") {
  CHECK(with({Attribute::boolean("is_cpu_op", true)}).facts(0).is_cpu_op == true);
  CHECK(with({Attribute::int32("is_cpu_op", 0)}).facts(0).is_cpu_op == false);
  CHECK(with({Attribute::int64("is_cpu_op", 7)}).facts(0).is_cpu_op == true);
  CHECK_FALSE(with({}).facts(0).is_cpu_op.has_value());
  CHECK(with({Attribute::string("pg_name", "12")}).facts(0).group == "12");
  CHECK(with({Attribute::string("pg_name", "dp@3")}).facts(0).group == "dp@3");
  CHECK(with({Attribute::int32("comm_group", 12)}).facts(0).group == "12");
  CHECK(with({Attribute::int64("pg_name", 3)}).facts(0).group == "3");
  CHECK(with({Attribute::string("pg_name", "")}).facts(0).group == "");
}

TEST_CASE("the first of two attributes of one meaning counts") {
  CHECK(with({Attribute::string("pg_name", "a"), Attribute::int32("comm_group", 2)}).facts(0).group == "a");
  CHECK(with({Attribute::int64("num_ops", 1), Attribute::int64("num_ops", 2)}).facts(0).num_ops == 1);
}

TEST_CASE("dimensions are a list of bools of any integer type") {
  const std::string bools = encode_numbers(ValueType::bool_list, std::vector<std::uint64_t>{1, 0, 1});
  const std::vector<bool> expected{true, false, true};
  CHECK(with({{"involved_dim", ValueType::bool_list, false, 0, bools, {}}}).facts(0).involved_dim == expected);
  CHECK(with({{"involved_dim", ValueType::int32_list, false, 0, bools, {}}}).facts(0).involved_dim == expected);
}

TEST_CASE("a known attribute that cannot serve is kept, counted and not used") {
  const Trace trace = with({Attribute::string("comm_size", "8"), Attribute::only_name("num_ops"),
                            Attribute::string_list("involved_dim", "\x0a\x01x")});
  CHECK_FALSE(trace.facts(0).comm_size.has_value());
  CHECK_FALSE(trace.facts(0).num_ops.has_value());
  CHECK_FALSE(trace.facts(0).involved_dim.has_value());
  REQUIRE(trace.losses().entries().size() == 3);
  CHECK(trace.losses().entries()[0].what == "attribute \"comm_size\" of type string");
  CHECK(trace.losses().entries()[1].what == "attribute \"num_ops\" of type none");
  NodeCursor cursor{trace};
  CHECK(cursor(0).attributes[0].text == "8");
}
