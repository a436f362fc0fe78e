#pragma once

#include "cli/generate.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

namespace triosim::cli {

/// Files done of all, on stderr, when a person is looking and it takes long enough to matter.
class Progress {
 public:
  Progress(std::uint32_t all, bool quiet) : all_{all}, shown_{all >= 256 && !quiet && isatty(STDERR_FILENO) != 0} {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\x1b[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void one_more() {
    const std::uint32_t done = ++done_;
    if (shown_ && (done % 64 == 0 || done == all_)) std::fprintf(stderr, "\rtraces %u of %u", done, all_);
  }

 private:
  std::uint32_t all_;
  bool shown_;
  std::atomic<std::uint32_t> done_{0};
};

/// What was written, for people and for programs.
struct GenerateSummary {
  struct Traffic {
    std::string what;  ///< "all-reduce", ..., "send"
    std::string along; ///< the axes of its communicators
    std::uint64_t calls = 0;
    double amount = 0;
  };
  struct Memory {
    std::uint32_t stage = 0;
    double weights = 0, gradients = 0, optimizer = 0, activations = 0;
  };

  std::string rules;
  std::string model;
  std::uint64_t ranks = 0, stages = 0, nodes = 0, groups = 0;
  double parameters = 0; ///< 0: not known
  double flops = 0;
  /// Of all ranks; `amount` is in bytes, or in elements where the rules count those.
  std::vector<Traffic> traffic;
  bool elements = false;
  std::vector<Memory> memory; ///< of a rank of each stage, in bytes
  std::string first_file, groups_file;
};

/// `"schema": "triosim.generate/1"`.
std::string to_json(const GenerateSummary& summary);
std::string to_text(const GenerateSummary& summary);
void print(const GenerateSummary& summary, const GenerateOptions& options);

} // namespace triosim::cli
