// SPDX-License-Identifier: MIT
#include "report/repeated_findings.h"

#include <algorithm>

namespace warpgrade {
namespace {

bool is_same_place(const Finding& a, const Finding& b) {
  return a.checker == b.checker && a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
         (a.line != 0 || a.message == b.message);
}

}  // namespace

std::vector<RepeatedFinding> repeated_findings_of(const SubmissionResult& result) {
  std::vector<RepeatedFinding> all;
  for (const CaseFinding& each : result.findings) {
    auto known = std::find_if(all.begin(), all.end(), [&](const RepeatedFinding& earlier) {
      return is_same_place(earlier.first->finding, each.finding);
    });
    if (known == all.end()) known = all.insert(known, RepeatedFinding{&each, 0, {}});
    known->count += each.finding.count;
    known->cases.insert(each.case_id);
  }
  return all;
}

}  // namespace warpgrade
