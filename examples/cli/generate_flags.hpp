#pragma once

#include "cli/command.hpp"
#include "cli/generate.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace triosim::cli {

/// A truth value as text, in the spellings of the published programs.
inline void add_truth(CLI::App& app, const std::string& names, bool& value, const std::string& help) {
  app.add_option_function<std::string>(
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
  CLI::App* command = app.add_subcommand(
      "generate", "Write the Chakra execution traces of one training step of a model, one for each rank");
  const auto options = std::make_shared<GenerateOptions>();
  auto& step = options->step;
  using symbolic::classic::ModelType;

  command->add_option("--output_dir", options->output_dir, "Folder of the traces, made if it does not exist")
      ->required()
      ->group("Output");
  command->add_option("--output_name", options->output_name, "Name of a trace, with %d for the rank")
      ->required()
      ->group("Output");
  command
      ->add_option("--comm_group_file", options->comm_group_file,
                   "Name of the file of communicator groups (default: made from the name of the traces)")
      ->group("Output");
  command->add_option("--chakra_schema_version", options->format, "Format of the traces: v0.0.4, v0.0.1 or json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, chakra::Format>{
          {"v0.0.4", chakra::Format::v0_0_4}, {"v0.0.1", chakra::Format::v0_0_1}, {"json", chakra::Format::json}}))
      ->default_str("v0.0.4")
      ->group("Output");
  command->add_option("--tag-base,--tag_base", step.tag_base, "Tag of the first message between stages")
      ->capture_default_str()
      ->group("Output");
  command->add_option("--jobs,-j", options->jobs, "Threads that write")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str()
      ->group("Output");

  command->add_option("--rules", options->rules, "Rules: classic, as the published generator, to the byte")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Rules>{{"classic", Rules::classic}}))
      ->default_str("classic");

  command->add_option("--model_type", step.model_type, "Model: dense, llama, gpt, moe or debug")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ModelType>{{"dense", ModelType::dense},
                                                                           {"llama", ModelType::llama},
                                                                           {"gpt", ModelType::gpt},
                                                                           {"moe", ModelType::moe},
                                                                           {"debug", ModelType::debug}}))
      ->default_str("dense")
      ->group("Model");
  const auto size = [&](const char* name, std::int64_t& value, const char* help, const char* group) {
    command->add_option(name, value, help)->capture_default_str()->group(group);
  };
  size("--dvocal", step.dvocal, "Size of the vocabulary", "Model");
  size("--dmodel", step.dmodel, "Width of the model", "Model");
  size("--dff", step.dff, "Width inside the feed-forward layers", "Model");
  size("--seq", step.seq, "Tokens of a sequence", "Model");
  size("--head", step.head, "Attention heads", "Model");
  size("--kvhead", step.kvhead, "Heads of keys and values", "Model");
  size("--num_stacks", step.num_stacks, "Transformer blocks", "Model");
  size("--experts", step.experts, "Experts", "Model");
  size("--kexperts", step.kexperts, "Experts that a token passes through", "Model");
  size("--batch", step.batch, "Sequences of a step, of all ranks together", "Training");
  size("--micro_batch", step.micro_batch,
       "Sequences of a micro-batch, of all data-parallel ranks together; -1: the batch", "Training");
  size("--dp", step.dp, "Data parallel", "Parallelism");
  size("--tp", step.tp, "Tensor parallel", "Parallelism");
  size("--sp", step.sp, "Sequence (context) parallel", "Parallelism");
  size("--ep", step.ep, "Expert parallel", "Parallelism");
  size("--pp", step.pp, "Pipeline stages", "Parallelism");
  add_truth(*command, "--weight_sharded", step.weight_sharded, "Shard weights over the data-parallel ranks");
  add_truth(*command, "--tpsp", step.tpsp, "Split the sequence over the tensor-parallel ranks between blocks");
  add_truth(*command, "--mixed_precision", step.mixed_precision, "16-bit training");
  add_truth(*command, "--activation_recompute", options->activation_recompute,
            "Taken for the sake of existing scripts: without effect in the classic rules");
  add_truth(*command, "--print_gpu_vram", options->print_gpu_vram, "Print the memory of each rank");
  return {command, [options] { return generate(*options); }};
}

} // namespace triosim::cli
