#pragma once

/// The version of the library; CMake reads these three lines.
#define TRIOSIM_VERSION_MAJOR 0
#define TRIOSIM_VERSION_MINOR 1
#define TRIOSIM_VERSION_PATCH 0
