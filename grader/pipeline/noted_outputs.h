// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "observe/trace.h"
#include "plan/plan.h"
#include "run/runner.h"

namespace warpgrade {

/// Findings about files that hold something else than the driver noted, or of which it noted nothing: the program wrote them.
/// Where a run ended badly, what was not noted says nothing.
std::vector<Finding> changed_outputs(const RunStep& step, const RunResult& run, const Trace& trace);

}  // namespace warpgrade
