#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/format_encoder.hpp"
#include "triosim/chakra/trace.hpp"
#include "triosim/io/file.hpp"

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::chakra {

/// Hands the trace in the given format to `sink(std::string_view)`, in pieces of some 256 KiB. Returns what the format
/// could not say. For traces that the encoders here have written, reading and writing in the same format gives the same
/// bytes.
template <class Sink>
Losses write_to(const Trace& trace, Format format, Sink&& sink) {
  constexpr std::size_t piece_size = std::size_t{1} << 18;
  FormatEncoder encoder{format};
  NodeCursor cursor{trace};
  EncodedNode node;
  std::string buffer;
  encoder.begin(buffer, cursor.header());
  const bool one_list = format == Format::v0_0_1;
  std::vector<std::uint64_t> ctrl_deps;
  for (Trace::Index i = 0; i < trace.size(); ++i) {
    NodeView view = cursor(i);
    if (one_list && !view.ctrl_deps.empty()) {
      // Frames of a call stack must not become something to wait for.
      ctrl_deps.clear();
      if (trace.control_can_be_obeyed())
        for (const Trace::Index dependency : trace.ctrl_deps(i))
          if (dependency < trace.size()) ctrl_deps.push_back(trace.id(dependency));
      encoder.losses().add("control dependencies that cannot be obeyed", view.ctrl_deps.size() - ctrl_deps.size());
      view.ctrl_deps = ctrl_deps;
    }
    encoder.node(node, view);
    if (encoder.has_lengths())
      protozero::add_varint_to_buffer(&buffer, node.bytes.size());
    else if (i != 0)
      buffer.append(encoder.separator());
    buffer.append(node.bytes);
    if (buffer.size() < piece_size) continue;
    sink(std::string_view{buffer});
    buffer.clear();
  }
  buffer.append(encoder.end());
  if (!buffer.empty()) sink(std::string_view{buffer});
  return encoder.losses();
}

/// Writes a file that appears whole or not at all. Throws `Error` where that is not possible.
inline Losses write(const Trace& trace, Format format, const std::filesystem::path& path) {
  io::AtomicFile file{path};
  Losses losses = write_to(trace, format, [&](std::string_view piece) { file.write(piece); });
  file.commit();
  return losses;
}

inline std::string write_memory(const Trace& trace, Format format) {
  std::string whole;
  write_to(trace, format, [&](std::string_view piece) { whole.append(piece); });
  return whole;
}

} // namespace triosim::chakra
