#pragma once

#include "triosim/error.hpp"
#include "triosim/mesh.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::symbolic::physical {

/// The axes along which the ranks of a stage differ, as bits of a set.
using AxisSet = std::uint8_t;
inline constexpr std::array<std::string_view, 4> spatial_axes{"dp", "tp", "cp", "ep"};

/// What is computed a second time in the backward pass instead of being kept.
enum class Recompute : std::uint8_t {
  none,
  selective, ///< the core of attention: cheap to compute, large to keep
  full       ///< whole layers, from their inputs
};

enum class Schedule : std::uint8_t {
  data_flow,  ///< whatever is ready, in the order of 1F1B where there is a choice
  gpipe,      ///< all forward passes, then all backward passes
  one_f_one_b ///< one forward, one backward; interleaved where a rank has several chunks
};

/// Bytes of one element.
struct Precision {
  double value = 2;      ///< weights, activations
  double gradient = 4;   ///< sums of gradients, which are also what is reduced
  double optimizer = 12; ///< what the optimizer keeps of a parameter: master copy and two moments

  static constexpr Precision half() { return {2, 4, 12}; }
  static constexpr Precision single() { return {4, 4, 8}; }
};

/// How a step is split. Ranks number dp x tp x cp x ep x pp; ranks along ep have tokens of their own outside the
/// experts, so the batch is cut over dp x ep.
struct Plan {
  std::uint32_t dp = 1, tp = 1, cp = 1, ep = 1, pp = 1;
  /// Chunks of layers that a rank of the pipeline has (interleaved schedule).
  std::uint32_t chunks = 1;
  /// Sequences of a step and of a micro-batch, of all ranks together.
  std::int64_t batch = 1, micro_batch = 1;
  /// Between parallel parts, split the sequence over tp (sequence parallel) rather than repeat it.
  bool split_sequence = true;
  /// 0: nothing is sharded over the ranks that reduce gradients together; 1: the optimizer; 2: gradients too; 3:
  /// weights too.
  int zero = 0;
  Recompute recompute = Recompute::none;
  Schedule schedule = Schedule::one_f_one_b;
  Precision precision;
  /// From the fastest coordinate of a rank to the slowest.
  std::array<std::string_view, 5> order{"tp", "cp", "ep", "dp", "pp"};

  std::uint32_t size(std::string_view axis) const {
    if (axis == "dp") return dp;
    if (axis == "tp") return tp;
    if (axis == "cp") return cp;
    if (axis == "ep") return ep;
    return pp;
  }
  std::int64_t micro_batches() const noexcept { return batch / micro_batch; }

  /// Throws `ConfigError` for sizes of zero and batches that do not divide.
  void validate() const {
    for (std::string_view axis : order)
      if (size(axis) == 0) throw ConfigError{std::string{axis}, "0", "at least 1"};
    if (batch < 1) throw ConfigError{"batch", std::to_string(batch), "at least 1"};
    if (micro_batch < 1 || batch % micro_batch != 0)
      throw ConfigError{"micro_batch", std::to_string(micro_batch), "a divisor of the batch, " + std::to_string(batch)};
    if (micro_batches() > 1'000'000)
      throw ConfigError{"micro_batch", std::to_string(micro_batch), "at most a million micro-batches"};
    const auto sequences = static_cast<std::int64_t>(dp) * ep;
    if (micro_batch % sequences != 0)
      throw ConfigError{"micro_batch", std::to_string(micro_batch),
                        "a multiple of " + std::to_string(sequences) + ", the data-parallel ranks (dp times ep)"};
    if (chunks == 0) throw ConfigError{"chunks", "0", "at least 1"};
    if (chunks > 1 && pp == 1) throw ConfigError{"chunks", std::to_string(chunks), "1, as there is one stage"};
    if (chunks > 1 && schedule == Schedule::gpipe)
      throw ConfigError{"schedule", "gpipe", "1f1b for several chunks a rank"};
    if (chunks > 1 && micro_batches() % pp != 0)
      throw ConfigError{"micro_batch", std::to_string(micro_batch),
                        "a number of micro-batches that the " + std::to_string(pp) +
                            " stages divide (interleaved schedule)"};
    if (zero < 0 || zero > 3) throw ConfigError{"zero", std::to_string(zero), "0 to 3"};
  }

  DeviceMesh mesh() const {
    std::vector<Axis> axes;
    for (std::string_view axis : order)
      axes.push_back({std::string{axis}, size(axis)});
    return DeviceMesh{std::move(axes)};
  }
};

} // namespace triosim::symbolic::physical
