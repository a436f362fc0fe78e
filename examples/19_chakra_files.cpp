// A step that nobody has run, as Chakra traces in memory; read again, checked against each other, and played.
#include <triosim/io.hpp>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

int main() {
  using namespace triosim;
  using namespace triosim::literals;
  namespace physical = symbolic::physical;

  physical::Plan plan;
  plan.dp = 2, plan.tp = 2, plan.pp = 2;
  plan.batch = 16, plan.micro_batch = 4;
  const physical::Model model = physical::transformer(
      {.layers = 8, .hidden = 1024, .ffn = 4096, .heads = 16, .vocab = 32000, .seq = 512, .tied = true});
  const TaskGraph graph = physical::TrainingStep{plan}.lower(model);

  const io::TaskGraphTraces writer{graph};
  std::deque<chakra::Trace> traces;
  std::vector<const chakra::Trace*> pointers;
  std::vector<std::uint32_t> ranks, values;
  std::size_t bytes = 0;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    writer.values(rank, values);
    const std::string file = writer.file(graph.program_index(rank), chakra::Format::v0_0_4).render(values);
    bytes += file.size();
    pointers.push_back(&traces.emplace_back(chakra::read_memory(file)));
    ranks.push_back(rank);
  }
  const chakra::Summary summary = chakra::summarize(traces[0]);
  std::printf("%zu files, %zu KB, %llu nodes in the first, longest chain %llu\n", traces.size(), bytes / 1000,
              static_cast<unsigned long long>(summary.nodes), static_cast<unsigned long long>(summary.longest_chain));
  for (const auto& traffic : summary.traffic)
    std::printf("  %-14s %3llu calls, %7.1f MB\n", traffic.what.c_str(), static_cast<unsigned long long>(traffic.calls),
                traffic.bytes / 1e6);
  std::printf("%zu things that do not fit between ranks\n",
              chakra::cross_check(pointers, ranks, writer.groups()).size());

  using Sim = Simulator<engine::Serial, time_model::Roofline, net::FlowNetwork, physical::TrainingStep>;
  const Cluster cluster{topology::single_switch(8, {.bandwidth = 100_GBps, .latency = 1_us})};
  const Report report = Sim{cluster, {plan}, time_model::Roofline{100e12, 2000_GBps}}.run(model);
  std::printf("played: %.3f ms\n", report.total.seconds() * 1e3);
}
