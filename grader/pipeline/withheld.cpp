// SPDX-License-Identifier: MIT
#include "pipeline/withheld.h"

#include <algorithm>

#include "base/npy.h"
#include "pipeline/judge.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

Sentence independence_of(const DependsOnRule& rule) {
  const Filling range("range", rule.range), array("array", rule.array);
  if (rule.on == Means::kSharedMemory) return say("depends.shared_memory", {range, array});
  if (rule.on == Means::kConstantMemory) return say("depends.constant_memory", {range, array});
  return say("depends.atomics", {range, array});
}

struct Changed {
  size_t elements = 0, others = 0;  ///< that are not 0, and become others
};

Changed compare_elements(const NpyArray& one, const NpyArray& two) {
  const std::string_view first = bytes_view(one), second = bytes_view(two);
  const size_t size = one.count() == 0 ? 1 : first.size() / one.count();
  Changed changed;
  for (size_t at = 0; at + size <= first.size(); at += size) {
    const std::string_view element = first.substr(at, size);
    if (element.find_first_not_of('\0') == std::string_view::npos) continue;
    ++changed.elements;
    changed.others += element != second.substr(at, size);
  }
  return changed;
}

}  // namespace

std::vector<DependsOnRule> dependencies_of(const Rubric& rubric, const std::string& case_id) {
  std::vector<DependsOnRule> found;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(case_id)) continue;
    for (const Rule& rule : item.rules) {
      const auto* const depends = std::get_if<DependsOnRule>(&rule);
      if (depends != nullptr && std::find(found.begin(), found.end(), *depends) == found.end())
        found.push_back(*depends);
    }
  }
  return found;
}

std::vector<WithheldRun> runs_without(const DependsOnRule& rule) {
  switch (rule.on) {
    case Means::kSharedMemory:
      return {{"shared_loads:" + rule.range, false}, {"shared_memory:" + rule.range, true}};
    case Means::kConstantMemory:
      return {{"constant_memory:" + rule.range, true}};
    case Means::kAtomics:
      return {{"atomics:" + rule.range, true}, {"reductions:" + rule.range, false}};
  }
  return {};
}

void Dependence::add(const WithheldRun& run, const Judgement& judged) {
  settled = judged.passed || (run.takes_all && !judged.pending);
  if (judged.passed || run.takes_all) judgement = judged;
}

Judgement judge_dependence(const DependsOnRule& rule, const Arrays& outputs,
                           const RunResult& without) {
  const auto before = outputs.find(rule.array);
  if (before == outputs.end()) return {};
  const auto after = without.outputs.find(rule.array);
  if (after == without.outputs.end() || after->second.shape != before->second.shape)
    return Judgement::waits(say("waits.withheld", {{"range", rule.range}, {"array", rule.array}}));
  const Changed changed = compare_elements(before->second, after->second);
  if (rule.elements == Dependents::kHalf && 2 * changed.others >= changed.elements) return {};
  if (changed.others == changed.elements) return {};
  if (changed.others == 0 || rule.elements == Dependents::kHalf)
    return Judgement::failed(independence_of(rule));
  return Judgement::failed(say("depends.in_part", {{"range", rule.range},
                                                   {"array", rule.array},
                                                   {"stay", changed.elements - changed.others},
                                                   {"elements", changed.elements}}));
}

namespace {

/// Whether an item of the case says that the array is wrong: then what it would be without something tells nothing.
bool is_wrong(const Rubric& rubric, const std::string& case_id, const std::string& array,
              const std::vector<CaseVerdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& verdict) {
    const Item* const item = rubric.find_item(verdict.item_id);
    return verdict.case_id == case_id && verdict.status == Outcome::kFailed && item != nullptr &&
           std::any_of(item->outputs.begin(), item->outputs.end(),
                       [&](const OutputRule& output) { return output.array == array; });
  });
}

}  // namespace

void apply_dependence(const Rubric& rubric, const std::string& case_id, const DependsOnRule& rule,
                      const Judgement& judgement, std::vector<CaseVerdict>& verdicts) {
  if (judgement.passed || is_wrong(rubric, case_id, rule.array, verdicts)) return;
  for (CaseVerdict& verdict : verdicts) {
    const Item* const item = rubric.find_item(verdict.item_id);
    const bool earns = verdict.status == Outcome::kPassed || verdict.status == Outcome::kPartial;
    if (verdict.case_id != case_id || item == nullptr || !earns) continue;
    const bool has = std::any_of(item->rules.begin(), item->rules.end(), [&](const Rule& each) {
      const auto* const depends = std::get_if<DependsOnRule>(&each);
      return depends != nullptr && *depends == rule;
    });
    if (has) verdict = verdict_of(case_id, *item, judgement);
  }
}

}  // namespace warpgrade
