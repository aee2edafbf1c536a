// SPDX-License-Identifier: MIT
#include "report/fault.h"

#include <algorithm>

namespace warpgrade {
namespace {

constexpr std::string_view kGroup = "group:";

}  // namespace

std::string ItemFault::group_id() const {
  return std::string(kGroup) + reason_id + (case_id.empty() ? "" : "@" + case_id);
}

std::optional<ItemFault> parse_group_id(std::string_view text) {
  if (!text.starts_with(kGroup)) return std::nullopt;
  text.remove_prefix(kGroup.size());
  const size_t end = std::min(text.find('@'), text.size());
  ItemFault fault{std::string(text.substr(0, end)), {}};
  if (end < text.size()) fault.case_id = text.substr(end + 1);
  return fault;
}

std::optional<ItemFault> fault_of(const ItemResult& judged) {
  const bool is_lost = judged.status == Outcome::kFailed || judged.status == Outcome::kPartial;
  if (!is_lost || !judged.cause.empty() || judged.reason.empty()) return std::nullopt;
  return ItemFault{judged.reason.id, judged.case_id};
}

const ItemResult& judged_item(const SubmissionResult& result, const ItemResult& item) {
  // The first decision kept the item as the grader left it.
  for (const AppliedDecision& each : result.decisions) {
    if (each.before && each.before->id == item.id) return *each.before;
  }
  return item;
}

}  // namespace warpgrade
