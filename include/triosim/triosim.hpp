#pragma once

/// The whole library but for the readers and writers of files (see io.hpp). Needs Boost.Hana and range-v3 alone.

#include "triosim/error.hpp"
#include "triosim/units.hpp"
#include "triosim/version.hpp"
