// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// SARIF 2.1.0 of the checkers' findings, one result a place. With several students, each file's name begins with the
/// student's id as a folder. `version` is the grader's, such as "0.1.0".
std::string format_sarif(const std::vector<SubmissionResult>& results, const std::string& version);

}  // namespace warpgrade
