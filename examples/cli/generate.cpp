#include "cli/generate.hpp"
#include "cli/command.hpp"

#include <triosim/error.hpp>

#include <cstdio>

namespace triosim::cli {

int generate(const GenerateOptions& options) {
  if (options.rules == Rules::classic && !options.only_physical.empty())
    throw ConfigError{"rules", "classic", "physical, as the published generator has no " + options.only_physical};
  if ((options.step.din != 0 || options.step.dout != 0) &&
      options.step.model_type != symbolic::classic::ModelType::debug)
    std::fprintf(stderr, "triosim: warning: --din and --dout are of the debug model, without effect on others\n");
  const io::TraceNames names{options.output_dir, options.output_name, options.comm_group_file};
  return options.rules == Rules::classic ? generate_classic(options, names) : generate_physical(options, names);
}

} // namespace triosim::cli
