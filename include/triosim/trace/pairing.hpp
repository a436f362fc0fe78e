#pragma once

#include "triosim/trace/dataflow.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/trace/weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::trace {

/// Which forward layer a backward layer belongs to.
struct Pairing {
  /// One entry for each layer of the trace; `no_layer` where it is not a backward layer or is not known.
  std::vector<LayerIndex> forward_of;
  /// One entry for each layer of the trace.
  std::vector<Evidence> evidence;
  /// What could not be paired, in order. Forward layers that need no backward pass are among them.
  std::vector<LayerIndex> unpaired_backward;
  std::vector<LayerIndex> unpaired_forward;
};

namespace detail {

/// What kind of operator a name speaks of: `aten::max_pool2d` and
/// `autograd::engine::evaluate_function: MaxPool2DWithIndicesBackward0` both give `maxpool2d`. Empty for a backward
/// layer that is no operator's own (accumulation of gradients).
inline std::string operator_kind(std::string_view name, Stage stage) {
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  if (stage == Stage::Backward) name = name.substr(0, name.find("Backward"));
  std::string kind;
  for (const char c : name)
    if (c != '_' && c != ' ') kind += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view vendor : {"cudnn", "native", "mkldnn", "miopen"})
    if (kind.starts_with(vendor)) kind.erase(0, vendor.size());
  for (const std::string_view detail : {"withindices", "overrideable"})
    if (kind.ends_with(detail)) kind.erase(kind.size() - detail.size());
  return kind;
}

/// Autograd names a node after what the operator called inside, which is not always its own name.
inline bool same_kind(std::string_view forward, std::string_view backward) {
  if (backward.empty() || forward.empty()) return false;
  if (forward == backward) return true;
  struct Inside {
    std::string_view backward, forward;
  };
  static constexpr Inside inside[] = {
      {"convolution", "conv"},
      {"addmm", "linear"},
      {"mm", "linear"},
      {"mm", "matmul"},
      {"bmm", "matmul"},
      {"bmm", "einsum"},
      {"linear", "linear"},
      {"nllloss", "crossentropy"},
      {"logsoftmax", "crossentropy"},
      {"mean", "adaptiveavgpool"},
      {"logsoftmax", "nllloss"},
      {"fuseddropout", "dropout"},
      {"scaleddotproduct", "scaleddotproduct"},
      {"efficientattention", "scaleddotproduct"},
      {"flashattention", "scaleddotproduct"},
  };
  return std::any_of(std::begin(inside), std::end(inside), [&](const Inside& pair) {
    return backward.starts_with(pair.backward) && forward.starts_with(pair.forward);
  });
}

inline void pair_by_weight(const Trace& trace, std::span<const Weight> weights, std::span<const std::uint32_t> place,
                           Pairing& result) {
  constexpr auto nobody = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> weight_at(trace.tensors().size(), nobody);
  for (std::size_t w = 0; w < weights.size(); ++w)
    weight_at[place[weights[w].tensor]] = static_cast<std::uint32_t>(w);
  struct Calls {
    std::vector<LayerIndex> open; // forward layers that still wait for their backward layer
    LayerIndex latest = no_layer;
  };
  std::vector<Calls> calls(weights.size());
  for (std::size_t i = 0; i < trace.layers().size(); ++i) {
    const Layer& layer = trace.layer(i);
    if (layer.stage == Stage::Optimizer) continue;
    for (const auto list : {layer.inputs, layer.outputs})
      for (const TensorIndex t : list) {
        if (weight_at[place[t]] == nobody) continue;
        Calls& of = calls[weight_at[place[t]]];
        if (layer.stage == Stage::Forward) {
          if (of.open.empty() || of.open.back() != i) of.open.push_back(static_cast<LayerIndex>(i));
        } else if (result.forward_of[i] == no_layer) {
          if (!of.open.empty()) {
            of.latest = of.open.back();
            of.open.pop_back();
          }
          result.forward_of[i] = of.latest;
          result.evidence[i] = of.latest == no_layer ? Evidence::None : Evidence::Tensor;
        }
      }
  }
}

/// Operators have few tensors; what comes after the first of a long list decides nothing and costs much.
inline std::span<const TensorIndex> first_few(std::span<const TensorIndex> list) {
  return list.first(std::min<std::size_t>(list.size(), 64));
}

/// Do they name a tensor in common that the forward pass made?
inline bool share_tensor(const Trace& trace, std::span<const std::uint32_t> place,
                         std::span<const char> backward_writes, const Layer& forward, const Layer& backward) {
  for (const TensorIndex t : first_few(backward.inputs)) {
    if (backward_writes[t] != 0 || trace.tensor(t).bytes == Bytes{}) continue;
    for (const auto list : {forward.inputs, forward.outputs})
      for (const TensorIndex u : first_few(list))
        if (place[t] == place[u]) return true;
  }
  return false;
}

