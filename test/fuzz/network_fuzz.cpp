// Any bytes as a network file: read, or refused by a TraceError.
#include "cli/network_file.hpp"

#include <triosim/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    if (triosim::cli::parse_network({reinterpret_cast<const char*>(data), size}, "fuzz").empty()) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
