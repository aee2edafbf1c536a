// SPDX-License-Identifier: MIT
#include "score/score.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Item make_item(std::string id, ItemKind kind, double points, std::vector<std::string> needs,
               std::vector<std::string> cases) {
  Item item;
  item.title = "Title of " + id;
  item.id = std::move(id);
  item.kind = kind;
  item.points = points;
  item.needs = std::move(needs);
  item.cases = std::move(cases);
  return item;
}

Rubric sample_rubric() {
  Rubric rubric;
  rubric.cases = {{"small", Visibility::kPublic, {}, "", {}},
                  {"large", Visibility::kHidden, {}, "", {}}};
  rubric.items = {make_item("builds", ItemKind::kBuild, 0, {}, {}),
                  make_item("fast", ItemKind::kEfficiency, 20, {"product"}, {"small"}),
                  make_item("product", ItemKind::kCorrectness, 50, {"device"}, {"small", "large"}),
                  make_item("device", ItemKind::kRequirement, 30, {}, {"small"})};
  rubric.items[2].hint = "Look at the edges.";
  return rubric;
}

std::vector<CaseVerdict> all_passed() {
  return {{"", "builds"},
          {"small", "fast"},
          {"small", "product"},
          {"large", "product"},
          {"small", "device"}};
}

/// All passed but the verdict `index`.
Score with(size_t index, Outcome outcome, std::string message) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[index].status = outcome;
  verdicts[index].message = std::move(message);
  return score(sample_rubric(), verdicts);
}

TEST(Score, GivesFullMarksWhereEverythingPassed) {
  const Score full = score(sample_rubric(), all_passed());
  EXPECT_EQ(full.points, 100);
  EXPECT_EQ(full.max_points, 100);
  EXPECT_FALSE(full.provisional || full.system_error);
  EXPECT_EQ(full.items[2].visibility, Visibility::kHidden);
  EXPECT_EQ(full.items[3].visibility, Visibility::kPublic);
  EXPECT_EQ(full.items[3].message, "");
}

TEST(Score, LosesAnItemByOneCaseAndSaysWhich) {
  const Score lost = with(3, Outcome::kFailed, "C(99, 3) is 0, expected 7");
  EXPECT_EQ(lost.items[2].points, 0);
  EXPECT_EQ(lost.items[2].status, Outcome::kFailed);
  EXPECT_EQ(lost.items[2].message,
            "case 'large': C(99, 3) is 0, expected 7\nHint: Look at the edges.");
}

TEST(Score, CountsTheCasesThatLoseAnItem) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, "wrong"};
  verdicts[3] = {"large", "product", Outcome::kFailed, "wrong too"};
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message,
            "2 of 2 cases, first 'small': wrong\nHint: Look at the edges.");
}

TEST(Score, TellsTheStudentOfAHiddenCaseOnlyWhatKindOfFailureItWas) {
  EXPECT_EQ(with(3, Outcome::kFailed, "C(99, 3) is 0, expected 7").items[2].student_message,
            "in a hidden case: the result is wrong\nHint: Look at the edges.");
  EXPECT_EQ(with(3, Outcome::kSystemError, "/srv/oracle is missing").items[2].student_message,
            "in a hidden case: could not be judged, for a reason on the grader's side");
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[3] = {"large", "product", Outcome::kFailed, "status 3: a[0] is 0.5", false};
  verdicts[3].category = "the program ended with an error";
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].student_message,
            "in a hidden case: the program ended with an error");
}

TEST(Score, QuotesAPublicCaseToTheStudentWhereOneFailedAsWell) {
  Rubric rubric = sample_rubric();
  rubric.items[2].cases = {"large", "small"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, "wrong"};
  verdicts[3] = {"large", "product", Outcome::kFailed, "a secret"};
  const ItemResult product = score(rubric, verdicts).items[2];
  EXPECT_EQ(product.message, "2 of 2 cases, first 'large': a secret\nHint: Look at the edges.");
  EXPECT_EQ(product.student_message,
            "2 of 2 cases, first 'small': wrong\nHint: Look at the edges.");
}

TEST(Score, NamesEveryKindOfFailureOfSeveralHiddenCases) {
  Rubric rubric = sample_rubric();
  rubric.cases[0].visibility = Visibility::kHidden;
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, "a secret"};
  verdicts[3] = {"large", "product", Outcome::kFailed, "another"};
  verdicts[3].category = "the program crashed";
  EXPECT_EQ(
      score(rubric, verdicts).items[2].student_message,
      "in 2 hidden cases: the result is wrong; the program crashed\nHint: Look at the edges.");
}

TEST(Score, GivesNoHintWhereTheProgramDidNotGetToItsEnd) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, "the program crashed", false};
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message, "case 'small': the program crashed");
}

TEST(Score, TakesAwayWhatNeedsALostItemAlongTheWholeChain) {
  const Score lost = with(4, Outcome::kFailed, "ran on device 0");
  EXPECT_EQ(lost.points, 0);
  EXPECT_EQ(lost.items[3].message, "case 'small': ran on device 0");
  EXPECT_EQ(lost.items[2].message, "earns nothing because 'Title of device' failed");
  EXPECT_EQ(lost.items[1].message, "earns nothing because 'Title of product' failed");
  EXPECT_TRUE(lost.items[1].through_needs);
  EXPECT_FALSE(lost.items[3].through_needs);
}

