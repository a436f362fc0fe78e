#pragma once

#include <triosim/chakra/encoding.hpp>
#include <triosim/symbolic/classic/options.hpp>

#include <cstdint>
#include <string>

namespace triosim::cli {

/// Whose rules: those of the published generator, to the byte.
enum class Rules : std::uint8_t { classic };

struct GenerateOptions {
  Rules rules = Rules::classic;
  symbolic::classic::Options step;
  std::string output_dir;
  std::string output_name;
  std::string comm_group_file;
  chakra::Format format = chakra::Format::v0_0_4;
  bool activation_recompute = false;
  bool print_gpu_vram = false;
  unsigned jobs = 1;
};

int generate(const GenerateOptions& options);

} // namespace triosim::cli
