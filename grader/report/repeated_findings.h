// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// The same mistake in several cases: its first finding, with how often it came. Points into the result.
struct RepeatedFinding {
  const CaseFinding* first;
  long count = 0;
  std::set<std::string> cases;
};

/// Findings of one checker at one place are one, whatever kernel they are of; where no line is known, those that say
/// the same of whatever memory.
std::vector<RepeatedFinding> repeated_findings(const SubmissionResult& result);

/// A finding with what follows from the same mistake.
struct FindingGroup {
  RepeatedFinding cause;
  /// For a race: other races of the same lines, and reads there of what nothing had written yet.
  std::vector<RepeatedFinding> consequences;
};

/// The repeated findings, folded so.
std::vector<FindingGroup> grouped_findings(const SubmissionResult& result);

/// Where the finding is, in the language: its file and line, its case, kernel, block and thread, as far as they are known.
std::vector<std::string> finding_places(const CaseFinding& each, const std::string& language);

/// Whether the finding's file is the student's: a .cu other than the driver.
bool is_in_submission(const Finding& finding);

}  // namespace warpgrade
