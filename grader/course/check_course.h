// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "pipeline/grade.h"

namespace warpgrade {

/// One submission whose result is known beforehand, and what became of it.
struct CourseRow {
  std::string name;
  double score = 0;
  double max_score = 0;
  std::vector<std::string> lost;         ///< items that did not pass
  std::vector<std::string> should_lose;  ///< from loses.txt
  std::string complaint;                 ///< empty where all is as it should be

  bool ok() const { return complaint.empty(); }
};

/// Item ids, one per line, `#` begins a comment.
std::vector<std::string> parse_loses(std::string_view text);

/// What is wrong with a sample submission's result; empty where it lost exactly the items it should.
std::string compare_losses(const std::vector<std::string>& lost,
                           const std::vector<std::string>& should_lose);

/// Grades the reference (must get all points), the skeleton (none) and the sample class (each loses exactly what its loses.txt says).
Result<std::vector<CourseRow>> check_course(const Installation& installation, const Rubric& rubric,
                                            int jobs);

/// A table with one line per row, and the complaints.
std::string format_course(const std::string& slug, const std::vector<CourseRow>& rows);

}  // namespace warpgrade
