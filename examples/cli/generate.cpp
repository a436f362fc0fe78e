#include "cli/generate.hpp"
#include "cli/command.hpp"

#include <triosim/error.hpp>

namespace triosim::cli {

int generate(const GenerateOptions& options) {
  if (options.rules == Rules::classic && !options.only_physical.empty())
    throw ConfigError{"rules", "classic", "physical, as the published generator has no " + options.only_physical};
  const io::TraceNames names{options.output_dir, options.output_name, options.comm_group_file};
  return options.rules == Rules::classic ? generate_classic(options, names) : generate_physical(options, names);
}

} // namespace triosim::cli
