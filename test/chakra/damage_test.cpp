// Files that are cut off, bent or made in bad faith: each ends in a trace or in one TraceError, never otherwise.
#include "support/chakra_sample.hpp"

#include <triosim/chakra/groups.hpp>
#include <triosim/chakra/names.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>

#include <doctest/doctest.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace triosim;
using namespace triosim::chakra;

namespace {

constexpr Format formats[] = {Format::v0_0_4, Format::v0_0_1, Format::json, Format::workload_graph};

// The text of the error, or nothing where the bytes are a trace. Any other exception fails the test.
std::optional<std::string> error_of(std::string_view bytes, std::optional<Format> format = std::nullopt) {
  try {
    const Trace trace = read_memory(bytes, "f", format);
    // What can be read can be written.
    for (const Format to : formats)
      write_to(trace, to, [](std::string_view) {});
    return std::nullopt;
  } catch (const TraceError& error) {
    CHECK(std::string_view{error.what()}.find('\n') == std::string_view::npos);
    CHECK(error.file() == "f");
    return error.what();
  }
}

std::string framed(std::string_view message) {
  std::string file;
  protozero::add_varint_to_buffer(&file, message.size());
  return file.append(message);
}

constexpr std::string_view v004_header{"\x12\x0a\x0a\x08schema\x00\x00", 12};

} // namespace

TEST_CASE("a file that is cut off at any byte is refused, or was whole up to there") {
  for (const Format format : formats) {
    CAPTURE(to_text(format));
    const std::string whole = test::sample_file(format);
    std::size_t accepted = 0;
    for (std::size_t length = 0; length < whole.size(); ++length)
      if (!error_of(std::string_view{whole}.substr(0, length))) ++accepted;
    // Messages say where they end but not how many there are: eight nodes can end at eight places.
    CHECK(accepted <= (format == Format::v0_0_4 || format == Format::v0_0_1 ? 8 : 1));
  }
}

TEST_CASE("any byte may be wrong in any file") {
  for (const Format format : formats) {
    CAPTURE(to_text(format));
    std::string bytes = test::sample_file(format);
    std::size_t refused = 0;
    for (char& byte : bytes)
      for (const int wrong : {0x01, 0x07, 0x40, 0x80, 0xff}) {
        const char right = byte;
        byte = static_cast<char>(byte ^ wrong);
        refused += error_of(bytes).has_value();
        byte = right;
      }
    CHECK(refused > bytes.size() / 4);
  }
}

TEST_CASE("each attribute may be missing") {
  for (const Format format : formats) {
    const Trace trace = test::sample_trace();
    NodeCursor cursor{trace};
    for (Trace::Index node = 0; node < trace.size(); ++node) {
      const std::size_t count = cursor(node).attributes.size();
      for (std::size_t drop = 0; drop < count; ++drop) {
        TraceBuilder builder{"f", Format::v0_0_4};
        for (Trace::Index i = 0; i < trace.size(); ++i) {
          NodeView view = cursor(i);
          std::vector<Attribute> attributes(view.attributes.begin(), view.attributes.end());
          if (i == node) attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(drop));
          view.attributes = attributes;
          builder.node(view);
        }
        const std::string bytes = write_memory(builder.finish(), format);
        const Trace again = read_memory(bytes, "f", format);
        CHECK(write_memory(again, format) == bytes);
        for (Trace::Index i = 0; i < again.size(); ++i)
          again.facts(i);
      }
    }
  }
}

TEST_CASE("each field of a node may come with each wire type") {
  for (const Format format : {Format::v0_0_4, Format::v0_0_1})
    for (std::uint32_t field = 1; field < 40; ++field)
      for (int wire = 0; wire < 4; ++wire) {
        std::string message;
        protozero::pbf_writer writer{message};
        if (format == Format::v0_0_1) {
          writer.add_uint64(1, 5);
          writer.add_string(2, "n");
        }
        if (wire == 0) writer.add_uint64(field, 1);
        if (wire == 1) writer.add_fixed64(field, 1);
        if (wire == 2) writer.add_bytes(field, "\x01", 1);
        if (wire == 3) writer.add_fixed32(field, 1);
        error_of(framed(v004_header) + framed(message), format);
        if (format == Format::v0_0_4) {
          std::string node;
          protozero::pbf_writer{node}.add_bytes(10, message);
          error_of(framed(v004_header) + framed(node), format);
        }
      }
  std::string message;
  protozero::pbf_writer{message}.add_string(3, "x");
  CHECK(error_of(framed(v004_header) + framed(message)).value() ==
        "f: byte 14: type: found a length and bytes, expected a varint");
}

TEST_CASE("groups and unknown wire types, which protobuf has given up, are refused") {
  for (int wire : {3, 4, 6, 7}) {
    const std::string message{static_cast<char>(5 << 3 | wire), '\x01'};
    CHECK(error_of(framed(v004_header) + framed(message)).has_value());
  }
}

