#pragma once

#include "triosim/trace/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace triosim::trace {

/// The position of a layer in its trace, from 0.
using LayerIndex = std::uint32_t;

inline constexpr LayerIndex no_layer = static_cast<LayerIndex>(-1);
inline constexpr TensorIndex no_tensor = static_cast<TensorIndex>(-1);

/// When a tensor is written (an output) and read (an input); `no_layer` where it never is. Sure: it is what the trace
/// says of this id. A layer that works in place both reads and writes.
struct Lifetime {
  LayerIndex first_write = no_layer;
  LayerIndex last_write = no_layer;
  LayerIndex first_read = no_layer;
  LayerIndex last_read = no_layer;

  constexpr bool written() const noexcept { return first_write != no_layer; }
  constexpr bool read() const noexcept { return first_read != no_layer; }
  /// It holds something before the first layer writes it: weights, data, optimizer state.
  constexpr bool given() const noexcept { return read() && (!written() || first_read <= first_write); }
};

/// One entry for each tensor. Linear in the size of the trace.
inline std::vector<Lifetime> lifetimes(const Trace& trace) {
  std::vector<Lifetime> result(trace.tensors().size());
  for (std::size_t i = 0; i < trace.layers().size(); ++i) {
    const auto layer = static_cast<LayerIndex>(i);
    for (const TensorIndex t : trace.layer(i).inputs) {
      if (!result[t].read()) result[t].first_read = layer;
      result[t].last_read = layer;
    }
    for (const TensorIndex t : trace.layer(i).outputs) {
      if (!result[t].written()) result[t].first_write = layer;
      result[t].last_write = layer;
    }
  }
  return result;
}

/// For each tensor the number of its place in memory: equal for tensors with the same storage and the same size, such
/// as a saved activation and its detached twin, or a weight and its transpose. A tensor of unknown storage has a
/// place of its own. An allocator hands storage out again, so equal places mean equal contents only while nothing else
/// is written there.
inline std::vector<std::uint32_t> places(const Trace& trace) {
  const auto tensors = trace.tensors();
  std::vector<TensorIndex> order(tensors.size());
  std::iota(order.begin(), order.end(), TensorIndex{0});
  const auto key = [&](TensorIndex t) { return std::tuple{tensors[t].storage, tensors[t].bytes, t}; };
  std::sort(order.begin(), order.end(), [&](TensorIndex a, TensorIndex b) { return key(a) < key(b); });
  std::vector<std::uint32_t> result(tensors.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Tensor &a = tensors[order[i - 1]], &b = tensors[order[i]];
    const bool same = a.storage == b.storage && a.storage != no_storage && a.bytes == b.bytes && a.bytes != Bytes{};
    result[order[i]] = result[order[i - 1]] + (same ? 0U : 1U);
  }
  return result;
}

/// Which layers must be done before a layer may begin: those that were the last to write one of its inputs.
class Dataflow {
 public:
  /// Earlier layers, in order, each once.
  std::span<const LayerIndex> before(std::size_t layer) const noexcept {
    return std::span{edges_}.subspan(begin_[layer], begin_[layer + 1] - begin_[layer]);
  }
  std::size_t size() const noexcept { return begin_.size() - 1; }

  /// By id; where no layer has written the id, by storage: memory holds what was written there last, also when it is
  /// seen through a view of another size. Sure for ids. For storage, a writer that the trace leaves out (rows without
  /// kernels) can make the edge start at an earlier owner of the memory: the order of the trace is kept in any case.
  static Dataflow of(const Trace& trace) {
    Dataflow result;
    std::vector<LayerIndex> by_id(trace.tensors().size(), no_layer), by_storage;
    std::vector<LayerIndex> sources;
    for (std::size_t i = 0; i < trace.layers().size(); ++i) {
      sources.clear();
      for (const TensorIndex t : trace.layer(i).inputs) {
        const std::uint32_t storage = trace.tensor(t).storage;
        LayerIndex source = by_id[t];
        if (source == no_layer && storage < by_storage.size()) source = by_storage[storage];
        if (source != no_layer) sources.push_back(source);
      }
      std::sort(sources.begin(), sources.end());
      sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
      result.edges_.insert(result.edges_.end(), sources.begin(), sources.end());
      result.begin_.push_back(result.edges_.size());
      for (const TensorIndex t : trace.layer(i).outputs) {
        const std::uint32_t storage = trace.tensor(t).storage;
        by_id[t] = static_cast<LayerIndex>(i);
        if (storage == no_storage) continue;
        if (storage >= by_storage.size()) by_storage.resize(storage + std::size_t{1}, no_layer);
        by_storage[storage] = static_cast<LayerIndex>(i);
      }
    }
    return result;
  }

 private:
  std::vector<LayerIndex> edges_;
  std::vector<std::size_t> begin_{0};
};

} // namespace triosim::trace
