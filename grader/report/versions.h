// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// What decides a result beside its submission: SHA-256 by name, as SubmissionResult::inputs has them.
using Versions = std::map<std::string, std::string>;

/// "another rubric and another grader"; empty where the result was graded with what is `present`.
std::string other_versions(const SubmissionResult& result, const Versions& present);

/// One sentence with a remedy where some results were graded with something else; empty where none
/// was.
std::string describe_other_versions(const std::vector<SubmissionResult>& whole_class,
                                    const Versions& present);

}  // namespace warpgrade
