#pragma once

/// The library with its readers and writers of files. Link `triosim::io`.

#include "triosim/chakra/file_template.hpp"
#include "triosim/chakra/groups_reader.hpp"
#include "triosim/chakra/names.hpp"
#include "triosim/chakra/operation.hpp"
#include "triosim/chakra/read.hpp"
#include "triosim/chakra/write.hpp"
#include "triosim/io/file.hpp"
#include "triosim/io/flow_scenario.hpp"
#include "triosim/io/json_walk.hpp"
#include "triosim/io/machine_file.hpp"
#include "triosim/io/output_file.hpp"
#include "triosim/io/symbolic_traces.hpp"
#include "triosim/report/json.hpp"
#include "triosim/report/timeline.hpp"
#include "triosim/triosim.hpp"
