// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// A CSV sheet for any other program: one row a student (each member of a group has one), with the name, the ids that
/// the LMS gave, score, max_score, what the score is (graded, provisional, not graded), what lateness took, and the
/// points of each item. It holds no reasons, so that it may be shown. No cell begins a spreadsheet formula.
std::string format_grade_sheet(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
