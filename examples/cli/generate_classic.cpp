#include "cli/command.hpp"
#include "cli/generate.hpp"
#include "cli/generate_summary.hpp"

#include <triosim/io/symbolic_traces.hpp>
#include <triosim/io/write_traces.hpp>
#include <triosim/symbolic/classic/memory_report.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace triosim::cli {

namespace {

void print_memory(const symbolic::classic::Step& step) {
  using symbolic::classic::ModelType;
  const std::vector<symbolic::classic::MemorySums> sums = symbolic::classic::memory_report(step);
  const ModelType model = step.options().model_type;
  if (model == ModelType::debug) return;
  const char* header = model == ModelType::moe ? "[MoE] " : model == ModelType::gpt ? "[GPT] " : "[Dense] ";
  const DeviceMesh& mesh = step.groups().mesh();
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank) {
    std::string place;
    for (std::size_t i = mesh.dimensions(); i-- > 0;)
      place += (place.empty() ? "" : ",") + mesh.axis(i).name + "=" + std::to_string(mesh.coordinate(rank, i));
    const symbolic::classic::MemorySums& sum = sums[step.stage_of(rank)];
    std::printf("%s[GPU %s] total=%.3f GiB | weights=%.3f | opt=%.3f | acts=%.3f | grads=%.3f\n", header, place.c_str(),
                sum.total() / 0x1p30, sum.weights / 0x1p30, sum.optimizer / 0x1p30, sum.activations / 0x1p30,
                sum.gradients / 0x1p30);
  }
}

/// As the published program counts: operations and elements.
GenerateSummary summary_of(const symbolic::classic::Step& step) {
  GenerateSummary summary;
  summary.rules = "classic";
  constexpr const char* names[] = {"dense", "llama", "gpt", "moe", "debug"};
  summary.model = names[static_cast<std::size_t>(step.options().model_type)];
  summary.ranks = step.ranks();
  summary.stages = step.stages().size();
  summary.elements = true;
  std::vector<double> ranks(step.stages().size(), 0);
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank)
    ++ranks[step.stage_of(rank)];
  std::map<std::pair<std::string, std::string>, GenerateSummary::Traffic> traffic;
  for (std::size_t stage = 0; stage < step.stages().size(); ++stage)
    for (const symbolic::classic::Node& node : step.stages()[stage].nodes()) {
      summary.nodes += static_cast<std::uint64_t>(ranks[stage]);
      const double work = ranks[stage] * static_cast<double>(node.work);
      if (node.kind == TaskKind::Compute) summary.flops += work;
      if (node.kind != TaskKind::Collective && node.kind != TaskKind::Send) continue;
      const bool is_send = node.kind == TaskKind::Send;
      const std::string along{is_send ? std::string_view{"pp"} : step.spatial_axes()[node.axis]};
      const std::string what{is_send ? std::string_view{"send"} : to_string(node.collective)};
      GenerateSummary::Traffic& sum = traffic[{along, what}];
      sum.what = what;
      sum.along = along;
      sum.calls += static_cast<std::uint64_t>(ranks[stage]);
      sum.amount += work;
    }
  for (auto& [key, sum] : traffic)
    summary.traffic.push_back(std::move(sum));
  step.groups().for_each([&](std::uint32_t, const std::vector<std::uint32_t>&) { ++summary.groups; });
  return summary;
}

} // namespace

int generate_classic(const GenerateOptions& options, const io::TraceNames& names) {
  const symbolic::classic::Step step{options.step};
  names.make_folders();
  if (options.print_gpu_vram && !options.json) print_memory(step);
  io::write_file(names.groups(), io::groups_text(step));

  std::vector<std::vector<std::uint32_t>> ranks_of_stage(step.stages().size());
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank)
    ranks_of_stage[step.stage_of(rank)].push_back(rank);
  {
    Progress progress{step.ranks(), options.quiet};
    for (std::uint32_t stage = 0; stage < ranks_of_stage.size(); ++stage) {
      const io::StageTemplate file{step, stage, options.format};
      io::write_traces(
          file.file(), names, ranks_of_stage[stage], options.jobs,
          [&](std::uint32_t rank, std::vector<std::uint32_t>& values) { file.values(rank, values); },
          [&] { progress.one_more(); });
    }
  }
  GenerateSummary summary = summary_of(step);
  summary.first_file = names.trace(0).string();
  summary.groups_file = names.groups().string();
  print(summary, options);
  return done;
}

} // namespace triosim::cli
