// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "observe/trace.h"

namespace warpgrade {

/// Kernels of the program's that ran while no range of the grader's was open: in a constructor, a
/// destructor, another thread or between two graded calls. The driver's own are left out. None where a
/// trace has no such ranges.
std::vector<const KernelLaunch*> launches_outside(const Trace& trace);

/// What counts for limits on a range beside the launches that succeeded in it, and earns nothing: those outside, and
/// those of the range that a fault ended. An empty name means all ranges.
std::vector<const KernelLaunch*> launches_charged(const Trace& trace, std::string_view range);

/// A finding of the checker "outside" for each kernel of launches_outside().
std::vector<Finding> findings_outside(const Trace& trace);

}  // namespace warpgrade
