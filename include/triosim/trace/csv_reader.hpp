#pragma once

#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/trace/builder.hpp"
#include "triosim/trace/csv_records.hpp"
#include "triosim/trace/trace.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace triosim::trace {

namespace detail {

/// The columns of the two files, by position; more may follow on the right.
inline constexpr std::string_view tensor_columns[] = {
    "Index", "TensorID", "TensorShape", "TensorNumElement", "TensorEachByte", "TensorType", "TensorStorgeid", "gpuid"};
inline constexpr std::string_view layer_columns[] = {"OperatorID",
                                                     "OperatorName",
                                                     "Operator_input",
                                                     "Operator_output",
                                                     "Operator_cudatime",
                                                     "Operator_cudatimenooverlap",
                                                     "InputSize",
                                                     "OutputSize",
                                                     "gpuid",
                                                     "stage",
                                                     "tpflag"};

/// The whole text as a number in decimal; a leading plus is allowed, as in the published program.
template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads one of the two files: knows its columns and speaks of them in errors.
class CsvTable {
 public:
  CsvTable(std::istream& in, std::string file, std::span<const std::string_view> columns)
      : records_{in, std::move(file)}, columns_{columns} {
    if (!records_.next()) throw TraceError::in_file(records_.file(), "found nothing, expected a header and rows");
    width_ = records_.fields().size();
    if (width_ < columns_.size())
      throw records_.error("header", "found " + std::to_string(width_) + " columns, expected at least " +
                                         std::to_string(columns_.size()) + ", " + std::string{columns_.front()} +
                                         " to " + std::string{columns_.back()});
    if (parse_number<std::int64_t>(records_.fields()[0]))
      throw records_.error("header", "found a row of data, expected a line of column names");
  }

  bool next() {
    if (!records_.next()) return false;
    if (records_.fields().size() != width_)
      throw records_.error("row", "found " + std::to_string(records_.fields().size()) + " columns, expected " +
                                      std::to_string(width_) + " as in the header");
    return true;
  }

  std::string_view text(std::size_t column) const noexcept { return records_.fields()[column]; }

  template <class Integer>
  Integer integer(std::size_t column, std::string_view expected,
                  Integer least = std::numeric_limits<Integer>::min()) const {
    const auto value = parse_number<Integer>(text(column));
    if (!value || *value < least) throw wrong(column, text(column), expected);
    return *value;
  }

  double microseconds(std::size_t column) const {
    const auto value = parse_number<double>(text(column));
    if (!value || !(*value >= 0 && *value <= TraceBuilder::max_microseconds))
      throw wrong(column, text(column), "a duration in microseconds, 0 to 4.6e12");
    return *value + 0.0; // -0 becomes 0
  }

  /// Calls `item` with each entry of a list: optional square brackets, semicolons, all blanks dropped, optional single
  /// quotes around each entry.
  template <class Item>
  void list(std::size_t column, Item&& item) {
    std::string_view left = text(column);
    if (left.find_first_of(" \t") != std::string_view::npos) {
      plain_.assign(left);
      plain_.erase(std::remove_if(plain_.begin(), plain_.end(), [](char c) { return c == ' ' || c == '\t'; }),
                   plain_.end());
      left = plain_;
    }
    const bool opens = !left.empty() && left.front() == '[';
    const bool closes = left.size() > (opens ? 1U : 0U) && left.back() == ']';
    if (opens != closes) throw wrong(column, text(column), "a list such as [4; 6; 8]");
    if (opens) left = left.substr(1, left.size() - 2);
    if (left.empty()) return;
    for (;;) {
      const std::size_t size = std::min(left.find(';'), left.size());
      std::string_view entry = left.substr(0, size);
      if (entry.size() >= 2 && entry.front() == '\'' && entry.back() == '\'') entry = entry.substr(1, entry.size() - 2);
      item(entry);
      if (size == left.size()) return;
      left.remove_prefix(size + 1);
    }
  }

  TraceError wrong(std::size_t column, std::string_view found, std::string_view expected) const {
    return records_.error(columns_[column], "found " + (found.empty() ? std::string{"nothing"} : excerpt(found)) +
                                                ", expected " + std::string{expected});
  }
  TraceError error(std::string_view problem) const { return records_.error({}, problem); }
  const std::string& file() const noexcept { return records_.file(); }