inline bool share_size(const Trace& trace, const Layer& forward, const Layer& backward) {
  for (const auto theirs : {backward.inputs, backward.outputs})
    for (const TensorIndex t : first_few(theirs))
      for (const auto ours : {forward.inputs, forward.outputs})
        for (const TensorIndex u : first_few(ours))
          if (trace.tensor(t).elements == trace.tensor(u).elements) return true;
  return false;
}

inline void pair_by_order(const Trace& trace, std::span<const std::uint32_t> place,
                          std::span<const char> backward_writes, Pairing& result) {
  constexpr std::ptrdiff_t farthest = 300;
  const std::size_t layers = trace.layers().size();
  std::vector<std::string> kinds(layers);
  // floor[i]: the forward layer of the next backward layer from i on in the same pass that has one.
  std::vector<std::ptrdiff_t> floor(layers + 1, 0);
  for (std::size_t i = layers; i-- > 0;) {
    const Layer& layer = trace.layer(i);
    if (layer.stage != Stage::Optimizer) kinds[i] = operator_kind(layer.name, layer.stage);
    floor[i] = layer.stage == Stage::Forward      ? 0
               : result.forward_of[i] != no_layer ? static_cast<std::ptrdiff_t>(result.forward_of[i])
                                                  : floor[i + 1];
  }
  std::ptrdiff_t ceiling = -1;
  std::string_view ceiling_kind; // of the backward layer that the ceiling has been paired with
  for (std::size_t b = 0; b < layers; ++b) {
    const Layer& layer = trace.layer(b);
    if (layer.stage == Stage::Forward) {
      ceiling = static_cast<std::ptrdiff_t>(b);
      ceiling_kind = {};
    }
    if (layer.stage != Stage::Backward) continue;
    if (result.forward_of[b] == no_layer) {
      std::ptrdiff_t near = -1;
      const std::ptrdiff_t last = std::max(floor[b], ceiling - farthest);
      for (std::ptrdiff_t f = ceiling; f >= last; --f) {
        const auto at = static_cast<std::size_t>(f);
        const Layer& forward = trace.layer(at);
        if (forward.stage != Stage::Forward || !same_kind(kinds[at], kinds[b])) continue;
        if (f == ceiling && ceiling_kind == kinds[b]) continue;
        if (share_tensor(trace, place, backward_writes, forward, layer)) {
          result.forward_of[b] = static_cast<LayerIndex>(f);
          result.evidence[b] = Evidence::Tensor;
          break;
        }
        if (near < 0 && share_size(trace, forward, layer)) near = f;
      }
      if (result.forward_of[b] == no_layer && near >= 0) {
        result.forward_of[b] = static_cast<LayerIndex>(near);
        result.evidence[b] = Evidence::Order;
      }
      if (result.forward_of[b] == no_layer) continue;
    }
    ceiling = static_cast<std::ptrdiff_t>(result.forward_of[b]);
    ceiling_kind = kinds[b];
  }
}

} // namespace detail

/// Pairs the backward layers with the forward layers. Two steps:
///  1. A backward layer that names a weight (or a view of it) belongs to the forward layer that reads it; where several
///     do, to the latest one that has no partner yet. Sure.
///  2. Autograd runs the nodes that are ready in the reverse order of their forward calls, so what is left lies between
///     its neighbours of step 1. There the nearest layer is taken (backwards, at most 300 layers away) of which the
///     kind of operator agrees and which shares a tensor with it, else the nearest of the same size. One operator may
///     have several backward layers of different kinds (cross entropy).
/// On the published traces of VGG-13 and ResNet-50 every backward layer finds its partner. Recomputed activations and
/// operators with names of their own are left unpaired.
inline Pairing pair_backward(const Trace& trace, std::span<const Weight> weights) {
  const std::size_t layers = trace.layers().size();
  const std::vector<std::uint32_t> place = places(trace);
  Pairing result{std::vector<LayerIndex>(layers, no_layer), std::vector<Evidence>(layers, Evidence::None), {}, {}};
  std::vector<char> backward_writes(trace.tensors().size(), 0);
  for (const Layer& layer : trace.layers())
    if (layer.stage == Stage::Backward)
      for (const TensorIndex t : layer.outputs)
        backward_writes[t] = 1;
  detail::pair_by_weight(trace, weights, place, result);
  detail::pair_by_order(trace, place, backward_writes, result);

  std::vector<char> paired(layers, 0);
  for (std::size_t i = 0; i < layers; ++i) {
    if (trace.layer(i).stage != Stage::Backward) continue;
    if (result.forward_of[i] == no_layer) {
      result.unpaired_backward.push_back(static_cast<LayerIndex>(i));
    } else {
      paired[result.forward_of[i]] = 1;
    }
  }
  for (std::size_t i = 0; i < layers; ++i)
    if (trace.layer(i).stage == Stage::Forward && paired[i] == 0)
      result.unpaired_forward.push_back(static_cast<LayerIndex>(i));
  return result;
}

} // namespace triosim::trace
