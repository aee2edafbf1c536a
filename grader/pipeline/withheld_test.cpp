// SPDX-License-Identifier: MIT
#include "pipeline/withheld.h"

#include <gtest/gtest.h>

#include "base/npy.h"

namespace warpgrade {
namespace {

const DependsOnRule kShared{"sum", "total", Means::kSharedMemory};

Arrays total(const std::vector<int32_t>& elements) {
  return {{"total", make_npy<int32_t>({elements.size()}, elements)}};
}

Judgement judged(const Arrays& with, const Arrays& without, const DependsOnRule& rule = kShared) {
  RunResult run;
  run.outputs = without;
  return judge_dependence(rule, with, run);
}

TEST(Withheld, IsNamedWithItsRange) {
  EXPECT_EQ(runs_without(kShared).front().what, "shared_loads:sum");
  EXPECT_EQ(runs_without(kShared).back().what, "shared_memory:sum");
  EXPECT_EQ(runs_without({"sum", "total", Means::kAtomics}).front().what, "atomics:sum");
}

const WithheldRun kPart{"shared_loads:sum", false}, kWhole{"shared_memory:sum", true};

TEST(Withheld, AResultThatHangsOnAPartOfItNeedsNoFurtherRun) {
  Dependence dependence;
  dependence.add(kPart, judged(total({3}), total({4})));
  EXPECT_TRUE(dependence.settled);
  EXPECT_TRUE(dependence.judgement.passed);
}

TEST(Withheld, WhatTakesAllDecidesAboutAResultThatDoesNotHangOnAPart) {
  Dependence dependence;
  dependence.add(kPart, judged(total({3}), total({3})));
  EXPECT_FALSE(dependence.settled);
  dependence.add(kWhole, judged(total({3}), total({3})));
  EXPECT_TRUE(dependence.settled);
  EXPECT_EQ(dependence.judgement.message, "depends.shared_memory(array=total, range=sum)");
}

TEST(Withheld, AProgramThatDoesNotEndWithoutAllOfItWaitsUnlessAPartTells) {
  Dependence dependence;
  dependence.add(kWhole, judged(total({3}), {}));
  EXPECT_FALSE(dependence.settled);
  EXPECT_TRUE(dependence.judgement.pending);
  dependence.add(kPart, judged(total({3}), total({3})));
  EXPECT_TRUE(dependence.judgement.pending) << "the part does not decide";
  dependence.add(kPart, judged(total({3}), total({0})));
  EXPECT_TRUE(dependence.judgement.passed);
}

TEST(Withheld, AResultThatBecomesAnotherDependsOnIt) {
  EXPECT_TRUE(judged(total({0, 5, 6, 7}), total({0, 1, 2, 7})).passed);
}

TEST(Withheld, AResultThatMostlyStaysTheSameDoesNot) {
  EXPECT_EQ(judged(total({0, 5, 6, 7}), total({0, 5, 6, 1})).message,
            "depends.shared_memory(array=total, range=sum)");
  EXPECT_EQ(judged(total({3}), total({3})).message,
            "depends.shared_memory(array=total, range=sum)");
}

TEST(Withheld, AllElementsMustBecomeOthersWhereTheRubricSaysSo) {
  const DependsOnRule all{"sum", "total", Means::kSharedMemory, Dependents::kAll};
  EXPECT_TRUE(judged(total({0, 5, 6}), total({0, 1, 2}), all).passed);
  EXPECT_EQ(judged(total({0, 5, 6}), total({0, 1, 6}), all).message,
            "depends.in_part(array=total, elements=2, range=sum, stay=1)");
}

TEST(Withheld, ARunThatWritesNothingWaitsForAPerson) {
  EXPECT_TRUE(judged(total({3}), {}).pending);
  EXPECT_TRUE(judged({}, {}).passed) << "the missing output is charged elsewhere";
}

TEST(Withheld, TheItemThatAsksForItLosesItsPoints) {
  Rubric rubric;
  rubric.items.resize(2);
  rubric.items[0].id = "meets";
  rubric.items[0].kind = ItemKind::kRequirement;
  rubric.items[0].cases = {"small"};
  rubric.items[0].rules = {kShared};
  rubric.items[1] = rubric.items[0];
  rubric.items[1].id = "other";
  rubric.items[1].rules = {LaunchesRule{"sum", Expression(1), {}}};
  ASSERT_EQ(dependencies_of(rubric, "small"), std::vector<DependsOnRule>{kShared});
  EXPECT_TRUE(dependencies_of(rubric, "large").empty());
  std::vector<CaseVerdict> verdicts = {{"small", "meets"}, {"small", "other"}, {"large", "meets"}};
  apply_dependence(rubric, "small", kShared, judged(total({3}), total({3})), verdicts);
  EXPECT_EQ(verdicts[0].status, Outcome::kFailed);
  EXPECT_EQ(verdicts[1].status, Outcome::kPassed);
  EXPECT_EQ(verdicts[2].status, Outcome::kPassed);

  rubric.items.emplace_back();
  rubric.items[2].id = "right";
  rubric.items[2].outputs = {{"total", Exact{}, Layout::kArray, ""}};
  verdicts = {{"small", "meets"}, {"small", "right", Outcome::kFailed}};
  apply_dependence(rubric, "small", kShared, judged(total({3}), total({3})), verdicts);
  EXPECT_EQ(verdicts[0].status, Outcome::kPassed) << "the total is wrong anyway";
}

}  // namespace
}  // namespace warpgrade
