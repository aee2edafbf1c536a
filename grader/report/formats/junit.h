// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// JUnit XML: a suite for each student, a test case for each item. Scores are properties. An item that waits is skipped, and
/// one that could not be graded is an error; a suite with one has no score.
std::string format_junit(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
