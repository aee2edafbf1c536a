// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// For tests: a student with one public and one hidden item, worth 60 and 40 points.
inline SubmissionResult sample_result(std::string student, double score) {
  SubmissionResult result;
  result.assignment = "vecadd";
  result.student = std::move(student);
  ItemResult open, hidden;
  open.id = "sum";
  open.title = "The sum is right";
  open.points = std::min(score, 60.0);
  open.max_points = 60;
  hidden.id = "edges";
  hidden.title = "Odd sizes";
  hidden.visibility = Visibility::kHidden;
  hidden.points = score - open.points;
  hidden.max_points = 40;
  for (ItemResult* item : {&open, &hidden}) {
    if (item->points == item->max_points) continue;
    item->status = Outcome::kFailed;
    item->message = "case 'secret-17': the result is wrong at 4242";
    item->student_message = "1 hidden case: the result is wrong";
    item->reason.id = "wrong.value";
    item->reason.args = {{"expected", "4242"}};
  }
  result.set_score({{open, hidden}, score, 100, false, false});
  result.hidden_cases = {"secret-17"};
  result.inputs = {{"rubric", "cd34"}};
  return result;
}

/// Its machine failed.
inline SubmissionResult ungraded_result(std::string student) {
  SubmissionResult result = sample_result(std::move(student), 0);
  for (ItemResult& item : result.items) item.status = Outcome::kSystemError;
  return result;
}

/// What a checker found in one case.
inline CaseFinding sample_finding(std::string case_id) {
  Finding finding;
  finding.checker = "race";
  finding.message = "reads tile[0], which thread (0,0,0) writes";
  finding.kernel = "add(float*)";
  finding.file = "vecadd.cu";
  finding.line = 12;
  finding.count = 3;
  return {std::move(case_id), finding};
}

}  // namespace warpgrade
