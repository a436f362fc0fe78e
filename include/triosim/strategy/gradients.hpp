#pragma once

#include "triosim/error.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace triosim::strategy {

/// Gradients that are reduced together, as soon as the layer `after` of the trace has ended.
struct Bucket {
  Bytes bytes;
  trace::LayerIndex after = 0;
};

/// The last backward layer; `no_layer` where there is none.
inline trace::LayerIndex last_backward(const Trace& trace) {
  for (std::size_t i = trace.layers().size(); i-- > 0;)
    if (trace.layer(i).stage == Stage::Backward) return static_cast<trace::LayerIndex>(i);
  return trace::no_layer;
}

/// Fills buckets with gradients in the order in which the backward pass completes them, a new bucket when the next
/// gradient would not fit, the first one smaller so that communication starts early - what PyTorch's
/// DistributedDataParallel does (Li et al., "PyTorch Distributed", VLDB 2020). A gradient has the size of its weight;
/// one whose layer the trace does not tell is complete at the end of the backward pass. Throws `ConfigError` where the
/// trace has a backward pass but no weight could be found: silence would mean a step without communication.
inline std::vector<Bucket> gradient_buckets(const Trace& trace, const trace::Analysis& analysis, Bytes first,
                                            Bytes others) {
  const trace::LayerIndex last = last_backward(trace);
  std::vector<Bucket> buckets;
  if (last == trace::no_layer) return buckets;

  std::vector<Bucket> gradients;
  for (const trace::Weight& weight : analysis.weights)
    if (weight.trained)
      gradients.push_back(
          {trace.tensor(weight.tensor).bytes, weight.gradient_layer == trace::no_layer ? last : weight.gradient_layer});
  if (gradients.empty())
    throw ConfigError{"gradients", "none",
                      "a trace whose weights show, by an optimizer or by the names weight and bias"};
  std::stable_sort(gradients.begin(), gradients.end(),
                   [](const Bucket& a, const Bucket& b) { return a.after < b.after; });
  for (const Bucket& gradient : gradients) {
    const Bytes room = buckets.size() <= 1 ? first : others;
    if (buckets.empty() || (buckets.back().bytes != Bytes{} && buckets.back().bytes + gradient.bytes > room))
      buckets.emplace_back();
    buckets.back().bytes += gradient.bytes;
    buckets.back().after = gradient.after;
  }
  return buckets;
}

} // namespace triosim::strategy
