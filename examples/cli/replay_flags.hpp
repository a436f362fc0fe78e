#pragma once

#include "cli/command.hpp"
#include "cli/replay.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace triosim::cli {

inline std::pair<CLI::App*, Run> add_replay(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("replay", "Play Chakra execution traces on a machine: when does each rank end?");
  const auto options = std::make_shared<ReplayOptions>();
  ReplayOptions& o = *options;
  command->footer(
      "Examples:\n"
      "  triosim replay --workload out/gpt3 --comm-group out/gpt3.json --machine h100 --backend nccl\n"
      "  triosim replay --workload out/gpt3 --comm-group out/gpt3.json --network ring.yml --system system.json\n"
      "Network and system files are those of ASTRA-sim; by classic rules its numbers come out, by physical rules (the "
      "default) "
      "traffic\n"
      "shares the links.\n"
      "Exit codes: 0 done, 2 usage or configuration, 3 input file, 4 the run cannot finish.");
  command
      ->add_option("--workload,--workload-configuration", o.workload,
                   "A folder of traces, or a prefix P of files P.0.et, P.1.et, ...")
      ->required();
  command->add_option("--network,--network-configuration", o.network,
                      "Network: topology, npus_count, bandwidth, latency (YAML)");
  command->add_option("--system,--system-configuration", o.system,
                      "System: implementations, chunks, memory bandwidth (JSON)");
  command->add_option("--machine", o.machine,
                      "In their place a machine (physical rules): a name such as h100, or a file");
  command->add_option("--data-type", o.data_type, "Of the machine's peak, for nodes without a recorded time")
      ->capture_default_str();
  command->add_option("--comm-group,--comm-group-configuration", o.comm_group_file, "Communicator groups (JSON)");
  command->add_option("--memory,--remote-memory-configuration", o.memory, "Remote memory (JSON)");
  command
      ->add_option("--backend", o.backend,
                   "flow (max-min fair), packet (equal shares), congestion-aware (one message at a time), "
                   "congestion-unaware, nccl")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Backend>{{"congestion-unaware", Backend::congestion_unaware},
                                                                 {"congestion-aware", Backend::congestion_aware},
                                                                 {"flow", Backend::flow},
                                                                 {"packet", Backend::packet},
                                                                 {"nccl", Backend::nccl}}))
      ->default_str("flow; by classic rules congestion-unaware");
  command->add_option("--rules", o.rules, "physical (the default) or classic")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Rules>{{"classic", Rules::classic}, {"physical", Rules::physical}}));
  command
      ->add_option("--collectives", o.collectives,
                   "How collectives become messages (physical rules): standard, direct, halving-doubling, "
                   "double-binary-tree, hierarchical; else as the system file's first all-reduce implementation")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Algorithm>{{"standard", Algorithm::standard},
                                           {"direct", Algorithm::direct},
                                           {"halving-doubling", Algorithm::halving_doubling},
                                           {"double-binary-tree", Algorithm::double_binary_tree},
                                           {"hierarchical", Algorithm::hierarchical}}));
  command->add_option("--num-queues-per-dim", o.queues_per_dimension, "Queues of each dimension (classic rules)")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  command->add_option("--roofline", o.roofline, "Time of compute nodes by peak and bandwidth, over the system file");
  command->add_option("--peak-perf", o.peak_tflops, "TFLOP/s, over the system file")->check(CLI::PositiveNumber);
  command->add_option("--local-mem-bw", o.local_memory_gbps, "GB/s of device memory, over the system file")
      ->check(CLI::PositiveNumber);
  command->add_option("--scenario", o.scenario,
                      "Slow or failed devices and links, with times (physical rules; JSON: devices, links)");
  command->add_flag("--json", o.json, "The report as JSON");
  command->add_flag("--quiet", o.quiet, "No report in text");
  command->add_option("--csv", o.csv, "File for a row of each rank");
  command->add_option("--timeline", o.timeline, "File for a timeline (physical rules; .gz packs it)");
  return {command, [options, command] {
            if (command->count("--backend") == 0 && options->rules != Rules::classic) options->backend = Backend::flow;
            return replay(*options);
          }};
}

} // namespace triosim::cli