 private:
  CsvRecords records_;
  std::span<const std::string_view> columns_;
  std::size_t width_ = 0;
  std::string plain_;
};

/// A text such as `[128, 3, 224, 224]`. The published program does not look at it, so that other texts are no shape
/// rather than an error.
inline void parse_shape(std::string_view text, std::vector<std::int64_t>& shape) {
  shape.clear();
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return;
  text = text.substr(1, text.size() - 2);
  for (;;) {
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
    const std::size_t size = std::min(text.find_first_of(",;"), text.size());
    const auto dimension = parse_number<std::int64_t>(text.substr(0, size));
    if (!dimension || *dimension < 0) return shape.clear();
    shape.push_back(*dimension);
    if (size == text.size()) return;
    text.remove_prefix(size + 1);
  }
}

inline void read_tensors(CsvTable& table, TraceBuilder& builder) {
  std::vector<std::int64_t> shape;
  while (table.next()) {
    table.integer<std::int64_t>(0, "an integer");
    const std::string_view name = table.text(1);
    if (name.empty()) throw table.wrong(1, name, "the id of a tensor");
    parse_shape(table.text(2), shape);
    const auto elements = table.integer<std::int64_t>(3, "a number of elements, 0 to 9223372036854775807", 0);
    const auto element_bytes = table.integer<std::uint32_t>(4, "a number of bytes per element, 0 to 4294967295");
    table.integer<std::int64_t>(7, "an integer");
    try {
      builder.tensor({.name = name,
                      .elements = static_cast<std::uint64_t>(elements),
                      .element_bytes = element_bytes,
                      .type = parse_tensor_type(table.text(5)),
                      // 0 is PyTorch's storage of a tensor that is not there.
                      .storage = table.text(6) == "0" ? std::string_view{} : table.text(6),
                      .shape = shape});
    } catch (const ConfigError&) {
      throw table.wrong(3, table.text(3), "a size of at most 4 EiB");
    }
  }
}

inline void read_layers(CsvTable& table, TraceBuilder& builder, std::string_view tensor_file) {
  std::vector<TensorIndex> inputs, outputs;
  const auto tensors = [&](std::size_t column, std::vector<TensorIndex>& list) {
    list.clear();
    table.list(column, [&](std::string_view id) {
      const auto index = builder.find_tensor(id);
      if (!index) throw table.wrong(column, id, "ids of " + std::string{tensor_file} + " separated by semicolons");
      list.push_back(*index);
    });
  };
  const auto sizes = [&](std::size_t column) {
    std::size_t count = 0;
    table.list(column, [&](std::string_view size) {
      const auto elements = parse_number<std::int64_t>(size);
      if (!elements || *elements < 0) throw table.wrong(column, size, "numbers of elements separated by semicolons");
      ++count;
    });
    return count;
  };
  while (table.next()) {
    LayerRow row;
    row.id = table.integer<std::int64_t>(0, "an integer");
    row.name = table.text(1);
    tensors(2, inputs);
    tensors(3, outputs);
    row.inputs = inputs;
    row.outputs = outputs;
    // Not a part of any result, so that a file may leave it out.
    if (!table.text(4).empty()) row.span_microseconds = table.microseconds(4);
    row.microseconds = table.microseconds(5);
    const std::size_t input_sizes = sizes(6), output_sizes = sizes(7);
    row.sizes_complete = input_sizes >= inputs.size() && output_sizes >= outputs.size();
    table.integer<std::int64_t>(8, "an integer");
    const auto stage = parse_stage(table.text(9));
    if (!stage) throw table.wrong(9, table.text(9), "forward, backward or optimizer");
    row.stage = *stage;
    row.tensor_parallel = table.integer<std::int64_t>(10, "0 or 1") == 1;
    try {
      builder.layer(row);
    } catch (const ConfigError& e) {
      throw table.error(e.what());
    }
  }
  if (builder.layer_count() == 0) throw TraceError::in_file(table.file(), "found no layers, expected at least one row");
}

inline std::ifstream open_for_reading(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw TraceError::in_file(file.string(), "cannot be opened: " + std::generic_category().message(errno));
  return in;
}

} // namespace detail

/// Reads the two tables from streams; the names are for error messages. See `read_csv(directory)`.
inline Trace read_csv(std::istream& tensors, std::istream& layers, const std::string& tensor_file = "tensor.csv",
                      const std::string& layer_file = "trace.csv") {
  TraceBuilder builder;
  {
    detail::CsvTable table{tensors, tensor_file, detail::tensor_columns};
    detail::read_tensors(table, builder);
  }
  detail::CsvTable table{layers, layer_file, detail::layer_columns};
  detail::read_layers(table, builder, tensor_file);
  return builder.build();
}

/// Reads `tensor.csv` and `trace.csv` of a directory: the format of the published TrioSim's traces.
///
/// Columns are found by position; the header is not looked at but for its width and that it is none of the data.
/// Strict where a value counts: a stage that is not one of three, a duration that is negative, infinite or no number, a
/// tensor that is not declared, a size that is negative or too big throw `TraceError`. Lists of element counts that are
/// too short are accepted and noted in `Layer::sizes_complete`, since most rules do without.
inline Trace read_csv(const std::filesystem::path& directory) {
  const std::filesystem::path tensor_file = directory / "tensor.csv", layer_file = directory / "trace.csv";
  std::ifstream tensors = detail::open_for_reading(tensor_file);
  std::ifstream layers = detail::open_for_reading(layer_file);
  return read_csv(tensors, layers, tensor_file.string(), layer_file.string());
}

} // namespace triosim::trace
