#pragma once

#include "cli/command.hpp"
#include "cli/generate.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace triosim::cli {

/// A truth value as text, in the spellings of the published programs.
inline CLI::Option* add_truth(CLI::App& app, const std::string& names, bool& value, const std::string& help) {
  return app
      .add_option_function<std::string>(
          names,
          [&value, names](const std::string& text) {
            std::string lower = CLI::detail::to_lower(text);
            for (const char* yes : {"true", "t", "1", "yes", "y", "on"})
              if (lower == yes) return void(value = true);
            for (const char* no : {"false", "f", "0", "no", "n", "off"})
              if (lower == no) return void(value = false);
            throw CLI::ValidationError{names, "found \"" + text + "\", expected true or false"};
          },
          help)
      ->type_name("BOOL")
      ->default_str(value ? "true" : "false");
}

inline std::pair<CLI::App*, Run> add_generate(CLI::App& app) {
  using symbolic::classic::ModelType;
  using symbolic::physical::Recompute;
  using symbolic::physical::Schedule;
  CLI::App* command = app.add_subcommand(
      "generate", "Write the Chakra execution traces of one training step of a model, one for each rank");
  command->footer(
      "Examples:\n"
      "  triosim generate --output_dir out --output_name gpt3 --model_type gpt --dmodel 12288 --dff 49152 --head 96 "
      "\\\n"
      "    --num_stacks 96 --seq 2048 --dvocal 51200 --batch 64 --micro_batch 16 --dp 16 --tp 8 --pp 8\n"
      "  triosim generate --output_dir out --output_name llama --model config.json --tensor-model-parallel-size 8 \\\n"
      "    --pipeline-model-parallel-size 4 --dp 16 --micro-batch-size 1 --global-batch-size 512 --recompute full\n"
      "Exit codes: 0 done, 2 usage or configuration, 3 input file.");
  const auto options = std::make_shared<GenerateOptions>();
  auto& o = *options;
  auto& step = options->step;

  // ---- output ----
  command->add_option("--output_dir", o.output_dir, "Folder of the traces, made if it does not exist")
      ->required()
      ->group("Output");
  command->add_option("--output_name", o.output_name, "Name of a trace, with %d for the rank")
      ->required()
      ->group("Output");
  command
      ->add_option("--comm_group_file", o.comm_group_file,
                   "Name of the file of communicator groups (default: made from the name of the traces)")
      ->group("Output");
  command->add_option("--chakra_schema_version", o.format, "Format of the traces: v0.0.4, v0.0.1 or json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, chakra::Format>{
          {"v0.0.4", chakra::Format::v0_0_4}, {"v0.0.1", chakra::Format::v0_0_1}, {"json", chakra::Format::json}}))
      ->default_str("v0.0.4")
      ->group("Output");
  command->add_option("--tag-base,--tag_base", step.tag_base, "Tag of the first message between stages")
      ->capture_default_str()
      ->group("Output");
  command->add_option("--jobs,-j", o.jobs, "Threads that write")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str()
      ->group("Output");
  command->add_flag("--json", o.json, "The summary as JSON")->group("Output");
  command->add_flag("--quiet", o.quiet, "No summary and no progress")->group("Output");

  command
      ->add_option("--rules", o.rules,
                   "physical: sizes in bytes, FLOPs as they are; classic: as the published generator, to the byte")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Rules>{{"classic", Rules::classic}, {"physical", Rules::physical}}))
      ->default_str("physical");

  // ---- model ----
  std::vector<CLI::Option*> sizes;
  auto* model_type =
      command->add_option("--model_type", step.model_type, "Model: dense, llama, gpt, moe or debug")
          ->transform(CLI::CheckedTransformer(std::map<std::string, ModelType>{{"dense", ModelType::dense},
                                                                               {"llama", ModelType::llama},
                                                                               {"gpt", ModelType::gpt},
                                                                               {"moe", ModelType::moe},
                                                                               {"debug", ModelType::debug}}))
          ->default_str("dense")
          ->group("Model");
  const auto size = [&](const char* names, std::int64_t& value, const char* help, const char* group) {
    return command->add_option(names, value, help)->capture_default_str()->group(group);
  };
  sizes.push_back(size("--dvocal,--vocab-size", step.dvocal, "Size of the vocabulary", "Model"));
  sizes.push_back(size("--dmodel,--hidden-size", step.dmodel, "Width of the model", "Model"));
  sizes.push_back(size("--dff,--ffn-hidden-size", step.dff, "Width inside the feed-forward layers", "Model"));
  sizes.push_back(size("--head,--num-attention-heads", step.head, "Attention heads", "Model"));
  sizes.push_back(size("--kvhead,--num-query-groups", step.kvhead, "Heads of keys and values", "Model"));
  sizes.push_back(size("--num_stacks,--num-layers", step.num_stacks, "Transformer blocks", "Model"));
  sizes.push_back(size("--experts,--num-experts", step.experts, "Experts", "Model"));
  sizes.push_back(size("--kexperts,--moe-router-topk", step.kexperts, "Experts that a token passes through", "Model"));
  size("--din", step.din, "Of the debug model: rows of its matrix; 0: the vocabulary", "Model");
  size("--dout", step.dout, "Of the debug model: columns of its matrix; 0: the vocabulary", "Model");
  auto* seq = size("--seq,--seq-length", step.seq, "Tokens of a sequence", "Model");

  // ---- training and parallelism ----
  size("--batch,--global-batch-size", step.batch, "Sequences of a step, of all ranks together", "Training");
  size("--micro_batch", step.micro_batch,
       "Sequences of a micro-batch, of all data-parallel ranks together; -1: the batch", "Training");
  size("--dp,--data-parallel-size", step.dp, "Data parallel", "Parallelism");
  size("--tp,--tensor-model-parallel-size", step.tp, "Tensor parallel", "Parallelism");
  size("--sp,--cp,--context-parallel-size", step.sp, "Sequence (context) parallel", "Parallelism");
  size("--ep,--expert-model-parallel-size", step.ep,
       "Expert parallel; these ranks have tokens of their own, as data-parallel ones", "Parallelism");
  size("--pp,--pipeline-model-parallel-size", step.pp, "Pipeline stages", "Parallelism");
  add_truth(*command, "--weight_sharded", step.weight_sharded, "Shard weights over the data-parallel ranks");
  add_truth(*command, "--tpsp,--sequence-parallel", step.tpsp,
            "Split the sequence over the tensor-parallel ranks between blocks");
  auto* mixed = add_truth(*command, "--mixed_precision", step.mixed_precision, "16-bit training");
  add_truth(*command, "--activation_recompute", o.activation_recompute,
            "Compute activations again (physical rules; without effect in the classic rules)");
  add_truth(*command, "--print_gpu_vram", o.print_gpu_vram, "Print the memory of each rank (classic rules)");

  // ---- physical rules ----
  const char* physical = "Physical rules";
  std::vector<CLI::Option*> only;
  only.push_back(command->add_option("--model", o.model, "HuggingFace configuration (config.json) of the model"));
  only.push_back(command->add_option("--head-dim,--kv-channels", o.head_dim, "Width of a head (default: width / heads)")
                     ->check(CLI::Range(1, 1 << 20)));
  only.push_back(command->add_option("--micro-batch-size", o.micro_batch_of_rank,
                                     "Sequences of a micro-batch of one data-parallel rank, as Megatron counts"));
  only.push_back(command
                     ->add_option_function<std::string>(
                         "--schedule",
                         [&o](const std::string& name) {
                           o.schedule = name == "gpipe"  ? Schedule::gpipe
                                        : name == "none" ? Schedule::data_flow
                                                         : Schedule::one_f_one_b;
                           o.interleaved = name == "interleaved";
                         },
                         "Order of micro-batches, as control: gpipe, 1f1b, interleaved (with --virtual-stages), none")
                     ->check(CLI::IsMember({"gpipe", "1f1b", "interleaved", "none"}))
                     ->type_name("TEXT")
                     ->default_str("1f1b"));
  only.push_back(command->add_option("--virtual-stages", o.virtual_stages, "Chunks of layers of a pipeline rank")
                     ->check(CLI::Range(1u, 1024u))
                     ->capture_default_str());
  only.push_back(command
                     ->add_option("--recompute,--recompute-granularity", o.recompute,
                                  "Activations computed again: none, selective, full")
                     ->transform(CLI::CheckedTransformer(std::map<std::string, Recompute>{
                         {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}}))
                     ->default_str("none"));
  only.push_back(command->add_option("--zero", o.zero, "ZeRO stage over the data-parallel ranks: 0 to 3")
                     ->check(CLI::Range(0, 3))
                     ->default_str("0"));
  auto* precision = command->add_option("--precision", o.precision, "Of weights and activations: bf16, fp16, fp32")
                        ->transform(CLI::CheckedTransformer(std::map<std::string, DataType>{
                            {"bf16", DataType::bf16}, {"fp16", DataType::fp16}, {"fp32", DataType::fp32}}))
                        ->default_str("bf16");
  only.push_back(precision);
  for (CLI::Option* option : only)
    option->group(physical);

  return {command, [options, only, sizes, model_type, seq, mixed, precision] {
            for (const CLI::Option* option : only)
              if (option->count() != 0 && options->only_physical.empty()) options->only_physical = option->get_name();
            for (const CLI::Option* option : sizes)
              options->size_given = options->size_given || option->count() != 0;
            options->model_type_given = model_type->count() != 0;
            options->seq_given = seq->count() != 0;
            if (mixed->count() != 0 && precision->count() == 0)
              options->precision = options->step.mixed_precision ? DataType::bf16 : DataType::fp32;
            return generate(*options);
          }};
}

} // namespace triosim::cli
