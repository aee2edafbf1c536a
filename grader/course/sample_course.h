// SPDX-License-Identifier: MIT
// What the tests of this folder share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "course/known_submission.h"

namespace warpgrade {

/// Items: builds, product (cases small and large; output C), on-device (a condition), pitch (needs
/// product), speed (measured, needs product).
inline Rubric sample_course_rubric() {
  Rubric rubric;
  rubric.assignment = "sample";
  rubric.submission = "sample.cu";
  rubric.proof.mistakes = {
      {"G1", "no guard"}, {"G2", "short grid"}, {"N1", "too few bits"}, {"S1", "no barrier"}};
  rubric.proof.cheats.resize(27);
  rubric.cases.resize(2);
  rubric.cases[0].id = "small-3";
  rubric.cases[0].visibility = Visibility::kPublic;
  rubric.cases[1].id = "large-64";
  const auto add = [&](const char* id, ItemKind kind, double points,
                       std::vector<std::string> needs) {
    Item item;
    item.id = id;
    item.title = std::string("The ") + id;
    item.kind = kind;
    item.points = points;
    item.needs = std::move(needs);
    if (kind != ItemKind::kBuild) item.cases = {"small-3", "large-64"};
    rubric.items.push_back(item);
  };
  add("builds", ItemKind::kBuild, 0, {});
  add("product", ItemKind::kCorrectness, 60, {});
  rubric.items.back().outputs.push_back({"C", Exact{}, Layout::kArray});
  add("pitch", ItemKind::kRequirement, 30, {"product"});
  add("speed", ItemKind::kEfficiency, 10, {"product"});
  return rubric;
}

/// A result in which these items failed and all others passed.
inline SubmissionResult sample_result(const Rubric& rubric, const std::vector<std::string>& lost) {
  SubmissionResult result;
  for (const Item& item : rubric.items) {
    ItemResult line;
    line.id = item.id;
    line.max_points = item.points;
    const bool failed = std::find(lost.begin(), lost.end(), item.id) != lost.end();
    line.status = failed ? Outcome::kFailed : Outcome::kPassed;
    line.points = failed ? 0 : item.points;
    result.score += line.points;
    result.max_score += line.max_points;
    result.items.push_back(line);
  }
  return result;
}

}  // namespace warpgrade
