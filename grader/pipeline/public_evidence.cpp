// SPDX-License-Identifier: MIT
#include "pipeline/public_evidence.h"

#include <algorithm>

#include "pipeline/plots.h"

namespace warpgrade {

bool PublicEvidence::is_public(const std::string& case_id) const {
  const Case* const found = rubric_.find_case(case_id);
  return found != nullptr && found->visibility == Visibility::kPublic;
}

void PublicEvidence::add(const std::string& case_id, const Trace& trace,
                         const std::vector<CaseVerdict>& verdicts) {
  if (!is_public(case_id)) return;
  lines_.add(case_id, trace);
  for (const CaseVerdict& verdict : verdicts) {
    // One picture of an item's mistake is enough.
    const bool is_known =
        std::any_of(wrong_outputs_.begin(), wrong_outputs_.end(),
                    [&](const WrongOutput& known) { return known.item_id == verdict.item_id; });
    if (verdict.map && !is_known && wrong_outputs_.size() < kMostMaps)
      wrong_outputs_.push_back({case_id, verdict.item_id, *verdict.map});
  }
}

void PublicEvidence::add_baselines(const std::string& case_id,
                                   const std::vector<ProgramWork>& work) {
  if (is_public(case_id)) baseline_work_.insert(baseline_work_.end(), work.begin(), work.end());
}

void PublicEvidence::give(SubmissionResult& result) const {
  result.lines = lines_.rows();
  result.wrong_outputs = wrong_outputs_;
  result.baseline_work = baseline_work_;
  result.plots = plots_of(rubric_, result);
  if (!rubric_.devices.empty()) result.modelled_device = rubric_.devices.front();
}

}  // namespace warpgrade
