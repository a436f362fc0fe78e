#pragma once

#include "triosim/chakra/json_reader.hpp"
#include "triosim/chakra/published.hpp"
#include "triosim/chakra/trace.hpp"
#include "triosim/chakra/trace_builder.hpp"
#include "triosim/chakra/v001_reader.hpp"
#include "triosim/chakra/v004_reader.hpp"
#include "triosim/chakra/wire.hpp"
#include "triosim/chakra/workload_graph_reader.hpp"
#include "triosim/io/byte_stream.hpp"
#include "triosim/io/json_file.hpp"

#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

namespace read_detail {

/// A JSON text, rather than a message whose length happens to be that of an opening brace: after the brace comes a key
/// and its colon, or the closing brace.
inline bool looks_like_json(std::string_view start) {
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  const auto skip = [&] { start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size())); };
  skip();
  if (start.empty() || start[0] != '{') return false;
  start.remove_prefix(1);
  skip();
  if (start.empty() || start[0] == '}') return true;
  if (start[0] != '"') return false;
  const std::size_t end = start.find('"', 1);
  if (end == std::string_view::npos) return true;
  start.remove_prefix(end + 1);
  skip();
  return start.empty() || start[0] == ':';
}

/// The first message of a v0.0.4 file has nothing but a version and attributes; that of v0.0.1 is a node, whose id is a
/// number. A file that begins with a node all the same is taken for v0.0.4 where it has what only v0.0.4 can have.
enum class FirstMessage : std::uint8_t { header, v004_node, v001_node };

inline FirstMessage classify(std::string_view bytes) {
  bool only_header_fields = true;
  bool v004 = false;
  try {
    protozero::pbf_reader message{bytes.data(), bytes.size()};
    while (message.next()) {
      const bool has_length = message.wire_type() == protozero::pbf_wire_type::length_delimited;
      only_header_fields = only_header_fields && has_length && message.tag() <= 2;
      v004 = v004 || (has_length && message.tag() >= 8 && message.tag() <= 10);
      message.skip();
    }
  } catch (const protozero::exception&) {
    // Whoever decodes the message says what is wrong with it.
  }
  return only_header_fields ? FirstMessage::header : v004 ? FirstMessage::v004_node : FirstMessage::v001_node;
}

/// Runs `decode`, and says where in the file something was wrong.
template <class Decode>
decltype(auto) located(const std::string& file, std::size_t byte, Decode&& decode) {
  try {
    return decode();
  } catch (const WireProblem& problem) {
    throw TraceError::at_byte(file, byte, problem.field, problem.text);
  } catch (const protozero::end_of_buffer_exception&) {
    throw TraceError::at_byte(file, byte, {}, "a field of this message reaches past its end");
  } catch (const protozero::exception& problem) {
    throw TraceError::at_byte(file, byte, {}, std::string{"this message is no protobuf: "} + problem.what());
  }
}

inline Trace read_messages(io::ByteStream& bytes, std::optional<Format> format) {
  MessageStream messages{bytes};
  std::optional<std::string_view> message = messages.next();
  if (!message) throw TraceError::in_file(bytes.name(), "is empty, expected a Chakra trace");
  const FirstMessage first = classify(*message);
  if (!format) format = first == FirstMessage::v001_node ? Format::v0_0_1 : Format::v0_0_4;
  TraceBuilder builder{bytes.name(), *format};
  const auto each = [&](auto& decoder) {
    for (; message; message = messages.next())
      builder.node(
          located(bytes.name(), messages.position(), [&]() -> const NodeView& { return decoder.node(*message); }));
  };
  if (*format == Format::v0_0_1) {
    V001Decoder decoder{builder.losses()};
    each(decoder);
  } else {
    V004Decoder decoder{builder.losses()};
    if (first == FirstMessage::header) {
      builder.header(located(bytes.name(), messages.position(), [&] { return decoder.header(*message); }));
      message = messages.next();
    }
    each(decoder);
  }
  if (!bytes.at_end()) builder.losses().add("bytes after a message of length 0, which ends the file");
  return builder.finish();
}

