#pragma once

#include "triosim/trace/trace.hpp"

#include <string_view>
#include <vector>

namespace triosim::strategy::classic {

inline constexpr std::string_view reducing_operator = "aten::_foreach_addcdiv_";

/// Which tensors the published program all-reduces in data parallelism: the inputs of every layer named
/// `aten::_foreach_addcdiv_`, without those of layers named `aten::_foreach_add_` or `aten::_foreach_lerp_`. In traces
/// of the Adam optimizer, the parameters are left, which are as large as their gradients. Other optimizers have no
/// layer of that name, and nothing is reduced.
inline std::vector<bool> gradient_set(const Trace& trace) {
  std::vector<bool> set(trace.tensors().size(), false);
  const auto mark = [&](std::string_view name, bool in) {
    for (const trace::Layer& layer : trace.layers())
      if (layer.name == name)
        for (const trace::TensorIndex tensor : layer.inputs)
          set[tensor] = in;
  };
  mark(reducing_operator, true);
  mark("aten::_foreach_add_", false);
  mark("aten::_foreach_lerp_", false);
  return set;
}

} // namespace triosim::strategy::classic
