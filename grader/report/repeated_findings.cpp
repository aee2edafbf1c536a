// SPDX-License-Identifier: MIT
#include "report/repeated_findings.h"

#include <algorithm>

namespace warpgrade {
namespace {

/// Whether the item did not pass, and the result does not say in which cases.
bool is_lost_somewhere(const ItemResult& item) {
  return item.status != Outcome::kPassed && item.cause.empty() && item.lost_in.empty();
}

/// The run of a program has no items to pass.
bool is_asked_for(const SubmissionResult& result, const CaseFinding& found) {
  if (found.finding.checker != "api" || result.items.empty()) return false;
  return std::none_of(result.items.begin(), result.items.end(), [&](const ItemResult& item) {
    return is_lost_somewhere(item) ||
           std::find(item.lost_in.begin(), item.lost_in.end(), found.case_id) != item.lost_in.end();
  });
}

}  // namespace

std::vector<RepeatedFinding> repeated_findings(const SubmissionResult& result) {
  std::vector<RepeatedFinding> found;
  const auto same_place = [](const Finding& a, const Finding& b) {
    return a.checker == b.checker && a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
           (a.line != 0 || a.key() == b.key());
  };
  for (const CaseFinding& each : result.findings) {
    if (is_asked_for(result, each)) continue;
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
