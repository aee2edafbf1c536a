// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/result.h"

namespace warpgrade {

/// Decisions of a class by student, or by group (ItemFault::group_id), each one's in the order of the file.
using Decisions = std::map<std::string, std::vector<Decision>>;

/// What a line of decisions.csv can be about.
struct Decidable {
  const Rubric& rubric;
  std::vector<std::string> students;  ///< Who handed something in.
  /// The students whom a name or an id of the LMS may mean; without it they have their ids alone.
  std::function<std::vector<std::string>(const std::string&)> find = {};
};

/// Reads the CSV file `name` with the columns `student`, `item`, `points`, `note`, `by` and `date`, in any order. `points`
/// is a number ("8"), a change ("+2", "-1.5"), "final", or empty for a mere note; an empty `item` is the whole score.
/// `about` finds a `student`; "group:launch.none@edges" stands for everyone who lost points of the item by that fault. The
/// Error names each wrong line with a remedy: an unknown student or item, points out of range, no note or no name.
Result<Decisions> parse_decisions(std::string_view csv, std::string_view name,
                                  const Decidable& about);

/// What may concern a student: the decisions about groups, then the student's own, which have the last word.
std::vector<Decision> decisions_for(const Decisions& decisions, const std::string& student);

/// Makes `result` what the grader judged with these decisions instead of those that it had. A decision moves its own
/// item alone; one about a group moves nothing where the student has another fault. It takes back lateness where something changes: judge that afterwards.
void apply_decisions(SubmissionResult& result, const std::vector<Decision>& decisions);

/// "Decided by Mira, 2026-11-20: 8 instead of 5 points: the grid is right for all sizes asked for"
std::string describe(const AppliedDecision& applied, const std::string& language);

}  // namespace warpgrade
