// Any bytes as a system file and as a file of the remote memory: read, or refused by a TraceError.
#include <triosim/error.hpp>
#include <triosim/io/replay_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    if (triosim::io::parse_system(text, "fuzz").splits == 0) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  try {
    triosim::io::parse_remote_memory(text, "fuzz");
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
