// SPDX-License-Identifier: MIT
#include "report/changes.h"

#include <gtest/gtest.h>

#include "report/decisions.h"

namespace warpgrade {
namespace {

ItemResult item_of(const std::string& id, double points, double most, const std::string& message) {
  ItemResult item;
  item.id = id;
  item.points = points;
  item.max_points = most;
  item.status = points == most ? Outcome::kPassed : Outcome::kFailed;
  item.message = message;
  return item;
}

SubmissionResult result_of(std::vector<ItemResult> items) {
  SubmissionResult result;
  result.student = "ann";
  result.max_score = 100;
  for (const ItemResult& item : items) result.score += item.points;
  result.items = std::move(items);
  return result;
}

TEST(DescribeChange, IsSilentWherePointsAreTheSame) {
  EXPECT_EQ(describe_change(result_of({item_of("a", 0, 10, "one word")}),
                            result_of({item_of("a", 0, 10, "another")})),
            "");
}

TEST(DescribeChange, NamesEachItemThatMovedAndWhy) {
  const SubmissionResult before =
      result_of({item_of("a", 0, 10, "wrong at [0]\nHint: look"), item_of("b", 20, 20, ""),
                 item_of("c", 5, 5, ""), item_of("old", 3, 3, "")});
  const SubmissionResult after =
      result_of({item_of("a", 10, 10, ""), item_of("b", 0, 20, "case 'x': crashed"),
                 item_of("c", 5, 5, ""), item_of("new", 0, 3, "lost")});
  EXPECT_EQ(describe_change(before, after),
            "ann: 28 -> 15 of 100\n"
            "  a: 0 -> 10 of 10, was: wrong at [0]\n"
            "  b: 20 -> 0 of 20: case 'x': crashed\n"
            "  new: new, 0 of 3\n"
            "  old: gone, was 3 of 3\n");
}

TEST(DescribeChange, ShowsWhatBecameFinalOrCouldBeGraded) {
  SubmissionResult before = result_of({item_of("a", 8, 10, ""), item_of("b", 0, 5, "no nvcc")});
  before.items[0].provisional = before.provisional = true;
  before.items[1].status = Outcome::kSystemError;
  EXPECT_EQ(describe_change(before, result_of({item_of("a", 8, 10, ""), item_of("b", 5, 5, "")})),
            "ann: none -> 13 of 100\n  a: 8* -> 8 of 10\n  b: none -> 5 of 5, was: no nvcc\n");
}

TEST(DescribeChange, SaysWhatAnItemWasWorthWhereThatMoved) {
  EXPECT_EQ(describe_change(result_of({item_of("a", 3, 3, ""), item_of("b", 0, 7, "wrong")}),
                            result_of({item_of("a", 2, 2, ""), item_of("b", 0, 8, "wrong")})),
            "ann: 3 -> 2 of 100\n  a: 3 of 3 -> 2 of 2\n  b: 0 of 7 -> 0 of 8\n");
}

TEST(DescribeChange, SaysWhoMovedTheWholeScore) {
  const SubmissionResult before = result_of({item_of("a", 8, 10, "wrong")});
  SubmissionResult after = before;
  AppliedDecision decided;
  decided.decision.kind = DecisionKind::kAdd;
  decided.decision.points = 3;
  decided.decision.note = "in the oral exam";
  decided.decision.by = "Mira";
  decided.decision.date = "2026-11-20";
  decided.points_before = 8;
  decided.points_after = after.score = 11;
  after.decisions = {decided};
  const std::string line = describe(decided, after.language) + '\n';
  EXPECT_EQ(describe_change(before, after), "ann: 8 -> 11 of 100\n  score: " + line);
  EXPECT_EQ(describe_change(after, before), "ann: 11 -> 8 of 100\n  score, gone: " + line);
  after.score = 12;
  decided.points_before = decided.points_after = 12;
  after.decisions.push_back(decided);
  EXPECT_EQ(describe_change(after, after), "") << "nothing moved";
}

TEST(DescribeChange, ShowsTheScoreThatLatenessMoved) {
  SubmissionResult after = result_of({item_of("a", 10, 10, "")});
  after.score = 9;
  after.late.emplace();
  after.late->points_lost = 1;
  after.late->late_minutes = 61;
  after.late->undiminished_score = 10;
  const std::string told = describe_change(result_of({item_of("a", 10, 10, "")}), after);
  EXPECT_EQ(told.substr(0, told.find("Handed in")),
            "ann: 10 -> 9 of 100\n  late: costs 0 -> 1 points: ");
  EXPECT_TRUE(told.find("1 h 1 min late, which costs 1 of 10 points") != told.npos) << told;
}

}  // namespace
}  // namespace warpgrade
