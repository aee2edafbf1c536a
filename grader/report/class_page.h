// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/passage.h"
#include "report/result.h"

namespace warpgrade {

/// A page of a class for its staff, which stands alone: a table of the students with links to their pages
/// (students/<student>.html), the scores, how each item was passed, groups of equal failures, what persons decided, and
/// apart from these who is late, provisional, flagged or not gradable. Without `source_of`, groups quote no source.
std::string format_class_page(const std::vector<SubmissionResult>& results,
                              const SourceOf& source_of = {});

}  // namespace warpgrade
