#pragma once

/// The whole library but for the readers and writers of files (see io.hpp). Needs Boost.Hana and range-v3 alone.

#include "triosim/cluster.hpp"
#include "triosim/concepts.hpp"
#include "triosim/engine/serial.hpp"
#include "triosim/error.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/trace/builder.hpp"
#include "triosim/trace/trace.hpp"
#include "triosim/units.hpp"
#include "triosim/version.hpp"
