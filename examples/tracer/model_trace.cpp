// Writes traces of models as they would run on an H100, from the shapes of their layers and a roofline: modelled, not
// measured.
//
//   model_trace DIRECTORY                 all three models at the size of sample_trace/
//   model_trace DIRECTORY MODEL BATCH     one of vgg13, resnet50 (images), gpt2 (sequences of 1024 tokens)

#include "models.hpp"

#include <triosim/error.hpp>
#include <triosim/trace/csv.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

struct Model {
  std::string_view name;
  triosim::Trace (*make)(std::int64_t batch);
  std::int64_t batch;
};

constexpr Model models[] = {
    {"vgg13", tracer::vgg13, 128}, {"resnet50", tracer::resnet50, 128}, {"gpt2", tracer::gpt2, 8}};

void write(const Model& model, std::int64_t batch, const std::filesystem::path& directory) {
  const triosim::Trace trace = model.make(batch);
  triosim::trace::write_csv(trace, directory / model.name);
  std::printf("%-8s  batch %lld  %zu layers  %zu tensors  %.3f ms\n", std::string{model.name}.c_str(),
              static_cast<long long>(batch), trace.layers().size(), trace.tensors().size(),
              trace.time().seconds() * 1e3);
}

const Model& find(std::string_view name) {
  for (const Model& model : models)
    if (model.name == name) return model;
  throw triosim::ConfigError{"model", std::string{name}, "vgg13, resnet50 or gpt2"};
}

std::int64_t parse_batch(std::string_view text) {
  std::int64_t batch = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), batch);
  if (code != std::errc{} || end != text.data() + text.size() || batch < 1 || batch > 65536)
    throw triosim::ConfigError{"batch", std::string{text}, "1 to 65536"};
  return batch;
}

} // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2) {
      for (const Model& model : models)
        write(model, model.batch, argv[1]);
    } else if (argc == 4) {
      write(find(argv[2]), parse_batch(argv[3]), argv[1]);
    } else {
      std::fputs("usage: model_trace DIRECTORY [MODEL BATCH]\n", stderr);
      return 2;
    }
  } catch (const triosim::Error& e) {
    std::fprintf(stderr, "model_trace: %s\n", e.what());
    return 2;
  }
}