/// A top-level key of a workload_graph file that is not the graph: kept as an attribute of the header.
struct HeaderValue {
  std::string key;
  std::string text;
  std::optional<std::uint64_t> number;
};

inline Trace read_json(io::ByteStream& bytes) {
  io::JsonFile json{bytes};
  std::optional<Format> format;
  TraceBuilder builder{bytes.name(), Format::json};
  std::vector<HeaderValue> values;
  bool has_header = false;
  const auto nodes = [&](auto decoder, Format found) {
    if (format) throw json.problem(json.position(), "found a second list of nodes, expected one");
    format = found;
    json.for_each_element([&] {
      const std::size_t start = json.position();
      const io::JsonValue& value = json.value();
      builder.node(located(bytes.name(), start, [&]() -> const NodeView& { return decoder.node(value); }));
    });
  };
  json.for_each_member([&](std::string key) {
    if (key == "nodes") return nodes(JsonDecoder{builder.losses()}, Format::json);
    if (key == "workload_graph") return nodes(WorkloadGraphDecoder{builder.losses()}, Format::workload_graph);
    const std::size_t start = json.position();
    const io::JsonValue& value = json.value();
    if (key == "header") {
      JsonDecoder decoder{builder.losses()};
      builder.header(located(bytes.name(), start, [&] { return decoder.header(value); }));
      has_header = true;
    } else if (value.IsString() && values.size() < 1000) {
      const std::string_view text = io::JsonFile::text(value);
      std::int64_t number = 0;
      const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_number = code == std::errc{} && stop == text.data() + text.size();
      values.push_back({std::move(key), std::string{text}, std::nullopt});
      if (is_number && std::to_string(number) == text) values.back().number = static_cast<std::uint64_t>(number);
    } else {
      builder.losses().add("key", key);
    }
  });
  json.expect_end();
  if (!format)
    throw TraceError::in_file(bytes.name(),
                              "has neither \"nodes\" nor \"workload_graph\", expected one of these lists");
  if (*format == Format::workload_graph) {
    std::vector<Attribute> attributes;
    for (const HeaderValue& value : values)
      attributes.push_back(value.number ? Attribute::int64(value.key, static_cast<std::int64_t>(*value.number))
                                        : Attribute::string(value.key, value.text));
    if (!has_header && !attributes.empty()) builder.header({{}, attributes});
  } else {
    for (const HeaderValue& value : values)
      builder.losses().add("key", value.key);
    if (!has_header) builder.header(published_header);
  }
  return builder.finish(*format);
}

} // namespace read_detail

/// Reads a trace, packed with gzip or not. The format is found by looking at the first bytes; `format` overrides that
/// for files of messages, where a v0.0.4 file without a header can look like v0.0.1. Throws `TraceError`, which names
/// the file, the byte or node, and the field. What is not understood is counted in `Trace::losses`.
inline Trace read(io::InputFile file, std::optional<Format> format = std::nullopt) {
  io::ByteStream bytes{std::move(file)};
  try {
    const bool messages = format ? *format == Format::v0_0_4 || *format == Format::v0_0_1
                                 : !read_detail::looks_like_json(bytes.look(4096));
    return messages ? read_detail::read_messages(bytes, format) : read_detail::read_json(bytes);
  } catch (const TraceError&) {
    throw;
  } catch (const Error& error) {
    throw TraceError::in_file(bytes.name(), error.what());
  }
}

inline Trace read(std::string path, std::optional<Format> format = std::nullopt) {
  return read(io::InputFile{std::move(path)}, format);
}

/// Reads a trace that is in memory; `name` is shown in errors.
inline Trace read_memory(std::string_view bytes, std::string name = "trace",
                         std::optional<Format> format = std::nullopt) {
  return read(io::InputFile::from_memory(std::move(name), bytes), format);
}

} // namespace triosim::chakra
