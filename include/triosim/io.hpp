#pragma once

/// The library with its readers and writers of files. Link `triosim::io`.

#include "triosim/triosim.hpp"
