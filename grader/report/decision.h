// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "score/score.h"

namespace warpgrade {

/// What a decision does beside its note.
enum class DecisionKind {
  kNote,   ///< Nothing.
  kSet,    ///< These points, whatever the grader gave.
  kAdd,    ///< So many more points, or fewer.
  kFinal,  ///< What is provisional is final as it is.
};

std::string_view to_string(DecisionKind kind);

/// What a person decided about one student, or about all who have one fault: a line of DIR/decisions.csv.
struct Decision {
  std::string student;  ///< The student's id; in a result, its own.
  std::string item;     ///< Empty: the whole score.
  DecisionKind kind = DecisionKind::kNote;
  double points = 0;  ///< kSet and kAdd.
  std::string note, by, date;
  std::string group =
      {};  ///< ItemFault::group_id of those whom it is about; empty for one student.

  bool operator==(const Decision&) const = default;
};

/// A decision in a result, with what it changed.
struct AppliedDecision {
  Decision decision;
  std::optional<ItemResult>
      before;  ///< The item as the grader judged it; none for the whole score.
  double points_before = 0, points_after = 0;

  bool operator==(const AppliedDecision&) const = default;
};

}  // namespace warpgrade
