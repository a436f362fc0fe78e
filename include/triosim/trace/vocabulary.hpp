#pragma once

#include "triosim/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace triosim::trace {

using triosim::Stage;
using triosim::to_string;

inline constexpr std::size_t stage_count = 3;

/// Exact and case sensitive, as in the CSV format; nothing for any other text.
constexpr std::optional<Stage> parse_stage(std::string_view text) noexcept {
  for (const Stage stage : {Stage::Forward, Stage::Backward, Stage::Optimizer})
    if (to_string(stage) == text) return stage;
  return std::nullopt;
}

/// What an operator calls a tensor: the name of its argument in the operator's signature. `GradOutput` and `Gradient`
/// form the class of gradients; `Unknown` stands for every name that is not listed.
enum class TensorType : std::uint8_t {
  Unknown,
  Input,
  Output,
  Weight,
  Bias,
  GradOutput,
  Gradient,
  RunningMean,
  RunningVar,
  SaveMean,
  SaveVar,
  Mean,
  Rstd,
  TotalWeight,
  Activation,
  Mat2,
  Target,
  Indices,
  Mask,
  Other,
  ReserveSpace,
};

inline constexpr std::size_t tensor_type_count = 21;

namespace detail {
inline constexpr std::string_view tensor_type_names[tensor_type_count] = {
    "unknown",      "input",       "output",    "weight",   "bias", "grad_output", "grad",
    "running_mean", "running_var", "save_mean", "save_var", "mean", "rstd",        "total_weight",
    "activation",   "mat2",        "target",    "indices",  "mask", "other",       "reserveSpace"};
}

/// The spelling of the CSV format.
constexpr std::string_view to_string(TensorType type) noexcept {
  return detail::tensor_type_names[static_cast<std::size_t>(type)];
}

/// Every text has a type: what is not listed is `Unknown`. The tracer leaves default values attached to the names of
/// arguments (`bias=None`); they are cut off.
constexpr TensorType parse_tensor_type(std::string_view text) noexcept {
  text = text.substr(0, text.find('='));
  for (std::size_t i = 1; i < tensor_type_count; ++i)
    if (detail::tensor_type_names[i] == text) return static_cast<TensorType>(i);
  return TensorType::Unknown;
}

constexpr bool is_gradient(TensorType type) noexcept {
  return type == TensorType::GradOutput || type == TensorType::Gradient;
}

/// A set of tensor types.
class TensorTypes {
 public:
  constexpr TensorTypes() noexcept = default;
  constexpr void insert(TensorType type) noexcept { bits_ |= bit(type); }
  constexpr bool contains(TensorType type) const noexcept { return (bits_ & bit(type)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr bool operator==(TensorTypes, TensorTypes) noexcept = default;

 private:
  static constexpr std::uint32_t bit(TensorType type) noexcept { return 1U << static_cast<unsigned>(type); }
  std::uint32_t bits_ = 0;
};

/// Where a tensor stands in the memory of a device: room is kept for it, it has arrived and waits to be used, a layer
/// has used it (only then may it be evicted), or it is there for good because another device sent it.
enum class MemoryStatus : std::uint8_t { Allocated, ToBeUsed, Used, Available };

constexpr std::string_view to_string(MemoryStatus status) noexcept {
  switch (status) {
  case MemoryStatus::Allocated:
    return "allocated";
  case MemoryStatus::ToBeUsed:
    return "to be used";
  case MemoryStatus::Used:
    return "used";
  case MemoryStatus::Available:
    return "available";
  }
  return "allocated";
}

} // namespace triosim::trace
