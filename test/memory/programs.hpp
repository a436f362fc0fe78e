#pragma once

#include "support/given.hpp"
#include "support/wire.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/memory/unbounded.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::test {

inline Operation work(std::string_view name, Time time) {
  Operation operation;
  operation.name = name;
  operation.recorded = time;
  return operation;
}

inline TaskGraph world(std::uint32_t ranks, Program program) {
  TaskGraph graph{ranks};
  graph.add_program(std::move(program));
  graph.add_group(Communicators::world(ranks));
  return graph;
}

template <class Net = Wire, class Memory, class... Observer>
Report play(const TaskGraph& graph, const Cluster& cluster, Memory memory, Observer&... observers) {
  using Sim = Simulator<engine::Serial, time_model::Recorded, Net, Given, Memory>;
  return Sim{cluster, {}, {}, Net{}, std::move(memory)}.run(graph, observers...);
}

inline bool same_times(const Report& a, const Report& b) {
  bool same = a.total == b.total && a.ranks.size() == b.ranks.size();
  for (std::size_t rank = 0; same && rank < a.ranks.size(); ++rank)
    same = a.ranks[rank].finish == b.ranks[rank].finish && a.ranks[rank].compute == b.ranks[rank].compute;
  return same;
}

/// Which tasks of a tangle touch tensors.
enum class Touch { Compute, Messages, Collectives };

/// A program like any: layers with weights, activations that come and go, collectives and messages in a ring.
inline TaskGraph tangle(std::uint32_t seed, std::uint32_t ranks, Touch touch = Touch::Collectives) {
  std::mt19937 random{seed};
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  Program program;
  std::vector<TensorIndex> weights, alive;
  for (int i = 0; i < 6; ++i)
    weights.push_back(program.add_tensor({Bytes{1 + below(1'000)}, true}));
  std::vector<TaskId> last;
  for (std::uint32_t i = 0; i < 40; ++i) {
    std::vector<TensorIndex> in{weights[below(6)]}, out;
    for (std::uint32_t k = below(3); k-- > 0 && !alive.empty();)
      in.push_back(alive[below(alive.size())]);
    if (below(4) != 0) {
      alive.push_back(program.add_tensor({Bytes{below(2'000)}, false}));
      out.push_back(alive.back());
    }
    if (below(5) == 0) out.push_back(in[0]);
    if (alive.size() > 4) alive.erase(alive.begin() + below(4));
    if (below(3) == 0 && !last.empty()) last.erase(last.begin());
    last.push_back(program.add_compute(work("layer", Time{1 + below(5'000'000)}), last));
    program.uses(in, out);
    if (below(6) == 0) {
      last.push_back(program.add_collective("sum", {CollectiveType::AllReduce, 0, Bytes{below(5'000)}}, last));
      if (touch == Touch::Collectives && below(2) == 0)
        program.uses(std::array{weights[below(6)]}, std::array{weights[below(6)]});
    }
    if (below(6) == 0) {
      program.add_send("out", {0, 1, i, Bytes{100}}, last);
      if (touch != Touch::Compute && !alive.empty()) program.uses(std::array{alive.back()}, {});
      last.push_back(program.add_receive("in", {0, -1, i, Bytes{100}}));
      if (touch != Touch::Compute) {
        alive.push_back(program.add_tensor({Bytes{100}, false}));
        program.uses({}, std::array{alive.back()});
      }
    }
  }
  return world(ranks, program);
}

} // namespace triosim::test
