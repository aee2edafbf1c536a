// SPDX-License-Identifier: MIT
#include "report/fault.h"

#include <algorithm>

#include "base/hash.h"

namespace warpgrade {
namespace {

constexpr std::string_view kGroup = "group:";

/// In results of earlier graders every submission that holds nothing to grade has this reason, whose argument says what
/// it lacks.
constexpr std::string_view kEverything = "item.everything";
constexpr size_t kCauseDigits = 8;

std::string cause_of(const Sentence& reason) {
  const auto why = reason.args.find("why");
  if (reason.id != kEverything || why == reason.args.end()) return {};
  return sha256_hex(why->second).substr(0, kCauseDigits);
}

}  // namespace

bool ItemFault::covers(const ItemFault& other) const {
  return reason_id == other.reason_id && case_id == other.case_id &&
         (cause.empty() || cause == other.cause);
}

std::string ItemFault::group_id() const {
  return std::string(kGroup) + reason_id + (cause.empty() ? "" : "#" + cause) +
         (case_id.empty() ? "" : "@" + case_id);
}

std::optional<ItemFault> parse_group_id(std::string_view text) {
  if (!text.starts_with(kGroup)) return std::nullopt;
  text.remove_prefix(kGroup.size());
  const size_t end = std::min(text.find('@'), text.size());
  ItemFault fault{std::string(text.substr(0, end)), {}};
  if (end < text.size()) fault.case_id = text.substr(end + 1);
  const size_t cause = fault.reason_id.find('#');
  if (cause == std::string::npos) return fault;
  fault.cause = fault.reason_id.substr(cause + 1);
  fault.reason_id.resize(cause);
  return fault;
}

std::optional<ItemFault> fault_of(const ItemResult& judged) {
  const bool is_lost = judged.status == Outcome::kFailed || judged.status == Outcome::kPartial;
  if (!is_lost || !judged.cause.empty() || judged.reason.empty()) return std::nullopt;
  return ItemFault{judged.reason.id, judged.case_id, cause_of(judged.reason)};
}

const ItemResult& judged_item(const SubmissionResult& result, const ItemResult& item) {
  // The first decision kept the item as the grader left it.
  for (const AppliedDecision& each : result.decisions) {
    if (each.before && each.before->id == item.id) return *each.before;
  }
  return item;
}

}  // namespace warpgrade
