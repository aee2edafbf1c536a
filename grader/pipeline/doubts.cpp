// SPDX-License-Identifier: MIT
#include "pipeline/doubts.h"

#include <algorithm>

#include "pipeline/faults.h"
#include "pipeline/judge.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

bool is_hidden(const Rubric& rubric, const std::string& case_id) {
  const Case* const found = rubric.find_case(case_id);
  return found != nullptr && found->visibility == Visibility::kHidden;
}

/// What the reason of a verdict says. A program chooses what its runs do, and so could tell of a hidden case's inputs by it.
Sentence told_in(const Rubric& rubric, const std::string& case_id, const Doubt& doubt) {
  if (!is_hidden(rubric, doubt.case_id) || is_hidden(rubric, case_id)) return doubt.why;
  const Sentence kind = hidden_form(doubt.why);
  return kind.empty() ? say(kHiddenDoubt, {{"range", doubt.range}}) : kind;
}

const Doubt* doubt_about(const std::string& range, const Doubts& doubts) {
  const Doubt* found = nullptr;
  for (const Doubt& doubt : doubts) {
    if (doubt.range == range && (found == nullptr || (doubt.is_certain && !found->is_certain)))
      found = &doubt;
  }
  return found;
}

}  // namespace

const char *const kOtherNumbers = "waits.other_numbers", *const kOtherWay = "waits.other_way",
                  *const kReadBack = "waits.read_back", *const kCarried = "waits.carried",
                  *const kAgainNumbers = "waits.again_numbers",
                  *const kAgainWay = "waits.again_way", *const kApart = "waits.apart",
                  *const kExtraRange = "waits.extra_range",
                  *const kHiddenDoubt = "waits.hidden_doubt";

bool is_waiting_doubt(const Sentence& why) {
  const auto all = {kOtherNumbers, kOtherWay, kReadBack,   kCarried,    kAgainNumbers,
                    kAgainWay,     kApart,    kExtraRange, kHiddenDoubt};
  return std::find(all.begin(), all.end(), why.id) != all.end();
}

bool may_be_cleared(const Doubt& doubt) {
  return !doubt.is_certain && (doubt.why.id == kOtherNumbers || doubt.why.id == kOtherWay);
}

Doubts carried_work(const std::string& case_id, const Trace& trace) {
  Doubts doubts;
  for (const Finding& finding : trace.findings) {
    if (finding.checker == "carried")
      doubts.push_back({finding.range, say(kCarried, {finding.filling("what")}), false, case_id});
  }
  return doubts;
}

void cast_doubts(const Rubric& rubric, const Doubts& doubts, std::vector<CaseVerdict>& verdicts) {
  for (CaseVerdict& verdict : verdicts) {
    const bool earns = verdict.status == Outcome::kPassed || verdict.status == Outcome::kPartial;
    const Item* const item = rubric.find_item(verdict.item_id);
    if (!earns || item == nullptr) continue;
    for (const std::string& range : ranges_of(*item)) {
      const Doubt* const doubt = doubt_about(range, doubts);
      if (doubt == nullptr) continue;
      const Sentence told = told_in(rubric, verdict.case_id, *doubt);
      Judgement judgement = doubt->is_certain ? Judgement::failed(told) : Judgement::waits(told);
      judgement.flags.push_back({"result may not come from what kernels read", doubt->why.text});
      verdict = verdict_of(verdict.case_id, *item, judgement);
      break;
    }
  }
}

}  // namespace warpgrade
