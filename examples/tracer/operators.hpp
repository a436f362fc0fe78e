#pragma once

#include "tape.hpp"

#include <cstdint>
#include <string>

/// The operators of PyTorch that the models need: each notes its forward layer with its cost, and its backward node.
/// A multiply-add counts as two operations. Memory traffic counts every tensor once for each time that a kernel reads
/// or writes it.
namespace tracer {

inline Value conv2d(Tape& t, Value x, std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding, bool bias, bool is_data = false) {
  const Shape s = t.shape(x);
  const auto out = [&](std::int64_t size) { return (size + 2 * padding - kernel) / stride + 1; };
  const Value w = t.parameter({channels, s[1], kernel, kernel});
  const Value b = bias ? t.parameter({channels}) : nothing;
  const Value y = t.tensor({s[0], channels, out(s[2]), out(s[3])});
  const double flops = 2 * t.elements(y) * static_cast<double>(s[1] * kernel * kernel);
  const double rate = H100::tf32 * H100::convolution(s[1], channels);
  const int kernels = bias ? 2 : 1;
  t.forward("conv2d", {{x, TensorType::Input}, {w, TensorType::Weight}, {b, TensorType::Bias}}, {y},
            {.flops = flops, .rate = rate, .bytes = t.bytes({x, w, b, y}), .kernels = kernels}, true);
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    // One convolution for the weight, one for the input unless that is data; each a little slower than the forward one.
    const double products = is_data ? 1 : 2;
    t.backward("Convolution", {{g, TensorType::GradOutput}, {x, TensorType::Input}, {w, TensorType::Weight}},
               {is_data ? nothing : x, w, b},
               {.flops = products * flops,
                .rate = 0.8 * rate,
                .bytes = products * t.bytes({g, x, w}) + (bias ? t.bytes(g) : 0),
                .kernels = 1 + kernels},
               true);
  });
  return y;
}

inline Value linear(Tape& t, Value x, Value w, Value b, double peak, double efficiency) {
  const std::int64_t features = t.shape(w)[0];
  Shape s = t.shape(x);
  const double flops = 2 * t.elements(x) * static_cast<double>(features);
  s.back() = features;
  const Value y = t.tensor(s);
  const double rate = peak * efficiency;
  t.forward("linear", {{x, TensorType::Input}, {w, TensorType::Weight}, {b, TensorType::Bias}}, {y},
            {.flops = flops, .rate = rate, .bytes = t.bytes({x, w, b, y})}, true);
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward(b == nothing ? "Mm" : "Addmm",
               {{g, TensorType::GradOutput}, {x, TensorType::Input}, {w, TensorType::Weight}}, {x, w, b},
               {.flops = 2 * flops,
                .rate = rate,
                .bytes = 2 * t.bytes({g, x, w}) + (b == nothing ? 0 : t.bytes(g)),
                .kernels = b == nothing ? 2 : 3},
               true);
  });
  return y;
}

inline Value batch_norm(Tape& t, Value x) {
  const Shape channels{t.shape(x)[1]};
  const Value w = t.parameter(channels), b = t.parameter(channels);
  const Value mean = t.tensor(channels), variance = t.tensor(channels), count = t.tensor({}, 8);
  const Value save_mean = t.tensor(channels), save_variance = t.tensor(channels), y = t.tensor(t.shape(x));
  t.forward("add_", {{count, TensorType::Input}}, {count}, {.bytes = 16});
  t.forward("batch_norm",
            {{x, TensorType::Input},
             {w, TensorType::Weight},
             {b, TensorType::Bias},
             {mean, TensorType::RunningMean},
             {variance, TensorType::RunningVar}},
            {y}, {.bytes = t.bytes({x, x, y}), .streaming = H100::normalisation});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward("CudnnBatchNorm",
               {{x, TensorType::Input},
                {g, TensorType::GradOutput},
                {w, TensorType::Weight},
                {mean, TensorType::RunningMean},
                {variance, TensorType::RunningVar},
                {save_mean, TensorType::SaveMean},
                {save_variance, TensorType::SaveVar}},
               {x, w, b}, {.bytes = t.bytes({x, g, x, g, x}), .streaming = H100::normalisation});
  });
  return y;
}

