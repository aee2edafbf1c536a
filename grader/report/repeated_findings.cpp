// SPDX-License-Identifier: MIT
#include "report/repeated_findings.h"

#include <algorithm>

namespace warpgrade {

std::vector<RepeatedFinding> repeated_findings(const SubmissionResult& result) {
  std::vector<RepeatedFinding> found;
  const auto same_place = [](const Finding& a, const Finding& b) {
    return a.checker == b.checker && a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
           (a.line != 0 || a.key() == b.key());
  };
  for (const CaseFinding& each : result.findings) {
    auto known = std::find_if(found.begin(), found.end(), [&](const RepeatedFinding& repeated) {
      return same_place(repeated.first->finding, each.finding);
    });
    if (known == found.end()) known = found.insert(known, RepeatedFinding{&each, 0, {}});
    known->count += each.finding.count;
    known->cases.insert(each.case_id);
  }
  return found;
}

}  // namespace warpgrade
