// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"
#include "report/versions.h"

namespace warpgrade {

/// A text as one cell, RFC 4180. A quote before what a spreadsheet would take for a formula makes it text.
std::string csv_cell(const std::string& text);

/// grades.csv: student, score, max_score, the points of each item, and why points were lost. The
/// score of a submission that could not be graded, and the points of an item that waits, are empty
/// rather than 0. No cell begins a spreadsheet formula.
/// Where some rows were graded with another rubric or grader than what is `present`, a column says so.
std::string format_csv(const std::vector<SubmissionResult>& results, const Versions& present = {});

}  // namespace warpgrade
