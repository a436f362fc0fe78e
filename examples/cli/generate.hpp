#pragma once

#include <triosim/chakra/encoding.hpp>
#include <triosim/io/trace_names.hpp>
#include <triosim/symbolic/classic/options.hpp>
#include <triosim/symbolic/physical/plan.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace triosim::cli {

/// Whose rules: those of the library, or those of the published generator, to the byte.
enum class Rules : std::uint8_t { classic, physical };

/// Numbers of one element, by name.
enum class DataType : std::uint8_t { bf16, fp16, fp32 };

struct GenerateOptions {
  Rules rules = Rules::physical;
  /// Sizes and degrees, whatever the rules.
  symbolic::classic::Options step;
  std::string output_dir;
  std::string output_name;
  std::string comm_group_file;
  chakra::Format format = chakra::Format::v0_0_4;
  bool print_gpu_vram = false;
  bool json = false;
  bool quiet = false;
  unsigned jobs = 1;

  // ---- physical rules ----
  std::string model; ///< file of a HuggingFace configuration
  bool model_type_given = false, seq_given = false, size_given = false;
  std::optional<std::int64_t> micro_batch_of_rank; ///< Megatron's: sequences of one data-parallel rank
  std::optional<std::int64_t> head_dim;
  std::uint32_t virtual_stages = 1;
  std::optional<int> zero;
  symbolic::physical::Schedule schedule = symbolic::physical::Schedule::one_f_one_b;
  bool interleaved = false;
  std::optional<symbolic::physical::Recompute> recompute;
  std::optional<DataType> precision;
  bool activation_recompute = false;
  std::string only_physical; ///< an option in use that the classic rules do not have
};

int generate(const GenerateOptions& options);
int generate_classic(const GenerateOptions& options, const io::TraceNames& names);
int generate_physical(const GenerateOptions& options, const io::TraceNames& names);

} // namespace triosim::cli
