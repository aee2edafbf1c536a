// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Judges an efficiency item's counter over the launches of its range: against its bounds, then by
/// its curve; pending where only a GPU could count it.
Judgement judge_efficiency(const Item& item, const CaseFacts& facts);

/// Judges a performance item by the time of the kernels of its range: what a timed pass measured, or
/// else what the trace says, measured or modelled; pending where none will do.
Judgement judge_performance(const Item& item, const CaseFacts& facts);

/// Milliseconds that the successful launches of each NVTX range took together. Ranges with a launch
/// that has no time are left out.
std::map<std::string, double> times_by_range(const Trace& trace);

}  // namespace warpgrade
