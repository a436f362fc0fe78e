#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/classic/gradient_set.hpp"
#include "triosim/strategy/classic/layer_writer.hpp"
#include "triosim/strategy/classic/rules.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::strategy::classic {

/// The published case 2, distributed data parallelism: a backward layer that has inputs in the gradient set
/// has one all-reduce. It covers those inputs, whether or not they have been reduced before, and all members of the set
/// not reduced so far whose id is, as a text, greater than the least of them. Ids are compared as texts ("98" > "254"),
/// what remains is never reduced, and nobody waits for any of it: the published rules.
struct DistributedDataParallel {
  using Source = Trace;
  using Rules = rules::classic::Overlapped;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    Program program;
    LayerWriter writer{program, trace, {.batch = batch}};
    const std::vector<bool> in_set = gradient_set(trace);
    std::vector<trace::TensorIndex> left; // not reduced so far, by their texts
    for (trace::TensorIndex tensor = 0; tensor < in_set.size(); ++tensor)
      if (in_set[tensor]) left.push_back(tensor);
    const auto name = [&](trace::TensorIndex tensor) { return trace.tensor(tensor).name; };
    std::sort(left.begin(), left.end(), [&](auto a, auto b) { return name(a) < name(b); });

    TaskId last = 0;
    for (const trace::Layer& layer : trace.layers()) {
      last = writer.add(layer, {}, std::span{&last, program.size() == 0 ? 0u : 1u});
      if (layer.stage != Stage::Backward) continue;
      std::vector<trace::TensorIndex> bucket;
      for (const trace::TensorIndex tensor : layer.inputs)
        if (in_set[tensor]) bucket.push_back(tensor);
      if (bucket.empty()) continue;
      const std::size_t own = bucket.size();
      std::string_view least = name(bucket[0]);
      for (const trace::TensorIndex tensor : bucket)
        least = std::min(least, name(tensor));
      const auto is_own = [&](trace::TensorIndex tensor) {
        return std::find(bucket.begin(), bucket.begin() + static_cast<std::ptrdiff_t>(own), tensor) !=
               bucket.begin() + static_cast<std::ptrdiff_t>(own);
      };
      std::vector<trace::TensorIndex> swept;
      std::erase_if(left, [&](trace::TensorIndex tensor) {
        if (is_own(tensor)) return true;
        if (!(name(tensor) > least)) return false;
        swept.push_back(tensor);
        return true;
      });
      bucket.insert(bucket.end(), swept.begin(), swept.end());
      Bytes bytes;
      for (const trace::TensorIndex tensor : bucket)
        bytes += Bytes{writer.bytes(tensor)};
      program.add_collective("gradients", {CollectiveType::AllReduce, 0, bytes}, std::span{&last, 1});
      program.uses(writer.tensors(bucket), {});
    }
    TaskGraph graph{cluster.ranks()};
    graph.add_program(std::move(program));
    graph.add_group(Communicators::world(cluster.ranks()));
    return graph;
  }
};

} // namespace triosim::strategy::classic
