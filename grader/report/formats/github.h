// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// Commands that GitHub Actions reads from a step's output: an error for each lost item, a warning at the line of each
/// mistake, and a notice with the points. Nothing that a student may not read.
std::string format_github_annotations(const std::vector<SubmissionResult>& results);

/// The same in Markdown, for a job's summary. A student's words stay words: no link, no image, no HTML comes of them.
std::string format_github_summary(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
