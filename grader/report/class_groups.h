// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/passage.h"
#include "report/result.h"

namespace warpgrade {

/// Columns of a reason on the class's page; it is in full on the student's.
constexpr size_t kReasonColumns = 160;

/// A link from the class's page to the student's, by name and id.
std::string link_to(const SubmissionResult& result);

/// A section of the class's page: students with the same failure, one's source that shows it, how persons answered
/// them, and the line of decisions.csv that answers them all. Empty where no two failed alike.
std::string groups_section(const std::vector<SubmissionResult>& results, const SourceOf& source_of);

/// A section of the class's page: what persons decided, for whom, and why. Empty where they decided nothing.
std::string decisions_section(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
