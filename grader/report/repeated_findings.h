// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// One mistake, which may come again and in several cases: its first finding, and how often it came.
struct RepeatedFinding {
  const CaseFinding* first;
  long count = 0;
  std::set<std::string> cases;
};

/// In the order of their first findings, which `result` keeps.
std::vector<RepeatedFinding> repeated_findings_of(const SubmissionResult& result);

}  // namespace warpgrade