inline Value layer_norm(Tape& t, Value x) {
  const Shape s = t.shape(x), features{s.back()}, rows(s.begin(), s.end() - 1);
  const Value w = t.parameter(features), b = t.parameter(features), mean = t.tensor(rows), rstd = t.tensor(rows);
  const Value y = t.tensor(s);
  t.forward("layer_norm", {{x, TensorType::Input}, {w, TensorType::Weight}, {b, TensorType::Bias}}, {y},
            {.bytes = t.bytes({x, y})});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward("NativeLayerNorm",
               {{g, TensorType::GradOutput},
                {x, TensorType::Input},
                {mean, TensorType::Mean},
                {rstd, TensorType::Rstd},
                {w, TensorType::Weight},
                {b, TensorType::Bias}},
               {x, w, b}, {.bytes = t.bytes({g, x, g, x, x}), .kernels = 2});
  });
  return y;
}

/// In place.
inline Value relu_(Tape& t, Value x) {
  t.forward("relu_", {{x, TensorType::Input}}, {x}, {.bytes = t.bytes({x, x})});
  t.on_backward([=, &t] {
    const Value g = t.gradient(x), before = t.tensor(t.shape(x));
    t.layer(Stage::Backward, "autograd::engine::evaluate_function: ReluBackward0",
            {{g, TensorType::GradOutput}, {x, TensorType::Input}}, {before}, {.bytes = t.bytes({g, x, before})});
    t.set_gradient(x, before);
  });
  return x;
}

inline Value gelu(Tape& t, Value x) {
  const Value y = t.tensor(t.shape(x));
  t.forward("gelu", {{x, TensorType::Input}}, {y}, {.bytes = t.bytes({x, y})});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward("Gelu", {{g, TensorType::GradOutput}, {x, TensorType::Input}}, {x}, {.bytes = t.bytes({g, x, x})});
  });
  return y;
}

inline Value dropout(Tape& t, Value x) {
  const Value y = t.tensor(t.shape(x)), mask = t.tensor(t.shape(x), 1);
  t.forward("dropout", {{x, TensorType::Input}}, {y}, {.bytes = t.bytes({x, y, mask})});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward("NativeDropout", {{g, TensorType::GradOutput}, {mask, TensorType::Mask}}, {x},
               {.bytes = t.bytes({g, mask, x})});
  });
  return y;
}

inline Value max_pool2d(Tape& t, Value x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  const Shape s = t.shape(x);
  const auto out = [&](std::int64_t size) { return (size + 2 * padding - kernel) / stride + 1; };
  const Value y = t.tensor({s[0], s[1], out(s[2]), out(s[3])}), indices = t.tensor(t.shape(y), 8);
  t.forward("max_pool2d", {{x, TensorType::Input}}, {y}, {.bytes = t.bytes({x, y, indices}), .streaming = 0.75});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    // Scattered writes reach a small part of the bandwidth.
    t.backward("MaxPool2DWithIndices",
               {{g, TensorType::GradOutput}, {x, TensorType::Input}, {indices, TensorType::Indices}}, {x},
               {.bytes = t.bytes({g, indices, x, x}), .streaming = 0.3});
  });
  return y;
}

inline Value adaptive_avg_pool2d(Tape& t, Value x, std::int64_t size) {
  const Shape s = t.shape(x);
  const Value y = t.tensor({s[0], s[1], size, size});
  t.forward("adaptive_avg_pool2d", {{x, TensorType::Input}}, {y}, {.bytes = t.bytes({x, y}), .streaming = 0.3});
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    t.backward("AdaptiveAvgPool2D", {{g, TensorType::GradOutput}, {x, TensorType::Input}}, {x},
               {.bytes = t.bytes({g, x}), .streaming = 0.3});
  });
  return y;
}

/// No kernel, no layer: the gradient is a view as well.
inline Value flatten(Tape& t, Value x) {
  const Shape s = t.shape(x);
  std::int64_t features = 1;
  for (std::size_t i = 1; i < s.size(); ++i)
    features *= s[i];
  const Value y = t.view(x, {s[0], features});
  t.on_backward([=, &t] { t.set_gradient(x, t.view(t.gradient(y), s)); });
  return y;
}

/// x += y in place: the gradient of the sum is that of both.
inline Value add_(Tape& t, Value x, Value y) {
  t.forward("add_", {{x, TensorType::Input}, {y, TensorType::Other}}, {x}, {.bytes = t.bytes({x, y, x})});
  t.on_backward([=, &t] { t.set_gradient(y, t.gradient(x)); });
  return x;
}

