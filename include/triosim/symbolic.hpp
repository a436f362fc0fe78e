#pragma once

/// Models as symbolic tensor graphs, and the training steps that follow from them.

#include "triosim/symbolic/classic/memory_report.hpp"
#include "triosim/symbolic/classic/step.hpp"
#include "triosim/symbolic/models/language_model.hpp"
#include "triosim/symbolic/module.hpp"
#include "triosim/symbolic/physical/memory.hpp"
#include "triosim/symbolic/physical/training_step.hpp"
#include "triosim/symbolic/physical/transformer.hpp"