TEST(Score, PrefersAnItemsOwnReasonToThatOfItsNeeds) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[4] = {"small", "device", Outcome::kFailed, "ran on device 0"};
  verdicts[1] = {"small", "fast", Outcome::kFailed, "8 sectors per load"};
  const ItemResult fast = score(sample_rubric(), verdicts).items[1];
  EXPECT_EQ(fast.message, "case 'small': 8 sectors per load");
  EXPECT_FALSE(fast.through_needs);
}

TEST(Score, NeverTurnsASystemErrorIntoALoss) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, "wrong"};
  verdicts[3] = {"large", "product", Outcome::kSystemError, "the sandbox refused"};
  const Score broken = score(sample_rubric(), verdicts);
  EXPECT_TRUE(broken.system_error);
  EXPECT_EQ(broken.items[2].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[2].message, "case 'large': the sandbox refused");
  EXPECT_EQ(broken.items[1].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[1].message,
            "earns nothing because 'Title of product' could not be judged");
}

TEST(Score, CallsAMissingVerdictASystemError) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.pop_back();
  const Score broken = score(sample_rubric(), verdicts);
  EXPECT_EQ(broken.items[3].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[3].message, "case 'small': was not judged");
}

TEST(Score, IsProvisionalWhileAnItemIsPending) {
  const Score open = with(1, Outcome::kPending, "needs a GPU");
  EXPECT_TRUE(open.provisional);
  EXPECT_EQ(open.points, 80);
}

TEST(Score, IsFinalWhereWhatWasModelledIsLostForAnotherReason) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[1].provisional = true;
  EXPECT_TRUE(score(sample_rubric(), verdicts).provisional);
  verdicts[2] = {"small", "product", Outcome::kFailed, "wrong"};
  EXPECT_FALSE(score(sample_rubric(), verdicts).items[1].provisional) << "fast, but wrong";
  EXPECT_FALSE(score(sample_rubric(), verdicts).provisional);
  verdicts[1].status = Outcome::kFailed;
  EXPECT_FALSE(score(sample_rubric(), verdicts).provisional) << "slow by the model, and wrong";
}

TEST(Score, StaysProvisionalWhereWhatIsNeededWasModelled) {
  Rubric rubric = sample_rubric();
  rubric.items[3].kind = ItemKind::kPerformance;
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[4] = {"small", "device", Outcome::kFailed, "slow by the model"};
  verdicts[4].provisional = true;
  const Score slow = score(rubric, verdicts);
  EXPECT_TRUE(slow.items[2].provisional) << "a GPU may give back what it needs";
  EXPECT_TRUE(slow.items[1].provisional) << "and so on along the chain";
  rubric.items[2].needs = {"device", "builds"};
  verdicts[0] = {"", "builds", Outcome::kFailed, "does not build"};
  EXPECT_FALSE(score(rubric, verdicts).items[2].provisional) << "one need is lost for good";
}

TEST(Score, GivesEveryItemTheSameReasonWhereNothingRan) {
  const Score none = score_all(sample_rubric(), Outcome::kFailed, "matmul.cu is empty");
  EXPECT_EQ(none.points, 0);
  EXPECT_EQ(none.max_points, 100);
  for (const ItemResult& item : none.items) EXPECT_EQ(item.message, "matmul.cu is empty");
}

TEST(Score, PaysTheLeastFractionOfSeveralCases) {
  Rubric rubric = sample_rubric();
  rubric.items[1].cases = {"small", "large"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "fast", Outcome::kPartial, "slow here"});
  verdicts.back().fraction = 0.25;
  verdicts[1].message = "quick here";
  verdicts[1].provisional = true;
  const Score graded = score(rubric, verdicts);
  EXPECT_EQ(graded.items[1].status, Outcome::kPartial);
  EXPECT_DOUBLE_EQ(graded.items[1].points, 5);
  EXPECT_EQ(graded.items[1].message, "case 'large': slow here");
  EXPECT_DOUBLE_EQ(graded.points, 85);
  EXPECT_TRUE(graded.provisional) << "one case was judged by the time model";
  verdicts[2].status = Outcome::kFailed;
  EXPECT_DOUBLE_EQ(score(rubric, verdicts).items[1].points, 0) << "fast, but wrong";
}

TEST(Score, ShowsWhatWasMeasuredWhereAllPassed) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[1].message = "5 times as fast as 'naive'";
  EXPECT_EQ(score(sample_rubric(), verdicts).items[1].message,
            "case 'small': 5 times as fast as 'naive'");
}

TEST(Score, KeepsTheFlagsOfEveryCaseAndWhetherTheDecisiveOneIsDecided) {
  Rubric rubric = sample_rubric();
  rubric.items[1].cases = {"small", "large"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "fast", Outcome::kPartial, "slow here"});
  verdicts.back().fraction = 0.5;
  verdicts.back().undecided = true;
  verdicts.back().flags = {{"too short to time", "0.004 ms"}};
  verdicts[1].flags = {{"faster than this device can be", "0.1 ms"}};
  const ItemResult fast = score(rubric, verdicts).items[1];
  EXPECT_TRUE(fast.undecided);
  EXPECT_EQ(fast.flags,
            (std::vector<Flag>{{"faster than this device can be", "case 'small': 0.1 ms"},
                               {"too short to time", "case 'large': 0.004 ms"}}));
  verdicts[1].status = Outcome::kPartial;
  verdicts[1].fraction = 0.25;
  EXPECT_FALSE(score(rubric, verdicts).items[1].undecided) << "the other case decides";
  verdicts[2].status = Outcome::kFailed;
  EXPECT_EQ(score(rubric, verdicts).items[1].flags.size(), 2u)
      << "lost by its needs, and still flagged";
}

}  // namespace
}  // namespace warpgrade
