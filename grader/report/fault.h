// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "report/result.h"

namespace warpgrade {

/// Why the grader took points of an item. Students with one fault in an item made the same mistake.
struct ItemFault {
  std::string reason_id;  ///< An id of the catalogue of sentences.
  std::string case_id;    ///< The first case that shows it; empty where the reason has no case.
  /// 8 hexadecimal digits that tell apart why submissions hold nothing to grade. Empty for any other reason.
  std::string cause = {};

  /// Whether the other fault is this one; without a cause, one of any cause.
  bool covers(const ItemFault& other) const;

  /// "group:launch.none@edges" or "group:item.everything#1f3a0b77", by which decisions.csv names the students who have it.
  std::string group_id() const;

  auto operator<=>(const ItemFault&) const = default;
};

/// What group_id wrote; nothing for any other text.
std::optional<ItemFault> parse_group_id(std::string_view text);

/// The fault that cost points of an item as the grader judged it. Nothing where it was earned, waits, or was lost only
/// because of another item.
std::optional<ItemFault> fault_of(const ItemResult& judged);

/// The item as the grader judged it, before persons decided.
const ItemResult& judged_item(const SubmissionResult& result, const ItemResult& item);

}  // namespace warpgrade
