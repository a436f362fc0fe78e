// The same step on machines of sixteen GPUs that are wired in different ways.
#include <triosim/triosim.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

void play(const char* name, const Trace& trace, topology::Graph graph) {
  using Sim = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;
  const std::size_t links = graph.links().size();
  const Report report = Sim{Cluster{std::move(graph)}}.run(trace);
  std::printf("%-26s %4zu links  %8.3f ms\n", name, links, report.total.seconds() * 1e3);
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const topology::Cable cable{.bandwidth = 25_GBps, .latency = 1_us};
  constexpr std::array<std::uint32_t, 2> square{4, 4};
  play("ring", trace, topology::ring(16, cable));
  play("mesh 4 x 4", trace, topology::mesh(square, cable));
  play("torus 4 x 4", trace, topology::torus(square, cable));
  play("one switch", trace, topology::single_switch(16, cable));
  play("fully connected", trace, topology::fully_connected(16, cable));
  play("fat tree", trace, topology::fat_tree(4, 16, cable));
  play("two islands of 8, 8 rails", trace,
       topology::two_tier({.islands = 2,
                           .devices_per_island = 8,
                           .island = {.bandwidth = 450_GBps, .latency = 1_us},
                           .nic = {.bandwidth = 25_GBps, .latency = 5_us}}));
}
