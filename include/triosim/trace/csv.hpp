#pragma once

/// The CSV format of the published TrioSim: one directory with tensor.csv and trace.csv.

#include "triosim/trace/csv_reader.hpp"
#include "triosim/trace/csv_writer.hpp"
