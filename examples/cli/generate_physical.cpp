#include "cli/command.hpp"
#include "cli/generate.hpp"
#include "cli/generate_summary.hpp"

#include <triosim/chakra/groups.hpp>
#include <triosim/error.hpp>
#include <triosim/io/model_config.hpp>
#include <triosim/io/task_graph_traces.hpp>
#include <triosim/io/write_traces.hpp>
#include <triosim/symbolic/physical/memory.hpp>
#include <triosim/symbolic/physical/training_step.hpp>
#include <triosim/symbolic/physical/transformer.hpp>
#include <triosim/task_graph/summary.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace triosim::cli {

namespace {

using symbolic::classic::ModelType;
using namespace symbolic::physical;

Transformer shape_of(const GenerateOptions& options) {
  const symbolic::classic::Options& step = options.step;
  Transformer shape;
  if (!options.model.empty()) {
    if (options.size_given || options.model_type_given)
      throw ConfigError{"model", options.model, "no other option that gives a dimension of the model beside it"};
    shape = io::read_model_config(options.model);
    if (options.seq_given) shape.seq = step.seq;
    return shape;
  }
  if (step.model_type == ModelType::debug)
    throw ConfigError{"model_type", "debug", "dense, llama, gpt or moe; debug is a model of the classic rules"};
  shape.layers = step.num_stacks;
  shape.hidden = step.dmodel;
  shape.ffn = step.dff;
  shape.heads = step.head;
  shape.vocab = step.dvocal;
  shape.seq = step.seq;
  shape.head_dim = options.head_dim.value_or(0);
  const bool is_gpt = step.model_type == ModelType::gpt;
  if (!is_gpt) shape.kv_heads = step.kvhead;
  shape.gated = !is_gpt;
  shape.tied = is_gpt;
  shape.biases = is_gpt;
  if (step.model_type == ModelType::moe) {
    shape.experts = step.experts;
    shape.experts_per_token = step.kexperts;
  }
  return shape;
}

std::uint32_t degree(const char* name, std::int64_t value) {
  if (value < 1 || value > (1 << 24)) throw ConfigError{name, std::to_string(value), "1 to 16777216"};
  return static_cast<std::uint32_t>(value);
}

Plan plan_of(const GenerateOptions& options) {
  const symbolic::classic::Options& step = options.step;
  Plan plan;
  plan.dp = degree("dp", step.dp);
  plan.tp = degree("tp", step.tp);
  plan.cp = degree("sp", step.sp);
  plan.ep = degree("ep", step.ep);
  plan.pp = degree("pp", step.pp);
  plan.batch = step.batch;
  plan.micro_batch = step.micro_batch == -1 ? step.batch : step.micro_batch;
  if (options.micro_batch_of_rank) {
    if (step.micro_batch != -1)
      throw ConfigError{"micro-batch-size", std::to_string(*options.micro_batch_of_rank),
                        "either --micro_batch, of all data-parallel ranks together, or --micro-batch-size, of each"};
    if (*options.micro_batch_of_rank < 1 || *options.micro_batch_of_rank > (std::int64_t{1} << 31))
      throw ConfigError{"micro-batch-size", std::to_string(*options.micro_batch_of_rank), "1 to 2147483648"};
    plan.micro_batch = *options.micro_batch_of_rank * plan.dp * plan.ep;
  }
  plan.chunks = options.virtual_stages;
  if (options.interleaved && plan.chunks == 1)
    throw ConfigError{"schedule", "interleaved", "--virtual-stages 2 or more beside it"};
  plan.split_sequence = step.tpsp && plan.tp > 1;
  if (options.zero && step.weight_sharded && *options.zero != 3)
    throw ConfigError{"zero", std::to_string(*options.zero), "3, as --weight_sharded shards weights"};
  plan.zero = options.zero.value_or(step.weight_sharded ? 3 : 0);
  plan.schedule = options.schedule;
  plan.recompute = options.recompute.value_or(options.activation_recompute ? Recompute::full : Recompute::none);
  plan.precision =
      options.precision.value_or(DataType::bf16) == DataType::fp32 ? Precision::single() : Precision::half();
  return plan;
}

GenerateSummary summary_of(const Model& model, const Plan& plan, const TaskGraph& graph) {
  GenerateSummary summary;
  summary.rules = "physical";
  summary.parameters = model.parameters();
  const GraphSummary sums = summarize(graph);
  summary.ranks = sums.ranks;
  summary.stages = plan.pp;
  summary.nodes = sums.tasks;
  summary.flops = sums.flops;
  for (const GraphSummary::Traffic& traffic : sums.collectives)
    summary.traffic.push_back({std::string{to_string(traffic.type)}, traffic.group, traffic.calls, traffic.bytes});
  if (const std::uint64_t sends = sums.of_kind[static_cast<std::size_t>(TaskKind::Send)]; sends != 0)
    summary.traffic.push_back({"send", "pp", sends, sums.sent_bytes});
  std::uint32_t stage = 0;
  for (const StageMemory& memory : memory_by_stage(lower_model(model, plan), plan))
    summary.memory.push_back({stage++, memory.weights, memory.gradients, memory.optimizer, memory.activations});
  return summary;
}

} // namespace

int generate_physical(const GenerateOptions& options, const io::TraceNames& names) {
  if (options.step.tag_base > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw ConfigError{"tag-base", std::to_string(options.step.tag_base), "0 to 2147483647"};
  const Plan plan = plan_of(options);
  const Transformer shape = shape_of(options);
  const Model model = transformer(shape);
  const TaskGraph graph = TrainingStep{plan}.lower(model);
  const io::TaskGraphTraces traces{graph, static_cast<std::uint32_t>(options.step.tag_base)};
  names.make_folders();
  std::string groups;
  chakra::append_groups(groups, traces.groups());
  io::write_file(names.groups(), groups);

  std::vector<std::vector<std::uint32_t>> ranks(graph.programs().size());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    ranks[graph.program_index(rank)].push_back(rank);
  {
    Progress progress{graph.ranks(), options.quiet};
    for (std::uint32_t program = 0; program < ranks.size(); ++program)
      io::write_traces(
          traces.file(program, options.format), names, ranks[program], options.jobs,
          [&](std::uint32_t rank, std::vector<std::uint32_t>& values) { traces.values(rank, values); },
          [&] { progress.one_more(); });
  }
  GenerateSummary summary = summary_of(model, plan, graph);
  constexpr const char* types[] = {"dense", "llama", "gpt", "moe", "debug"};
  summary.model = options.model.empty() ? types[static_cast<std::size_t>(options.step.model_type)]
                                        : std::filesystem::path{options.model}.string();
  summary.groups = traces.groups().size();
  summary.first_file = names.trace(0).string();
  summary.groups_file = names.groups().string();
  print(summary, options);
  return done;
}

} // namespace triosim::cli
