// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fault.h"
#include "report/result.h"

namespace warpgrade {

/// How a class did at one item.
struct ItemStatistics {
  std::string id, title;
  double max_points = 0;
  long passed = 0, partial = 0, failed = 0, waiting = 0, not_judged = 0;
  std::optional<double> pass_rate = {};  ///< The share of judged students who passed.
  /// Correlation of the item's points with those of all other items, -1 to 1: whether who does well at the item
  /// does well at the rest. Nothing where either is the same for all.
  std::optional<double> discrimination = {};
};

/// Every item of every result, in the order of first appearance. Results that are not graded count in `not_judged`.
std::vector<ItemStatistics> item_statistics(const std::vector<SubmissionResult>& results);

/// Students who lost the same items for the same reason in the same case.
struct FailureGroup {
  std::vector<std::string> items;  ///< Ids.
  ItemFault fault;
  std::string example;           ///< The first student's reason, one line.
  std::vector<size_t> students;  ///< Places in the results, in their order.
};

/// Groups of two students or more as the grader judged them, the largest first, so that a group that was answered stays.
/// An item that is lost only because of another is in no group.
std::vector<FailureGroup> failure_groups(const std::vector<SubmissionResult>& results);

/// Students by score: tenths of the points, the last one with full marks' neighbours and full marks. Students
/// whose score is no grade are left out.
std::vector<long> score_distribution(const std::vector<SubmissionResult>& results);

}  // namespace warpgrade
