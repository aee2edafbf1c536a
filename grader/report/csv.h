// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"
#include "report/versions.h"

namespace warpgrade {

/// The item's points as text; empty where it waits, could not be judged or is not in this result.
std::string judged_points(const SubmissionResult& result, const std::string& id);

/// grades.csv: student, score, max_score, the points of each item, and why points were lost. The
/// score of a submission that could not be graded, and the points of an item that waits, are empty
/// rather than 0. No cell begins a spreadsheet formula.
/// Where some rows were graded with another rubric or grader than what is `present`, a column says so.
std::string format_csv(const std::vector<SubmissionResult>& results, const Versions& present = {});

}  // namespace warpgrade
