// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result.h"

namespace warpgrade {

/// One line for each problem of a result, as compilers print theirs and editors read them:
/// `path:line: error: message`. `path` is the file that the student edits. Findings are warnings at their lines; lost items,
/// and findings in other files, stand at line 1. Empty where there is no problem.
std::string format_problem_lines(const SubmissionResult& result, const std::string& path);

}  // namespace warpgrade
