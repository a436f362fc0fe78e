// The CSV reader on any two files: a line that is only "===" parts tensor.csv from trace.csv. What is read must be
// written and read back equal, unless the format cannot hold it, and what is derived from it must point into it.

#include <triosim/trace/analysis.hpp>
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

bool sound(const triosim::Trace& trace) {
  using triosim::trace::Stage;
  const auto is = [&](triosim::trace::LayerIndex layer, Stage stage) {
    return layer < trace.layers().size() && trace.layer(layer).stage == stage;
  };
  const triosim::trace::Analysis analysis = triosim::trace::analyse(trace);
  for (std::size_t i = 0; i < trace.layers().size(); ++i) {
    const triosim::trace::LayerIndex forward = analysis.pairing.forward_of[i];
    if (forward != triosim::trace::no_layer && !(is(forward, Stage::Forward) && forward < i)) return false;
  }
  for (const triosim::trace::Weight& weight : analysis.weights) {
    if (weight.users.empty() || weight.tensor >= trace.tensors().size()) return false;
    if (weight.gradient != triosim::trace::no_tensor && weight.gradient >= trace.tensors().size()) return false;
    if (weight.gradient_layer != triosim::trace::no_layer && !is(weight.gradient_layer, Stage::Backward)) return false;
  }
  return analysis.roles.size() == trace.tensors().size();
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
  if (!sound(trace)) std::abort();
  try {
    tensors = triosim::trace::tensor_csv(trace);
    layers = triosim::trace::layer_csv(trace);
  } catch (const triosim::ConfigError&) {
    return 0;
  }
  if (!(read(tensors, layers) == trace)) std::abort();
  return 0;
}
