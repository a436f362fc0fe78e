// Any bytes as a scenario: read, or refused by a TraceError.
#include <triosim/error.hpp>
#include <triosim/io/scenario_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const auto& link : triosim::io::parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz").links)
      if (!(link.bandwidth >= 0)) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
