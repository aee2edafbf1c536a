// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// How far the grading of a class is: how many results are final, provisional, not gradable, late and flagged, and who;
/// and with which rubric, grader, toolchain and seed they were made.
std::string format_status(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
