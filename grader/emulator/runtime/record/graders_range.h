// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/runtime/machine.h"

namespace warpgrade::emulator {

/// A range of the grader's domain begins or ends: graders_ranges() and the trace hear of it. Both return the
/// nesting depth, as Ranges does.
int begin_graders_range(Machine& machine, const std::string& name);
int end_graders_range(Machine& machine);

}  // namespace warpgrade::emulator