TEST_CASE("lengths that lie cost neither memory nor time") {
  using namespace std::string_view_literals;
  CHECK(error_of("\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x08"sv).value() ==
        "f: byte 0: the file ends inside a message: expected 9223372036854775807 bytes, found 1");
  CHECK(error_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv).value() ==
        "f: byte 0: the length of a message is longer than 64 bits");
  CHECK(error_of("\x85"sv).value() == "f: byte 0: the file ends inside the length of a message");
  const std::string inside{"\x2a\xff\xff\xff\xff\x0f", 6};
  CHECK(error_of(framed(v004_header) + framed(inside)).value() ==
        "f: byte 14: a field of this message reaches past its end");
}

TEST_CASE("an empty file, and a file of another kind, are named") {
  CHECK(error_of("").value() == "f: is empty, expected a Chakra trace");
  CHECK(error_of("{}").value() == "f: has neither \"nodes\" nor \"workload_graph\", expected one of these lists");
  CHECK(error_of("{\"1\": [0, 1]}").value() ==
        "f: has neither \"nodes\" nor \"workload_graph\", expected one of these lists");
  CHECK(error_of("id,name\n1,a\n").has_value());
}

TEST_CASE("what follows a message of length 0 is not read, and that is said") {
  const Trace trace = read_memory(test::sample_file(Format::v0_0_4) + std::string(3, '\0'));
  CHECK(trace.size() == 8);
  REQUIRE(trace.losses().entries().size() == 1);
  CHECK(trace.losses().entries()[0].what == "bytes after a message of length 0, which ends the file");
}

TEST_CASE("unknown fields and keys are counted") {
  std::string node;
  protozero::pbf_writer writer{node};
  writer.add_uint64(1, 3);
  writer.add_uint64(11, 3);
  writer.add_string(12, "x");
  const Trace messages = read_memory(framed(v004_header) + framed(node));
  REQUIRE(messages.losses().entries().size() == 2);
  CHECK(messages.losses().entries()[0].what == "field 11 of a node");
  const Trace json =
      read_memory(R"({"nodes": [{"id": 1, "name": "a", "node_type": "comp_node", "color": "red"}], "x": 1})");
  REQUIRE(json.losses().entries().size() == 2);
  CHECK(json.losses().entries()[0].what == "key \"color\"");
  CHECK(json.losses().entries()[1].what == "key \"x\"");
}

TEST_CASE("JSON that is nested deeply, repeats keys or is not JSON") {
  for (const char open : {'[', '{'}) {
    std::string deep = "{\"nodes\": ";
    for (int i = 0; i < 1'000'000; ++i)
      deep += open == '[' ? "[" : "{\"a\":";
    CHECK(error_of(deep).has_value());
    CHECK(error_of("{\"nodes\": [{\"id\": 1, \"x\": " + deep + "}]}").has_value());
  }
  std::string closed = "{\"x\": " + std::string(100'000, '[') + std::string(100'000, ']') + ", \"nodes\": []}";
  CHECK_FALSE(error_of(closed).has_value());
  CHECK(error_of(R"({"nodes": [], "nodes": []})").value() == "f: byte 23: found a second list of nodes, expected one");
  CHECK(error_of(R"({"nodes": [] "x": 1})").value() == "f: byte 13: found \"\"\", expected \"}\"");
  CHECK(error_of(R"({"nodes": []} x)").value() == "f: byte 14: found \"x\", expected the end of the file");
  CHECK(error_of(R"({"nodes": [{"id": -1}]})").value() == "f: byte 11: id: found \"-1\", expected an integer from 0");
  CHECK(error_of(R"({"nodes": [{"id": 1.5}]})").value() == "f: byte 11: id: found \"1.5\", expected an integer");
  CHECK(error_of(R"({"nodes": [{"id": 18446744073709551616}]})").has_value());
  CHECK(error_of(R"({"nodes": [3]})").value() == "f: byte 11: nodes: found \"3\", expected an object");
  CHECK(error_of(R"({"nodes": [{"node_type": "gpu_node"}]})").has_value());
  CHECK(error_of(R"({"workload_graph": [{"Id": 1, "NodeType": 8}]})").value() ==
        "f: byte 20: NodeType: found \"8\", expected 0 to 7");
  CHECK(error_of(R"({"workload_graph": [{"Name": "a"}]})").has_value());
  CHECK(error_of("{\"nodes\": [{\"id\": 1, \"name\": \"a\0b\"}]}").has_value());
}

TEST_CASE("a message whose length is that of a brace is no JSON") {
  // The first message of this file is 123 bytes long, so the file begins with '{' and a line end.
  std::string header;
  protozero::pbf_writer{header}.add_string(1, std::string(121, 'v'));
  REQUIRE(header.size() == 123);
  const std::string file = framed(header);
  REQUIRE(file.substr(0, 2) == "{\n");
  CHECK(read_memory(file).format() == Format::v0_0_4);
}

TEST_CASE("a v0.0.4 file without a header is recognised by what only it can have") {
  const std::string whole = test::sample_file(Format::v0_0_4);
  const std::string_view headless = std::string_view{whole}.substr(1 + static_cast<std::size_t>(whole[0]));
  CHECK(read_memory(headless).format() == Format::v0_0_4);
  CHECK(read_memory(headless).size() == 8);
}
