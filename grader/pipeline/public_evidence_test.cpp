// SPDX-License-Identifier: MIT
#include "pipeline/public_evidence.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Rubric two_cases() {
  Rubric rubric;
  rubric.submission = "sum.cu";
  rubric.cases.resize(2);
  rubric.cases[0].id = "open";
  rubric.cases[0].visibility = Visibility::kPublic;
  rubric.cases[1].id = "secret";
  rubric.cases[1].visibility = Visibility::kHidden;
  return rubric;
}

Trace one_launch() {
  Trace trace;
  trace.launches.emplace_back().kernel = "sum";
  LineCounts& counts = trace.launches.back().lines.emplace_back();
  counts.file = "sum.cu";
  counts.line = 3;
  counts.warps = 8;
  return trace;
}

CaseVerdict wrong(const std::string& case_id, const std::string& item_id) {
  CaseVerdict verdict{case_id, item_id, Outcome::kFailed};
  verdict.map = make_wrong_map("C", 4, {false, true, false, false});
  return verdict;
}

TEST(PublicEvidence, SaysNothingOfHiddenCases) {
  const Rubric rubric = two_cases();
  PublicEvidence evidence(rubric);
  evidence.add("secret", one_launch(), {wrong("secret", "product")});
  evidence.add_baselines("secret", {{"secret", "naive", 1, 1, 1}});
  SubmissionResult result;
  evidence.give(result);
  EXPECT_TRUE(result.lines.empty());
  EXPECT_TRUE(result.wrong_outputs.empty());
  EXPECT_TRUE(result.baseline_work.empty());
}

TEST(PublicEvidence, HoldsOnePictureOfAnItemsMistake) {
  const Rubric rubric = two_cases();
  PublicEvidence evidence(rubric);
  evidence.add("open", one_launch(),
               {wrong("open", "product"), wrong("open", "product"), wrong("open", "pitch")});
  SubmissionResult result;
  evidence.give(result);
  EXPECT_EQ(result.lines.size(), 1u);
  ASSERT_EQ(result.wrong_outputs.size(), 2u);
  EXPECT_EQ(result.wrong_outputs[0].map.places, "element 1");
  EXPECT_EQ(result.wrong_outputs[1].item_id, "pitch");
}

}  // namespace
}  // namespace warpgrade
