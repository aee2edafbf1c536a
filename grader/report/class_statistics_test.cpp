// SPDX-License-Identifier: MIT
#include "report/class_statistics.h"

#include <gtest/gtest.h>

#include "report/decisions.h"
#include "report/sample_results.h"

namespace warpgrade {
namespace {

using Outcomes = std::vector<Outcome>;

/// A student whose items, worth 10 points each, came out so.
SubmissionResult student_with(const Outcomes& outcomes) {
  SubmissionResult result;
  for (const Outcome outcome : outcomes) {
    result.items.push_back(sample_item(fmt::format("item-{}", result.items.size()),
                                       ItemKind::kRequirement, 10, outcome,
                                       "case 'a': no kernel was launched"));
    result.items.back().reason = {"launch.none", {}};
    result.score += result.items.back().points;
    result.max_score += 10;
  }
  return result;
}

constexpr Outcome kGood = Outcome::kPassed, kBad = Outcome::kFailed;

TEST(ItemStatistics, CountsAndRatesThoseWhoAreJudged) {
  const auto all =
      item_statistics({student_with({kGood}), student_with({kBad}),
                       student_with({Outcome::kPending}), student_with({Outcome::kSystemError})});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].passed, 1);
  EXPECT_EQ(all[0].failed, 1);
  EXPECT_EQ(all[0].waiting, 1);
  EXPECT_EQ(all[0].not_judged, 1);
  EXPECT_DOUBLE_EQ(all[0].pass_rate.value_or(0), 0.5);
}

TEST(ItemStatistics, TellItemsThatGoWithTheRestFromThoseThatDoNot) {
  const auto all =
      item_statistics({student_with({kGood, kGood, kBad}), student_with({kGood, kGood, kBad}),
                       student_with({kBad, kBad, kGood}), student_with({kBad, kBad, kBad})});
  EXPECT_GT(all[0].discrimination.value_or(0), 0.5);
  EXPECT_LT(all[2].discrimination.value_or(0), -0.5);
}

TEST(ItemStatistics, HaveNoDiscriminationWhereAllAreTheSame) {
  const auto all = item_statistics({student_with({kGood, kBad}), student_with({kGood, kGood})});
  EXPECT_FALSE(all[0].discrimination.has_value());
}

TEST(FailureGroups, HoldStudentsWithTheSameReasonInTheSameCase) {
  SubmissionResult elsewhere = student_with({kBad});
  elsewhere.items[0].message = "2 of 3 cases, first 'b': no kernel was launched";
  elsewhere.items[0].case_id = "b";
  SubmissionResult otherwise = student_with({kBad});
  otherwise.items[0].reason.id = "block.shape";
  const auto groups = failure_groups(
      {student_with({kBad}), student_with({kGood}), elsewhere, otherwise, student_with({kBad})});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].students, (std::vector<size_t>{0, 4}));
  EXPECT_EQ(groups[0].fault.case_id, "a");
  EXPECT_EQ(groups[0].example, "case 'a': no kernel was launched");
}

TEST(FailureGroups, FoldItemsThatTheSameStudentsLostAlike) {
  const auto groups = failure_groups({student_with({kBad, kBad}), student_with({kBad, kBad})});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].items, (std::vector<std::string>{"item-0", "item-1"}));
}

TEST(FailureGroups, TellApartWhySubmissionsHoldNothingToGrade) {
  const auto student_without = [](const std::string& why) {
    SubmissionResult result = student_with({kBad, kBad});
    for (ItemResult& item : result.items) item.reason = {"item.everything", {{"why", why}}, why};
    return result;
  };
  const auto groups = failure_groups({student_without("it is an archive in an archive"),
                                      student_without("dot.cu.txt is no source"),
                                      student_without("it is an archive in an archive")});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].students, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(parse_group_id(groups[0].fault.group_id()), groups[0].fault);
}

TEST(FailureGroups, LeaveOutWhatAnotherItemCost) {
  SubmissionResult result = student_with({kBad, kBad});
  result.items[1].cause = "item-0";
  const auto groups = failure_groups({result, result});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].items, std::vector<std::string>{"item-0"});
}

TEST(FailureGroups, KeepThoseWhomAPersonAnswered) {
  SubmissionResult answered = student_with({kBad});
  apply_decisions(answered, {{"ann", "item-0", DecisionKind::kSet, 10, "n", "Mira", ""}});
  ASSERT_EQ(answered.items[0].status, kGood);
  const auto groups = failure_groups({answered, student_with({kBad})});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].students.size(), 2u);
  EXPECT_EQ(groups[0].fault.group_id(), "group:launch.none@a");
}

TEST(FailureGroups, PutTheLargestFirst) {
  const auto groups = failure_groups({student_with({kBad, kGood}), student_with({kBad, kGood}),
                                      student_with({kBad, kBad}), student_with({kGood, kBad})});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].students.size(), 3u);
}

TEST(ScoreDistribution, PutsFullMarksIntoTheLastTenth) {
  const auto bins =
      score_distribution({student_with({kGood}), student_with({kBad}), student_with({kGood, kBad}),
                          student_with({Outcome::kSystemError})});
  EXPECT_EQ(bins, (std::vector<long>{1, 0, 0, 0, 0, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace warpgrade
