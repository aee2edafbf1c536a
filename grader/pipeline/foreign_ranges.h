// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "observe/trace.h"

namespace warpgrade {

/// What the program did to the ranges by which the grader's driver names its calls: a finding of the
/// checker "harness" for a range within another one, for one whose name is no word of the driver's
/// source in quotes, nor two of them, and for the end of a range that was not open. A driver opens
/// one range after another, so the student's code did each of these.
std::vector<Finding> foreign_ranges(const Trace& trace, std::string_view driver_source);

/// Marks launches outside all ranges of kernels that the driver defines: its source has the name, and the emulated
/// device found the kernel in a container of `driver_code`, by hash. A GPU does not say where it found one.
void mark_drivers_launches(Trace& trace, std::string_view driver_source,
                           const std::vector<std::string>& driver_code);

/// Takes launches in ranges that neither an item of the rubric names nor the driver opens, and what was found in them, for
/// such outside all ranges: those that tell cases apart, and those with the name of an array.
void move_outside(Trace& trace, std::string_view driver_source,
                  const std::set<std::string>& judged);

/// The trace with these findings and those of launches outside all ranges.
void add_findings_of_ranges(Trace& trace, std::string_view driver_source);

}  // namespace warpgrade
