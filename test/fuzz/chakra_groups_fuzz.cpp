// Any bytes as a file of communicator groups: read, or refused by a TraceError.
#include <triosim/chakra/groups_reader.hpp>
#include <triosim/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto groups = triosim::chakra::read_groups(
        triosim::io::InputFile::from_memory("fuzz", std::string_view{reinterpret_cast<const char*>(data), size}));
    for (const auto& group : groups)
      if (group.members.empty()) __builtin_trap();
  } catch (const triosim::TraceError&) {
  }
  return 0;
}
