// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "observe/trace.h"

namespace warpgrade {

/// Kernels that ran while no range of the grader's was open, and wrote memory: in a constructor, a
/// destructor, another thread or between two graded calls. A driver may launch kernels there that
/// write nothing, to see whether CUDA takes a launch. None where a trace has no such ranges.
std::vector<const KernelLaunch*> launches_outside(const Trace& trace);

/// A finding of the checker "outside" for each kernel of launches_outside().
std::vector<Finding> findings_outside(const Trace& trace);

}  // namespace warpgrade
