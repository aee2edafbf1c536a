// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "observe/trace.h"
#include "run/runner.h"

namespace warpgrade {

/// One of several cases that one process ran, as if it had been alone.
struct CaseRun {
  RunResult run;
  Trace trace;
};

/// What ProgramRuns::run_together left of each of `count` cases. None where a case may be otherwise alone: it did
/// not end, began with an error that one before it left, or its records are not between the driver's marks.
std::vector<std::optional<CaseRun>> told_apart(const RunResult& together, size_t count);

}  // namespace warpgrade
