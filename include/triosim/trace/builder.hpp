#pragma once

#include "triosim/error.hpp"
#include "triosim/trace/trace.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::trace {

/// One use of a tensor, as a row of tensor.csv says it.
struct TensorUse {
  std::string_view name;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 4;
  TensorType type = TensorType::Unknown;
  /// The storage's own id; empty if not known.
  std::string_view storage{};
  std::span<const std::int64_t> shape{};
};

/// One layer, as a row of trace.csv says it.
struct LayerRow {
  std::int64_t id = 0;
  std::string_view name;
  std::span<const TensorIndex> inputs{};
  std::span<const TensorIndex> outputs{};
  double microseconds = 0;
  /// Negative: the same as `microseconds`.
  double span_microseconds = -1;
  Stage stage = Stage::Forward;
  bool tensor_parallel = false;
  bool sizes_complete = true;
};

/// Puts a trace together: first the tensors, one call for each use (the last one wins), then the layers in order.
/// Every call throws `ConfigError` for a value that no step can have: a duration that is not a number, is negative or
/// too long, more bytes than can be counted, a tensor that was not declared. What is thrown leaves the builder as it
/// was.
class TraceBuilder {
 public:
  /// The longest step that a trace may have: 53 days, so that sums of two still fit `Time`.
  static constexpr double max_microseconds = 4.6e12;
  /// The most bytes that all layers together may touch: 4 EiB, so that no sum of sizes can wrap round.
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 62;

  TensorIndex tensor(const TensorUse& use) {
    if (use.element_bytes != 0 && use.elements > max_bytes / use.element_bytes)
      throw ConfigError{"size of tensor " + std::string{use.name}, std::to_string(use.elements), "at most 4 EiB"};
    const TensorIndex index = data_->tensor_names.intern(use.name);
    if (index == data_->tensors.size()) {
      data_->tensors.emplace_back().name = data_->tensor_names[index];
      shapes_.emplace_back();
    }
    Tensor& tensor = data_->tensors[index];
    tensor.elements = use.elements;
    tensor.element_bytes = use.element_bytes;
    tensor.bytes = Bytes{use.elements * use.element_bytes};
    tensor.type = use.type;
    tensor.types.insert(use.type);
    tensor.storage = use.storage.empty() ? no_storage : data_->storage_names.intern(use.storage);
    set_shape(shapes_[index], use.shape);
    return index;
  }

  std::optional<TensorIndex> find_tensor(std::string_view name) const noexcept {
    return data_->tensor_names.find(name);
  }
  std::size_t tensor_count() const noexcept { return data_->tensors.size(); }
  std::size_t layer_count() const noexcept { return data_->layers.size(); }

  void layer(const LayerRow& row) {
    const double span = row.span_microseconds < 0 ? row.microseconds : row.span_microseconds;
    check_duration(row, row.microseconds);
    check_duration(row, span);
    if (!(total_microseconds_ + row.microseconds <= max_microseconds))
      throw ConfigError{"duration of layer " + std::to_string(row.id), number(row.microseconds) + " us",
                        "less than 53 days for all layers together"};
    const std::uint64_t touched = checked_bytes(row);

    const std::size_t begin = data_->uses.size();
    data_->uses.insert(data_->uses.end(), row.inputs.begin(), row.inputs.end());
    data_->uses.insert(data_->uses.end(), row.outputs.begin(), row.outputs.end());
    uses_.push_back({begin, row.inputs.size(), row.outputs.size()});

    Layer& layer = data_->layers.emplace_back();
    layer.id = row.id;
    layer.name = data_->operator_names[data_->operator_names.intern(row.name)];
    layer.time = Time{std::llround(row.microseconds * 1e6)};
    layer.microseconds = row.microseconds;
    layer.span_microseconds = span;
    layer.stage = row.stage;
    layer.tensor_parallel = row.tensor_parallel;
    layer.sizes_complete = row.sizes_complete;

    const auto stage = static_cast<std::size_t>(row.stage);
    data_->time[stage] += layer.time;
    data_->microseconds[stage] += row.microseconds;
    data_->count[stage] += 1;
    total_microseconds_ += row.microseconds;
    total_bytes_ = touched;
  }

  /// The trace; the builder is empty afterwards.
  Trace build() {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const std::span<const TensorIndex> uses{data_->uses.data() + uses_[i].begin, uses_[i].inputs + uses_[i].outputs};
      data_->layers[i].inputs = uses.first(uses_[i].inputs);
      data_->layers[i].outputs = uses.subspan(uses_[i].inputs);
    }
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      data_->tensors[i].shape = shape(shapes_[i]);
    TraceBuilder finished = std::exchange(*this, TraceBuilder{});
    return Trace{std::move(finished.data_)};
  }

 private:
  struct Uses {
    std::size_t begin, inputs, outputs;
  };
  struct Shape {
    std::size_t begin = 0, rank = 0;
  };

  static std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }

  static void check_duration(const LayerRow& row, double microseconds) {
    if (!(microseconds >= 0 && microseconds <= max_microseconds))
      throw ConfigError{"duration of layer " + std::to_string(row.id), number(microseconds) + " us", "0 us to 53 days"};
  }

  std::uint64_t checked_bytes(const LayerRow& row) const {
    std::uint64_t sum = total_bytes_;
    for (const auto list : {row.inputs, row.outputs})
      for (const TensorIndex tensor : list) {
        if (tensor >= data_->tensors.size())
          throw ConfigError{"tensor of layer " + std::to_string(row.id), std::to_string(tensor),
                            "one of the " + std::to_string(data_->tensors.size()) + " tensors of the trace"};
        sum += data_->tensors[tensor].bytes.count();
        if (sum > max_bytes)
          throw ConfigError{"tensors of layer " + std::to_string(row.id), std::to_string(sum) + " bytes so far",
                            "at most 4 EiB in all layers together"};
      }
    return sum;
  }

  std::span<const std::int64_t> shape(Shape shape) const noexcept {
    return {data_->dimensions.data() + shape.begin, shape.rank};
  }

  // One row per use says the same shape again and again: kept once.
  void set_shape(Shape& known, std::span<const std::int64_t> dimensions) {
    if (std::ranges::equal(shape(known), dimensions)) return;
    known = {data_->dimensions.size(), dimensions.size()};
    data_->dimensions.insert(data_->dimensions.end(), dimensions.begin(), dimensions.end());
  }

  std::shared_ptr<Trace::Data> data_ = std::make_shared<Trace::Data>();
  std::vector<Uses> uses_;
  std::vector<Shape> shapes_;
  double total_microseconds_ = 0;
  std::uint64_t total_bytes_ = 0;
};

} // namespace triosim::trace
