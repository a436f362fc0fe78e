#pragma once

#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/trace/csv_reader.hpp"
#include "triosim/trace/trace.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace triosim::trace {

namespace detail {

template <class Number>
void append_number(std::string& out, Number value) {
  char text[40];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// A field, in quotes if it needs them.
inline void append_field(std::string& out, std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (text.front() != ' ' && text.front() != '\t'));
  if (plain) {
    out.append(text);
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

inline void append_header(std::string& out, std::span<const std::string_view> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    out.append(i == 0 ? "" : ",").append(columns[i]);
  out += '\n';
}

/// The text of a list can hold a name only if reading gives it back.
inline void check_listable(const Tensor& tensor) {
  const std::string_view name = tensor.name;
  if (name.empty() || name.find_first_of(" \t;[]'") != std::string_view::npos)
    throw ConfigError{"name of a tensor", std::string{name}, "a text without blanks, semicolons, brackets and quotes"};
}

template <class Entry>
void append_list(std::string& out, std::span<const TensorIndex> list, Entry&& entry) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) text += "; ";
    entry(text, list[i]);
  }
  text += ']';
  append_field(out, text);
}

} // namespace detail

/// The text of tensor.csv: for each tensor one row for each type that it has, the one that counts last.
inline std::string tensor_csv(const Trace& trace) {
  std::string out;
  detail::append_header(out, detail::tensor_columns);
  std::size_t index = 0;
  const auto row = [&](const Tensor& tensor, TensorType type) {
    if (tensor.name.empty()) detail::check_listable(tensor);
    detail::append_number(out, index++);
    detail::append_field(out += ',', tensor.name);
    std::string shape = "[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (i != 0) shape += ", ";
      detail::append_number(shape, tensor.shape[i]);
    }
    detail::append_field(out += ',', shape += ']');
    detail::append_number(out += ',', tensor.elements);
    detail::append_number(out += ',', tensor.element_bytes);
    detail::append_field(out += ',', to_string(type));
    detail::append_field(out += ',', trace.storage_name(tensor.storage));
    out += ",0\n";
  };
  for (const Tensor& tensor : trace.tensors()) {
    for (std::size_t i = 0; i < tensor_type_count; ++i) {
      const auto type = static_cast<TensorType>(i);
      if (type != tensor.type && tensor.types.contains(type)) row(tensor, type);
    }
    row(tensor, tensor.type);
  }
  return out;
}

/// The text of trace.csv.
inline std::string layer_csv(const Trace& trace) {
  std::string out;
  detail::append_header(out, detail::layer_columns);
  const auto names = [&](std::span<const TensorIndex> list) {
    detail::append_list(out += ',', list, [&](std::string& text, TensorIndex tensor) {
      detail::check_listable(trace.tensor(tensor));
      text.append(trace.tensor(tensor).name);
    });
  };
  const auto sizes = [&](std::span<const TensorIndex> list) {
    detail::append_list(out += ',', list, [&](std::string& text, TensorIndex tensor) {
      detail::append_number(text, trace.tensor(tensor).elements);
    });
  };
  for (const Layer& layer : trace.layers()) {
    detail::append_number(out, layer.id);
    detail::append_field(out += ',', layer.name);
    names(layer.inputs);
    names(layer.outputs);
    detail::append_number(out += ',', layer.span_microseconds);
    detail::append_number(out += ',', layer.microseconds);
    sizes(layer.sizes_complete ? layer.inputs : layer.inputs.first(0));
    sizes(layer.sizes_complete ? layer.outputs : layer.outputs.first(0));
    out.append(",0,").append(to_string(layer.stage)).append(layer.tensor_parallel ? ",1\n" : ",0\n");
  }
  return out;
}

/// Writes `tensor.csv` and `trace.csv` into a directory, which is made if need be; reading them gives an equal trace.
/// Both are written under other names first, so that no half of a file is ever seen. Throws `ConfigError` for a name
/// that the format cannot hold and for a trace without layers, `TraceError` if a file cannot be written.
inline void write_csv(const Trace& trace, const std::filesystem::path& directory) {
  if (trace.empty()) throw ConfigError{"trace", "no layers", "at least one layer to write"};
  const std::pair<const char*, std::string> files[] = {{"tensor.csv", tensor_csv(trace)},
                                                       {"trace.csv", layer_csv(trace)}};
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  for (const auto& [name, text] : files) {
    const std::filesystem::path temporary = directory / (std::string{name} + ".tmp");
    std::ofstream out{temporary, std::ios::binary | std::ios::trunc};
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
      std::filesystem::remove(temporary, code);
      throw TraceError::in_file(temporary.string(), "cannot be written");
    }
  }
  for (const auto& [name, text] : files) {
    std::filesystem::rename(directory / (std::string{name} + ".tmp"), directory / name, code);
    if (code) throw TraceError::in_file((directory / name).string(), "cannot be written: " + code.message());
  }
}

} // namespace triosim::trace
