// Any bytes as the configuration of a model: read, or refused by a TraceError.
#include <triosim/error.hpp>
#include <triosim/io/model_config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto shape = triosim::io::parse_model_config({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (shape.hidden < 1 || shape.ffn < 1 || shape.layers < 1) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
