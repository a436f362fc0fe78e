#pragma once

/// The whole library but for the readers and writers of files (see io.hpp). Needs Boost.Hana and range-v3 alone.

#include "triosim/cluster.hpp"
#include "triosim/collective/direct.hpp"
#include "triosim/collective/ring.hpp"
#include "triosim/collective/standard.hpp"
#include "triosim/concepts.hpp"
#include "triosim/engine/serial.hpp"
#include "triosim/error.hpp"
#include "triosim/memory/unbounded.hpp"
#include "triosim/mesh.hpp"
#include "triosim/report/observers.hpp"
#include "triosim/report/report.hpp"
#include "triosim/simulator.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/time_model/constant.hpp"
#include "triosim/time_model/first_of.hpp"
#include "triosim/time_model/recorded.hpp"
#include "triosim/time_model/scaled.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/units.hpp"
#include "triosim/version.hpp"
