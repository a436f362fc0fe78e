#pragma once

#include "triosim/trace/string_pool.hpp"
#include "triosim/trace/vocabulary.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::trace {

/// The number of a tensor within its trace: 0, 1, 2, ... in order of first appearance.
using TensorIndex = std::uint32_t;

inline constexpr std::uint32_t no_storage = static_cast<std::uint32_t>(-1);

/// One tensor of a trace. Views point into the trace that it came from.
struct Tensor {
  /// The id of the file. A text: numbers in practice, but the classic rules compare ids as texts.
  std::string_view name;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 0;
  /// `elements * element_bytes`.
  Bytes bytes;
  /// How the last row of the file that has this tensor calls it. The optimizer's rows come last, so that most weights
  /// end as `Input`; `types` has the whole story.
  TensorType type = TensorType::Unknown;
  /// Everything that any row calls it.
  TensorTypes types;
  /// Tensors with the same storage share memory (views, in-place results); `no_storage` if the trace does not say.
  std::uint32_t storage = no_storage;
  /// Empty for scalars and where the trace does not say.
  std::span<const std::int64_t> shape;
};

/// One layer (operator) of a trace, in order of execution. Views point into the trace that it came from.
struct Layer {
  /// Unique in a sound trace, but need not be contiguous nor ascend.
  std::int64_t id = 0;
  std::string_view name;
  /// May hold a tensor more than once; repeats count twice in the sizes of messages.
  std::span<const TensorIndex> inputs;
  std::span<const TensorIndex> outputs;
  /// The recorded duration: the sum of its kernels, without the gaps between them.
  Time time;
  /// The same as the file has it, in microseconds, for rules that scale it as a floating-point number.
  double microseconds = 0;
  /// From the start of its first kernel to the end of its last, in microseconds.
  double span_microseconds = 0;
  Stage stage = Stage::Forward;
  /// The tracer marks it as one that tensor parallelism splits.
  bool tensor_parallel = false;
  /// The file's lists of element counts were as long as the lists of tensors. The classic rules cannot split or
  /// cut up a layer without.
  bool sizes_complete = true;
};

/// What one device did in one training step: layers in order, each with its tensors, its measured time and its stage.
/// Immutable and shared: a copy costs one reference count, and views into a trace live as long as any copy of it.
/// Made by `TraceBuilder`, `read_csv` and the other readers, which see to it that every sum below fits its type.
class Trace {
 public:
  Trace() : Trace{std::make_shared<const Data>()} {}

  std::span<const Layer> layers() const noexcept { return data_->layers; }
  std::span<const Tensor> tensors() const noexcept { return data_->tensors; }
  const Layer& layer(std::size_t index) const noexcept { return data_->layers[index]; }
  const Tensor& tensor(TensorIndex index) const noexcept { return data_->tensors[index]; }
  bool empty() const noexcept { return data_->layers.empty(); }

  std::optional<TensorIndex> find_tensor(std::string_view name) const noexcept {
    return data_->tensor_names.find(name);
  }
  /// The storage's own id in the file; empty for `no_storage`.
  std::string_view storage_name(std::uint32_t storage) const noexcept {
    return storage == no_storage ? std::string_view{} : data_->storage_names[storage];
  }

  std::size_t layer_count(Stage stage) const noexcept { return data_->count[at(stage)]; }
  Time time(Stage stage) const noexcept { return data_->time[at(stage)]; }
  Time time() const noexcept { return time(Stage::Forward) + time(Stage::Backward) + time(Stage::Optimizer); }
  /// The sum of the recorded durations in file order.
  double microseconds(Stage stage) const noexcept { return data_->microseconds[at(stage)]; }

  /// Together; a tensor that is listed twice counts twice.
  Bytes bytes(std::span<const TensorIndex> list) const noexcept {
    Bytes sum;
    for (const TensorIndex tensor : list)
      sum += data_->tensors[tensor].bytes;
    return sum;
  }

  /// True if each layer's id is greater than the one before it.
  bool ids_ascend() const noexcept {
    return std::adjacent_find(data_->layers.begin(), data_->layers.end(),
                              [](const Layer& a, const Layer& b) { return a.id >= b.id; }) == data_->layers.end();
  }

  /// Equal layers with equal tensors, whatever the numbers of tensors and storages are.
  friend bool operator==(const Trace& a, const Trace& b) noexcept { return a.data_ == b.data_ || a.equals(b); }

 private:
  friend class TraceBuilder;

  struct Data {
    StringPool tensor_names;
    StringPool operator_names;
    StringPool storage_names;
    std::vector<Tensor> tensors;
    std::vector<Layer> layers;
    std::vector<TensorIndex> uses;
    std::vector<std::int64_t> dimensions;
    std::array<Time, stage_count> time{};
    std::array<double, stage_count> microseconds{};
    std::array<std::size_t, stage_count> count{};
  };

  explicit Trace(std::shared_ptr<const Data> data) noexcept : data_{std::move(data)} {}

  static constexpr std::size_t at(Stage stage) noexcept { return static_cast<std::size_t>(stage); }

  bool equals(const Trace& other) const noexcept {
    const auto same_tensor = [&](const Tensor& a, const Tensor& b) {
      return a.name == b.name && a.elements == b.elements && a.element_bytes == b.element_bytes && a.type == b.type &&
             a.types == b.types && std::ranges::equal(a.shape, b.shape) &&
             (a.storage == no_storage) == (b.storage == no_storage) &&
             storage_name(a.storage) == other.storage_name(b.storage);
    };
    const auto same_use = [&](TensorIndex a, TensorIndex b) { return tensor(a).name == other.tensor(b).name; };
    const auto same_layer = [&](const Layer& a, const Layer& b) {
      return a.id == b.id && a.name == b.name && a.microseconds == b.microseconds &&
             a.span_microseconds == b.span_microseconds && a.stage == b.stage &&
             a.tensor_parallel == b.tensor_parallel && a.sizes_complete == b.sizes_complete &&
             std::ranges::equal(a.inputs, b.inputs, same_use) && std::ranges::equal(a.outputs, b.outputs, same_use);
    };
    return tensors().size() == other.tensors().size() &&
           std::ranges::all_of(tensors(),
                               [&](const Tensor& a) {
                                 const auto twin = other.find_tensor(a.name);
                                 return twin && same_tensor(a, other.tensor(*twin));
                               }) &&
           std::ranges::equal(layers(), other.layers(), same_layer);
  }

  std::shared_ptr<const Data> data_;
};

} // namespace triosim::trace

namespace triosim {
using trace::Trace;
}
