// SPDX-License-Identifier: MIT
#include "pipeline/told_findings.h"

#include <algorithm>

namespace warpgrade {
namespace {

/// A driver makes CUDA refuse a call to see which error it returns. Such a call lies in no
/// range.
bool is_drivers_own(const Finding& finding, const Trace& trace) {
  return finding.checker == "api" && finding.range.empty() && !finding.at_exit &&
         !trace.ranges.empty();
}

bool is_demanded(const Rubric& rubric, const Finding& finding) {
  const auto demands = [&](const Rule& rule) {
    const auto* const wanted = std::get_if<FindingsRule>(&rule);
    return wanted != nullptr && wanted->range == finding.range &&
           std::find(wanted->checkers.begin(), wanted->checkers.end(), finding.checker) !=
               wanted->checkers.end();
  };
  return std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return std::any_of(item.rules.begin(), item.rules.end(), demands);
  });
}

bool is_refused(const Rubric& rubric, const std::string& case_id) {
  const Case* const found = rubric.find_case(case_id);
  return found != nullptr &&
         std::find(found->kinds.begin(), found->kinds.end(), "refused") != found->kinds.end();
}

}  // namespace

std::vector<Finding> told_findings(const Rubric& rubric, const std::string& case_id,
                                   const Trace& trace, const std::vector<CaseVerdict>& verdicts) {
  const bool passed = std::all_of(verdicts.begin(), verdicts.end(), [](const CaseVerdict& each) {
    return each.status == Outcome::kPassed;
  });
  const bool is_to_fail = is_refused(rubric, case_id);
  std::vector<Finding> told;
  for (const Finding& finding : trace.findings) {
    const bool is_asked_for = passed && (is_to_fail || finding.checker == "api");
    if (!is_asked_for && !is_drivers_own(finding, trace) && !is_demanded(rubric, finding))
      told.push_back(finding);
  }
  return told;
}

}  // namespace warpgrade
