// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

#include "pipeline/doubts.h"

namespace warpgrade {

/// How often each range is opened, and each output noted, under npy_io::kNoted and its name.
using RangeCounts = std::map<std::string, long>;

RangeCounts count_ranges(const Trace& trace);

/// About each of the `judged` ranges, where the trace has more ranges of a name than the driver opens, as a run of the model
/// answer shows. A program that opens more has ended the driver's and works where other rules hold, or none.
Doubts doubts_of_ranges(const std::string& case_id, const Trace& trace, const RangeCounts& driver,
                        const std::set<std::string>& judged);

}  // namespace warpgrade
