#include "cli/generate.hpp"
#include "cli/command.hpp"

#include <triosim/io/symbolic_traces.hpp>
#include <triosim/symbolic/classic/memory_report.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace triosim::cli {

namespace {

/// Files done of all, on stderr, when a person is looking and it takes long enough to matter.
class Progress {
 public:
  explicit Progress(std::uint32_t all) : all_{all}, shown_{all >= 256 && isatty(STDERR_FILENO) != 0} {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\x1b[K");
  }
  void one_more() {
    const std::uint32_t done = ++done_;
    if (shown_ && (done % 64 == 0 || done == all_)) std::fprintf(stderr, "\rtraces %u of %u", done, all_);
  }

 private:
  std::uint32_t all_;
  bool shown_;
  std::atomic<std::uint32_t> done_{0};
};

void write_stage(const symbolic::classic::Step& step, const io::StageTemplate& stage, const io::TraceNames& names,
                 const std::vector<std::uint32_t>& ranks, unsigned jobs, Progress& progress) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    std::string buffer;
    std::vector<std::uint32_t> values;
    try {
      for (std::size_t i = next++; i < ranks.size(); i = next++) {
        stage.values(ranks[i], values);
        stage.file().write(names.trace(ranks[i]), values, buffer);
        progress.one_more();
      }
    } catch (...) {
      const std::lock_guard lock{failing};
      if (!failure) failure = std::current_exception();
      next = ranks.size();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobs && i < ranks.size(); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& other : others)
    other.join();
  if (failure) std::rethrow_exception(failure);
  static_cast<void>(step);
}

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

} // namespace

int generate(const GenerateOptions& options) {
  const io::TraceNames names{options.output_dir, options.output_name, options.comm_group_file};
  const symbolic::classic::Step step{options.step};
  names.make_folders();
  if (options.print_gpu_vram) print_memory(step);
  io::write_file(names.groups(), io::groups_text(step));

  std::vector<std::vector<std::uint32_t>> ranks_of_stage(step.stages().size());
  for (std::uint32_t rank = 0; rank < step.ranks(); ++rank)
    ranks_of_stage[step.stage_of(rank)].push_back(rank);
  Progress progress{step.ranks()};
  for (std::uint32_t stage = 0; stage < ranks_of_stage.size(); ++stage)
    write_stage(step, io::StageTemplate{step, stage, options.format}, names, ranks_of_stage[stage], options.jobs,
                progress);
  return done;
}

} // namespace triosim::cli
