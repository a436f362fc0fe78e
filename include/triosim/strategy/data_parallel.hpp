#pragma once

#include "triosim/cluster.hpp"
#include "triosim/strategy/batch.hpp"
#include "triosim/strategy/gradients.hpp"
#include "triosim/strategy/layer_writer.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/trace/analysis.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace triosim::strategy {

namespace detail {

/// Both kinds of data parallelism: they differ in how the gradients are cut into buckets and in when a bucket goes.
inline TaskGraph lower_replicas(const Trace& trace, const Cluster& cluster, Batch batch, Bytes first, Bytes others,
                                bool overlapped) {
  batch.validate();
  require_layers(trace);
  const trace::Analysis analysis = trace::analyse(trace);
  std::vector<Bucket> buckets;
  if (cluster.ranks() > 1) buckets = gradient_buckets(trace, analysis, first, others);
  if (!overlapped)
    for (Bucket& bucket : buckets)
      bucket.after = last_backward(trace);

  Program program;
  const MemoryBlocks memory{trace, analysis};
  LayerWriter writer{program, trace, memory};
  const LayerWriter::Part part{.batch_ratio = batch.ratio()};
  std::vector<TaskId> after; // what the next layer waits for
  std::vector<TaskId> reductions;
  std::size_t next_bucket = 0;
  for (std::size_t layer = 0; layer < trace.layers().size(); ++layer) {
    const bool first_update = trace.layer(layer).stage == Stage::Optimizer && !reductions.empty();
    if (first_update) {
      after.insert(after.end(), reductions.begin(), reductions.end());
      reductions.clear();
    }
    const TaskId task = writer.add(layer, part, after);
    after.assign(1, task);
    for (; next_bucket < buckets.size() && buckets[next_bucket].after == layer; ++next_bucket) {
      const TaskId reduction = program.add_collective(
          "gradients", {CollectiveType::AllReduce, 0, buckets[next_bucket].bytes}, std::span<const TaskId>{&task, 1});
      if (overlapped)
        reductions.push_back(reduction);
      else
        after.push_back(reduction);
    }
  }
  TaskGraph graph{cluster.ranks()};
  graph.add_program(std::move(program));
  if (cluster.ranks() > 1) graph.add_group(Communicators::world(cluster.ranks()));
  return graph;
}

} // namespace detail

/// Standard data parallelism: every rank has the whole model and `batch.simulated` samples of its own; when the
/// backward pass is over, all gradients are summed in one all-reduce; then every rank updates its weights. Nothing
/// overlaps. A ring of N ranks adds 2(N-1)/N S/B, with S the bytes of the weights and B the bandwidth of a link, and
/// 2(N-1) latencies.
struct DataParallel {
  using Source = Trace;

  Batch batch;

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    constexpr Bytes everything{std::numeric_limits<std::uint64_t>::max() / 2};
    return detail::lower_replicas(trace, cluster, batch, everything, everything, false);
  }
};

/// Distributed data parallelism with overlap: gradients are summed in buckets as the backward pass completes them, one
/// bucket after the other, while it goes on; the optimizer waits for the last bucket.
struct DistributedDataParallel {
  using Source = Trace;

  Batch batch;
  /// PyTorch's defaults: `bucket_cap_mb = 25`, and 1 MiB for the first.
  Bytes bucket = Bytes{25u << 20};
  Bytes first_bucket = Bytes{1u << 20};

  TaskGraph lower(const Trace& trace, const Cluster& cluster) const {
    return detail::lower_replicas(trace, cluster, batch, first_bucket, bucket, true);
  }
};

} // namespace triosim::strategy
