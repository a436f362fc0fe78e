#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tracer {

/// An NVIDIA H100 SXM5 80 GB as a roofline.
///
/// Peaks: NVIDIA H100 Tensor Core GPU data sheet (2023), dense: FP32 66.9 TFLOP/s, TF32 494.7 TFLOP/s, HBM3 3.35 TB/s.
/// The factors below are of our choice. They were set by hand so that the sums of the stages of VGG-13 and ResNet-50
/// come near those of the H100 traces that TrioSim publishes; README.md of sample_trace/ says how near.
struct H100 {
  static constexpr double fp32 = 66.9e12;
  static constexpr double tf32 = 494.7e12;
  static constexpr double memory = 3.35e12;

  /// What a kernel takes however little it does, in seconds.
  static constexpr double kernel = 1.5e-6;
  /// Streaming kernels reach nine tenths of the peak.
  static constexpr double streaming = 0.9;
  /// Kernels with several passes over channels, and kernels over many small tensors, reach less.
  static constexpr double normalisation = 0.65, multi_tensor = 0.8;
  /// Matrix products in FP32 (PyTorch's default for linear layers) and in TF32.
  static constexpr double fp32_product = 0.6, tf32_product = 0.6;
  /// Fused attention.
  static constexpr double attention = 0.3;

  /// Convolutions use TF32 (PyTorch's default). Few channels leave tensor cores idle: half of the best is reached with
  /// 260 of them; less than 8 are padded.
  static constexpr double convolution(std::int64_t channels_in, std::int64_t channels_out) {
    const auto channels = static_cast<double>(std::max<std::int64_t>(8, std::min(channels_in, channels_out)));
    return 0.9 * channels / (channels + 260);
  }
};

/// What a layer does.
struct Work {
  double flops = 0;
  /// Reached operations per second.
  double rate = 1;
  double bytes = 0;
  /// Reached part of the memory bandwidth.
  double streaming = H100::streaming;
  int kernels = 1;

  /// Either the arithmetic or the memory bounds it. To the nanosecond, so that every compiler gives the same text.
  double microseconds() const {
    const double bound = std::max(flops / rate, bytes / (H100::memory * streaming));
    return std::round((bound + kernels * H100::kernel) * 1e9) / 1e3;
  }
};

} // namespace tracer
