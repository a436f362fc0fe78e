#include "cli/convert.hpp"
#include "cli/command.hpp"
#include "cli/trace_files.hpp"

#include <triosim/chakra/names.hpp>
#include <triosim/chakra/read.hpp>
#include <triosim/chakra/write.hpp>
#include <triosim/error.hpp>
#include <triosim/io/output_file.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace triosim::cli {

namespace {

void say(const std::string& file, const chakra::Losses& losses, const char* what) {
  for (const chakra::Losses::Entry& entry : losses.entries())
    std::fprintf(stderr, "triosim: %s: %s: %s, %llu times\n", file.c_str(), what, entry.what.c_str(),
                 static_cast<unsigned long long>(entry.count));
  if (losses.others() != 0)
    std::fprintf(stderr, "triosim: %s: %s: other things, %llu times\n", file.c_str(), what,
                 static_cast<unsigned long long>(losses.others()));
}

void convert_one(const std::string& input, const std::string& output, const ConvertOptions& options) {
  const chakra::Trace trace = chakra::read(input, options.from);
  io::OutputFile file{output};
  const chakra::Losses losses = chakra::write_to(trace, options.to, [&](std::string_view piece) { file.write(piece); });
  say(input, trace.losses(), "not understood");
  say(input, losses, "left out");
  if (options.lossless && !(losses.empty() && trace.losses().empty()))
    throw TraceError::in_file(input, "cannot be written as " + std::string{chakra::to_text(options.to)} +
                                         " without loss; nothing has been written");
  file.commit();
}

} // namespace

int convert(const ConvertOptions& options) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(options.input, code)) {
    convert_one(options.input, options.output, options);
    return done;
  }
  if (fs::equivalent(options.input, options.output, code))
    throw ConfigError{"OUT", options.output, "another folder than the input"};
  fs::create_directories(options.output, code);
  if (code) throw Error{"cannot make the folder " + options.output + ": " + code.message()};
  for (const std::string& file : trace_files({options.input}))
    convert_one(file, (fs::path{options.output} / fs::path{file}.filename()).string(), options);
  return done;
}

} // namespace triosim::cli
