#pragma once

#include "triosim/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace triosim {

/// The part of a training step that an operator belongs to.
enum class Stage : std::uint8_t { Forward, Backward, Optimizer };

constexpr std::string_view to_string(Stage stage) noexcept {
  switch (stage) {
  case Stage::Forward:
    return "forward";
  case Stage::Backward:
    return "backward";
  case Stage::Optimizer:
    return "optimizer";
  }
  return "";
}

/// What a time model is asked about: one compute task of one rank. A field that the source of the work does not know
/// is absent or zero, and a model that needs it answers that it does not know.
struct Operation {
  std::string_view name;
  Stage stage = Stage::Forward;
  /// What the whole operator took on one device, at the batch of the trace.
  std::optional<Time> recorded;
  /// Samples of this task over the samples of the trace: of a micro-batch, its own.
  double batch_ratio = 1;
  /// The part of the operator that this task does: 1/N where N ranks split it.
  double share = 1;
  /// Arithmetic of this task as it stands (batch and share included).
  Flops flops{};
  /// Memory traffic of this task as it stands.
  Bytes bytes{};
};

} // namespace triosim
