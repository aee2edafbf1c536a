// SPDX-License-Identifier: MIT
#include "pipeline/agreement.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {
namespace {

const CaseVerdict* find(const std::vector<CaseVerdict>& verdicts, const CaseVerdict& like) {
  const auto found =
      std::find_if(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& verdict) {
        return verdict.case_id == like.case_id && verdict.item_id == like.item_id;
      });
  return found == verdicts.end() ? nullptr : &*found;
}

std::string words(const CaseVerdict& verdict) {
  return fmt::format("{}{}{}", to_string(verdict.status), verdict.message.empty() ? "" : ": ",
                     verdict.message.text);
}

/// Whether both say something.
bool both_judge(const CaseVerdict& one, const CaseVerdict& other) {
  return one.status != Outcome::kPending && other.status != Outcome::kPending;
}

/// What stands of the two verdicts on one item. What waited for a GPU is for the GPU to say.
CaseVerdict stands(ItemKind kind, const CaseVerdict& emulated, const CaseVerdict& gpu,
                   const std::string& gpu_name) {
  if (kind == ItemKind::kPerformance || emulated.status == Outcome::kPending) return gpu;
  const bool only_there = emulated.status == Outcome::kPassed && gpu.status == Outcome::kFailed;
  if (kind != ItemKind::kCorrectness || !only_there) return emulated;
  CaseVerdict verdict = gpu;
  verdict.message.text = fmt::format("on {}: {}", gpu_name, gpu.message.text);
  return verdict;
}

}  // namespace

std::vector<Speed> speeds_of(const Rubric& rubric, const std::vector<CaseVerdict>& emulated,
                             const std::vector<CaseVerdict>& gpu) {
  std::vector<Speed> speeds;
  for (const CaseVerdict& verdict : emulated) {
    if (rubric.find_item(verdict.item_id)->kind != ItemKind::kPerformance) continue;
    const CaseVerdict* const other = find(gpu, verdict);
    speeds.push_back({verdict.item_id, verdict.case_id, verdict.value,
                      other == nullptr ? std::nullopt : other->value});
  }
  return speeds;
}

Agreed agree(const Rubric& rubric, const std::vector<CaseVerdict>& emulated,
             const std::vector<CaseVerdict>& gpu, const std::string& gpu_name) {
  Agreed agreed;
  for (const CaseVerdict& verdict : emulated) {
    const CaseVerdict* other = find(gpu, verdict);
    const Item* item = rubric.find_item(verdict.item_id);
    if (other == nullptr || item == nullptr) {
      agreed.verdicts.push_back(verdict);
      continue;
    }
    agreed.verdicts.push_back(stands(item->kind, verdict, *other, gpu_name));
    if (item->kind == ItemKind::kPerformance || !both_judge(verdict, *other)) continue;
    const std::string kind(to_string(item->kind));
    ++agreed.compared[kind];
    if (verdict.status != other->status)
      agreed.disagreements.push_back(
          {kind, verdict.item_id, verdict.case_id, words(verdict), words(*other)});
  }
  return agreed;
}

}  // namespace warpgrade
