// Any bytes as a Chakra trace: the first byte chooses what they are taken for. They are read, or refused by an Error;
// what has been read can be written in every format, and what the lossless formats hold is read again as it was.
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>
#include <triosim/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace triosim;
using chakra::Format;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::optional<Format> formats[] = {std::nullopt, Format::v0_0_4, Format::v0_0_1, Format::json,
                                               Format::workload_graph};
  const std::optional<Format> format = formats[data[0] % std::size(formats)];
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  std::optional<chakra::Trace> trace;
  try {
    trace = chakra::read_memory(bytes, "fuzz", format);
  } catch (const Error&) {
    return 0;
  }
  for (chakra::Trace::Index node = 0; node < trace->size(); ++node)
    static_cast<void>(trace->facts(node));
  for (const Format to : {Format::v0_0_1, Format::json, Format::workload_graph})
    static_cast<void>(chakra::write_memory(*trace, to));
  const std::string once = chakra::write_memory(*trace, Format::v0_0_4);
  const std::string twice = chakra::write_memory(chakra::read_memory(once, "once", Format::v0_0_4), Format::v0_0_4);
  if (once != twice) __builtin_trap();
  return 0;
}
