// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// One assignment of a course and what the students earned in it.
struct CourseColumn {
  std::string slug;
  double weight = 1;
  std::vector<SubmissionResult> results;
};

/// Somebody of the class who has no result of any assignment.
struct Absentee {
  std::string student, name;
};

/// One row a student: the score of each assignment, `total`, the weighted mean of all in percent, and `total_final`, the
/// same without what is provisional. An assignment that a student has no result of counts 0 and stands in `missing`; one
/// that could not be graded counts 0 and stands in `not_graded`; `provisional` names those that may change. Scores are
/// after lateness and decisions. Absentees have a row, too.
std::string format_course(const std::vector<CourseColumn>& columns,
                          const std::vector<Absentee>& absentees = {});

}  // namespace warpgrade