/// A new tensor; y may lack the first dimension of x (broadcast), which takes a sum on the way back. The gradient of
/// the sum is that of x.
inline Value add(Tape& t, Value x, Value y) {
  const Value z = t.tensor(t.shape(x));
  t.forward("add", {{x, TensorType::Input}, {y, TensorType::Other}}, {z}, {.bytes = t.bytes({x, y, z})});
  t.on_backward([=, &t] {
    const Value g = t.gradient(z);
    t.set_gradient(x, g);
    if (t.shape(y) == t.shape(x)) {
      t.set_gradient(y, g);
    } else {
      t.backward("Add", {{g, TensorType::GradOutput}}, {y}, {.bytes = t.bytes({g, y})});
    }
  });
  return z;
}

inline Value embedding(Tape& t, Value table, Value indices) {
  Shape s = t.shape(indices);
  s.push_back(t.shape(table)[1]);
  const Value y = t.tensor(s);
  t.forward("embedding", {{table, TensorType::Weight}, {indices, TensorType::Indices}}, {y},
            {.bytes = t.bytes({y, y, indices})}, true);
  t.on_backward([=, &t] {
    const Value g = t.gradient(y);
    // The gradient of the table is dense: all of it is cleared, then the rows are added up.
    t.backward("Embedding", {{g, TensorType::GradOutput}, {indices, TensorType::Indices}}, {table},
               {.bytes = t.bytes({table, g, g}), .kernels = 3}, true);
  });
  return y;
}

/// Causal self-attention on the output of one linear layer for queries, keys and values: half of the products.
inline Value attention(Tape& t, Value qkv, std::int64_t heads) {
  const Shape s = t.shape(qkv); // batch, tokens, 3 features
  const std::int64_t features = s[2] / 3;
  const Shape head{s[0], heads, s[1], features / heads};
  const Value q = t.view(qkv, head), k = t.view(qkv, head), v = t.view(qkv, head), y = t.tensor(head);
  const Value sums = t.tensor({s[0], heads, s[1]});
  const double flops = 2 * t.elements(y) * static_cast<double>(s[1]);
  const double rate = H100::tf32 * H100::attention;
  t.forward("scaled_dot_product_attention", {{q, TensorType::Input}, {k, TensorType::Input}, {v, TensorType::Input}},
            {y}, {.flops = flops, .rate = rate, .bytes = t.bytes({q, k, v, y})});
  const Value joined = t.view(y, {s[0], s[1], features});
  t.on_backward([=, &t] {
    const Value g = t.view(t.gradient(joined), head);
    // Five products instead of two: the scores are computed again.
    t.backward("ScaledDotProductEfficientAttention",
               {{g, TensorType::GradOutput},
                {q, TensorType::Input},
                {k, TensorType::Input},
                {v, TensorType::Input},
                {y, TensorType::Input},
                {sums, TensorType::Input}},
               {q, k, v},
               {.flops = 2.5 * flops, .rate = rate, .bytes = t.bytes({g, q, k, v, y, q, k, v}), .kernels = 2});
    t.backward("Split",
               {{t.gradient(q), TensorType::GradOutput},
                {t.gradient(k), TensorType::GradOutput},
                {t.gradient(v), TensorType::GradOutput}},
               {qkv}, {.bytes = 2 * t.bytes(qkv)});
  });
  return joined;
}

/// The loss of logits (rows, classes) and the start of the backward pass.
inline void cross_entropy_loss(Tape& t, Value logits) {
  const Shape s = t.shape(logits);
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < s.size(); ++i)
    rows *= s[i];
  const Value target = t.tensor({rows}, 8), logp = t.tensor({rows, s.back()}), weight = t.tensor({});
  const Value flat = s.size() == 2 ? logits : t.view(logits, {rows, s.back()});
  const Value loss = t.tensor({}), g = t.tensor({});
  t.forward("cross_entropy_loss", {{flat, TensorType::Input}, {target, TensorType::Target}}, {loss},
            {.bytes = t.bytes({flat, flat, logp}), .kernels = 2});
  t.forward("ones_like", {{loss, TensorType::Input}}, {g}, {.bytes = 4});
  if (flat != logits) t.on_backward([=, &t] { t.set_gradient(logits, t.view(t.gradient(flat), s)); });
  t.on_backward([=, &t] {
    const Value g_logp = t.tensor(t.shape(logp));
    t.layer(Stage::Backward, "autograd::engine::evaluate_function: NllLossBackward0",
            {{g, TensorType::GradOutput},
             {logp, TensorType::Input},
             {target, TensorType::Target},
             {weight, TensorType::TotalWeight}},
            {g_logp}, {.bytes = t.bytes(g_logp), .kernels = 2});
    t.backward("LogSoftmax", {{g_logp, TensorType::GradOutput}, {logp, TensorType::Output}}, {flat},
               {.bytes = t.bytes({g_logp, logp, logp})});
  });
}

} // namespace tracer
