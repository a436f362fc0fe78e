#pragma once

#include <triosim/chakra/encoding.hpp>

#include <optional>
#include <string>

namespace triosim::cli {

struct ConvertOptions {
  std::string input, output;
  chakra::Format to = chakra::Format::v0_0_4;
  std::optional<chakra::Format> from;
  bool lossless = false;
};

int convert(const ConvertOptions& options);

} // namespace triosim::cli
