// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// A page of a class for its staff, which stands alone: a table of the students with links to their pages
/// (students/<student>.html), the scores, how each item was passed, groups of equal failures, and apart from these
/// who is late, provisional, flagged or not gradable.
std::string format_class_page(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
