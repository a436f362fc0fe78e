#include <triosim/error.hpp>
#include <triosim/io/flow_scenario.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text{reinterpret_cast<const char*>(data), size};
    for (const auto& scenario : triosim::io::parse_flow_scenarios(text, "fuzz"))
      triosim::io::play(scenario);
  } catch (const triosim::Error&) {
  }
  return 0;
}
