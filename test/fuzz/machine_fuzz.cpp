// Any bytes as the description of a machine: it is read, or refused by a TraceError.
#include <triosim/error.hpp>
#include <triosim/io/machine_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const triosim::Machine machine =
        triosim::io::parse_machine({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (machine.tiers.empty() || machine.device.peak.empty()) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
