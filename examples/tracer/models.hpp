#pragma once

#include "operators.hpp"

#include <cstdint>

namespace tracer {

/// Simonyan and Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition" (2015), configuration
/// B, as torchvision builds it: 133,047,848 parameters.
inline triosim::Trace vgg13(std::int64_t batch) {
  Tape t;
  Value x = t.tensor({batch, 3, 224, 224});
  bool is_data = true;
  for (const std::int64_t channels : {64, 128, 256, 512, 512}) {
    for (int i = 0; i < 2; ++i) {
      x = relu_(t, conv2d(t, x, channels, 3, 1, 1, true, is_data));
      is_data = false;
    }
    x = max_pool2d(t, x, 2, 2, 0);
  }
  x = flatten(t, adaptive_avg_pool2d(t, x, 7));
  for (const std::int64_t features : {4096, 4096, 1000}) {
    const Value w = t.parameter({features, t.shape(x)[1]}), b = t.parameter({features});
    x = linear(t, x, w, b, H100::fp32, H100::fp32_product);
    if (features != 1000) x = dropout(t, relu_(t, x));
  }
  cross_entropy_loss(t, x);
  return t.finish();
}

/// He et al., "Deep Residual Learning for Image Recognition" (2016), 50 layers, the stride in the 3x3 convolution as
/// torchvision has it: 25,557,032 parameters.
inline triosim::Trace resnet50(std::int64_t batch) {
  Tape t;
  Value x = t.tensor({batch, 3, 224, 224});
  x = relu_(t, batch_norm(t, conv2d(t, x, 64, 7, 2, 3, false, true)));
  x = max_pool2d(t, x, 3, 2, 1);
  const struct {
    std::int64_t width;
    int blocks;
  } stages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};
  for (const auto& stage : stages)
    for (int block = 0; block < stage.blocks; ++block) {
      const std::int64_t stride = block == 0 && stage.width != 64 ? 2 : 1;
      Value y = relu_(t, batch_norm(t, conv2d(t, x, stage.width, 1, 1, 0, false)));
      y = relu_(t, batch_norm(t, conv2d(t, y, stage.width, 3, stride, 1, false)));
      y = batch_norm(t, conv2d(t, y, 4 * stage.width, 1, 1, 0, false));
      const Value shortcut = block == 0 ? batch_norm(t, conv2d(t, x, 4 * stage.width, 1, stride, 0, false)) : x;
      x = relu_(t, add_(t, y, shortcut));
    }
  x = flatten(t, adaptive_avg_pool2d(t, x, 1));
  const Value w = t.parameter({1000, 2048}), b = t.parameter({1000});
  cross_entropy_loss(t, linear(t, x, w, b, H100::fp32, H100::fp32_product));
  return t.finish();
}

/// Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), the smallest model: 124,439,808
/// parameters, the output layer tied to the table of tokens. `batch` sequences of 1024 tokens, products in TF32, fused
/// attention, no dropout.
inline triosim::Trace gpt2(std::int64_t batch) {
  constexpr std::int64_t tokens = 1024, features = 768, vocabulary = 50257, heads = 12;
  Tape t;
  const Value ids = t.tensor({batch, tokens}, 8), positions = t.tensor({tokens}, 8);
  const Value table = t.parameter({vocabulary, features}), places = t.parameter({tokens, features});
  const auto dense = [&](Value x, std::int64_t to) {
    const Value w = t.parameter({to, t.shape(x).back()}), b = t.parameter({to});
    return linear(t, x, w, b, H100::tf32, H100::tf32_product);
  };
  Value x = embedding(t, table, ids);
  x = add(t, x, embedding(t, places, positions));
  for (int block = 0; block < 12; ++block) {
    x = add(t, x, dense(attention(t, dense(layer_norm(t, x), 3 * features), heads), features));
    x = add(t, x, dense(gelu(t, dense(layer_norm(t, x), 4 * features)), features));
  }
  cross_entropy_loss(t, linear(t, layer_norm(t, x), table, nothing, H100::tf32, H100::tf32_product));
  return t.finish();
}

} // namespace tracer
