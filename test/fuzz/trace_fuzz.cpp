// The CSV reader on any two files: a line that is only "===" parts tensor.csv from trace.csv. What is read must be
// written and read back equal, unless the format cannot hold it.

#include <triosim/trace/csv.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

namespace {

triosim::Trace read(const std::string& tensor_text, const std::string& layer_text) {
  std::istringstream tensors{tensor_text}, layers{layer_text};
  return triosim::trace::read_csv(tensors, layers);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const std::string mark = "\n===\n";
  const std::size_t cut = text.find(mark);
  if (cut == std::string::npos) return 0;
  triosim::Trace trace;
  std::string tensors, layers;
  try {
    trace = read(text.substr(0, cut), text.substr(cut + mark.size()));
  } catch (const triosim::TraceError&) {
    return 0;
  }
  try {
    tensors = triosim::trace::tensor_csv(trace);
    layers = triosim::trace::layer_csv(trace);
  } catch (const triosim::ConfigError&) {
    return 0;
  }
  if (!(read(tensors, layers) == trace)) std::abort();
  return 0;
}
