// SPDX-License-Identifier: MIT
#include "score/score.h"

#include <gtest/gtest.h>

#include "sentences/say.h"

namespace warpgrade {
namespace {

/// A sentence with no form for hidden cases.
Sentence said(std::string text) { return {"test", {}, std::move(text)}; }

/// The text of a reason that one case gives.
std::string by_case(const char* id, const char* what) {
  return say("item.case", {{"case", id}, {"what", what}}).text;
}

std::string by_cases(const char* id, const char* what) {
  return say("item.cases", {{"failed", 2}, {"judged", 2}, {"case", id}, {"what", what}}).text;
}

std::string in_hidden_case(const Sentence& what) {
  return say("item.hidden_case", {{"what", what.text}}).text;
}

Sentence crash() {
  return say("end.signal",
             {{"signal", 11}, {"name", "Segmentation fault"}, {"words", ""}, {"where", ""}});
}

Sentence wrong(const char* got) {
  return say("output.one", {{"array", "C"}, {"expected", "7"}, {"got", got}});
}

const std::string kHint = "\nHint: Look at the edges.";

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
  rubric.items[2].hints = {{{}, "Look at the edges."}};
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
Score with(size_t index, Outcome outcome, Sentence message) {
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
  const Score lost = with(3, Outcome::kFailed, said("C(99, 3) is 0, expected 7"));
  EXPECT_EQ(lost.items[2].points, 0);
  EXPECT_EQ(lost.items[2].status, Outcome::kFailed);
  EXPECT_EQ(lost.items[2].message, by_case("large", "C(99, 3) is 0, expected 7") + kHint);
}

Sentence raced() {
  return {
      "finding.race", {{"what", "race.between(act=act.reads, advice=advice.barrier)"}}, "a race"};
}

/// The hints that "product" shows the staff and the student where its verdict in that case rests on these.
std::pair<std::string, std::string> hints_for(size_t index, Sentence message, Sentence because) {
  Rubric rubric = sample_rubric();
  rubric.items[2].hints = {{{"advice.barrier"}, "Wait for all threads."},
                           {{"output"}, "Look at the sum."},
                           {{"race"}, "Order the accesses."},
                           {{"pattern.zeros"}, "Copy it back."}};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[index].status = Outcome::kFailed;
  verdicts[index].message = std::move(message);
  verdicts[index].because = std::move(because);
  const ItemResult lost = score(rubric, verdicts).items[2];
  const auto hint_in = [](const std::string& text) {
    const size_t at = text.find("\nHint: ");
    return at == std::string::npos ? "" : text.substr(at + 7);
  };
  return {hint_in(lost.message), hint_in(lost.student_message)};
}

TEST(Score, HintsAtWhatWasSeen) {
  using Hints = std::pair<std::string, std::string>;
  EXPECT_EQ(hints_for(2, wrong("0"), {}), Hints("Look at the sum.", "Look at the sum."));
  EXPECT_EQ(hints_for(2, wrong("0"), raced()),
            Hints("Wait for all threads.", "Wait for all threads."));
  EXPECT_EQ(hints_for(2, said("something else"), {}), Hints("", ""));
}

TEST(Score, DoesNotHintAtAResultThatAFindingExplains) {
  using Hints = std::pair<std::string, std::string>;
  const Sentence out_of_bounds = {"finding.memory", {{"what", "memory.behind"}}, "behind an array"};
  EXPECT_EQ(hints_for(2, wrong("0"), out_of_bounds), Hints("", ""));
}

TEST(Score, HintsInHiddenCasesAtTheKindOfReasonAlone) {
  using Hints = std::pair<std::string, std::string>;
  EXPECT_EQ(hints_for(3, wrong("0"), raced()), Hints("Wait for all threads.", "Look at the sum."));
  EXPECT_EQ(hints_for(3, raced(), {}), Hints("Wait for all threads.", "Order the accesses."));
}

/// "fast" is judged in both cases, but not where "product" or what it needs fails.
Rubric with_spared_cases() {
  Rubric rubric = sample_rubric();
  rubric.items[1].needs = {};
  rubric.items[1].cases = {"small", "large"};
  rubric.items[1].where_passed = {"product"};
  return rubric;
}

TEST(Score, CountsNoCaseInWhichAnItemOfWherePassedFails) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "fast", Outcome::kFailed, said("slow")});
  EXPECT_EQ(score(with_spared_cases(), verdicts).items[1].message, by_case("large", "slow"));
  verdicts[3] = {"large", "product", Outcome::kFailed, said("wrong")};
  const Score once = score(with_spared_cases(), verdicts);
  EXPECT_EQ(once.items[1].status, Outcome::kPassed);
  EXPECT_EQ(once.items[1].points, 20);
  EXPECT_EQ(once.items[2].status, Outcome::kFailed);
}

TEST(Score, SparesACaseInWhichANeedOfWherePassedFails) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[1].status = Outcome::kFailed;  // fast in small
  verdicts[4].status = Outcome::kFailed;  // device in small, which product needs
  verdicts.push_back({"large", "fast"});
  EXPECT_EQ(score(with_spared_cases(), verdicts).items[1].status, Outcome::kPassed);
}

TEST(Score, JudgesByEveryCaseWhereWherePassedFailsInAllOfThem) {
  std::vector<CaseVerdict> verdicts = all_passed();
  for (const size_t product : {2, 3}) verdicts[product].status = Outcome::kFailed;
  verdicts[1].status = Outcome::kFailed;
  verdicts.push_back({"large", "fast"});
  EXPECT_EQ(score(with_spared_cases(), verdicts).items[1].status, Outcome::kFailed);
}

/// "product" (50 points) needs the condition "device"; both are judged in both cases, and "large" crashed.
std::vector<CaseVerdict> crashed_in_large(Rubric& rubric) {
  rubric.items[3].points = 0;
  rubric.items[3].cases = {"small", "large"};
  rubric.items[1].needs = {"device"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "device", Outcome::kFailed, crash(), {}, false});
  verdicts.back().cut_off = true;
  verdicts[3] = {"large", "product", Outcome::kFailed, crash(), {}, false};
  return verdicts;
}

TEST(Score, AsksNoConditionInACaseWhoseCrashCostsPoints) {
  Rubric rubric = sample_rubric();
  const Score once = score(rubric, crashed_in_large(rubric));
  EXPECT_EQ(once.items[3].status, Outcome::kPassed);
  EXPECT_EQ(once.items[1].points, 20);
  EXPECT_EQ(once.items[2].status, Outcome::kFailed);
}

TEST(Score, FailsAConditionByACrashThatCostsNothingElse) {
  Rubric rubric = sample_rubric();
  std::vector<CaseVerdict> verdicts = crashed_in_large(rubric);
  verdicts[3].status = Outcome::kPassed;
  EXPECT_EQ(score(rubric, verdicts).items[1].points, 0);
}

TEST(Score, FailsAConditionThatNoCaseShowsToHold) {
  Rubric rubric = sample_rubric();
  std::vector<CaseVerdict> verdicts = crashed_in_large(rubric);
  verdicts[4].status = Outcome::kFailed;
  verdicts[4].cut_off = true;
  verdicts[2].status = Outcome::kFailed;
  EXPECT_EQ(score(rubric, verdicts).items[3].status, Outcome::kFailed);
  EXPECT_EQ(score(rubric, verdicts).items[1].points, 0);
}

TEST(Score, AsksAConditionWhereItHeldBeforeTheCrash) {
  Rubric rubric = sample_rubric();
  std::vector<CaseVerdict> verdicts = crashed_in_large(rubric);
  verdicts[2].status = Outcome::kFailed;
  for (const size_t condition : {4, 5}) {
    verdicts[condition].status = Outcome::kPassed;
    verdicts[condition].cut_off = true;
  }
  EXPECT_EQ(score(rubric, verdicts).items[3].status, Outcome::kPassed);
}

TEST(Score, FailsAConditionByWhatACompleteRunShows) {
  Rubric rubric = sample_rubric();
  std::vector<CaseVerdict> verdicts = crashed_in_large(rubric);
  verdicts[5].cut_off = false;
  EXPECT_EQ(score(rubric, verdicts).items[1].points, 0);
}

TEST(Score, LosesAnItemWithPointsByACrash) {
  Rubric rubric = sample_rubric();
  const std::vector<CaseVerdict> verdicts = crashed_in_large(rubric);
  rubric.items[3].points = 30;
  EXPECT_EQ(score(rubric, verdicts).items[3].points, 0);
}

TEST(Score, CountsTheCasesThatLoseAnItem) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, said("wrong")};
  verdicts[3] = {"large", "product", Outcome::kFailed, said("wrong too")};
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message, by_cases("small", "wrong") + kHint);
}

TEST(Score, TellsTheStudentOfAHiddenCaseOnlyWhatKindOfFailureItWas) {
  EXPECT_EQ(with(3, Outcome::kFailed, wrong("0")).items[2].student_message,
            in_hidden_case(hidden_form(wrong("1"))) + kHint);
  EXPECT_EQ(with(3, Outcome::kSystemError, said("/srv/oracle is missing")).items[2].student_message,
            in_hidden_case(say("item.system_error")));
  EXPECT_EQ(with(3, Outcome::kFailed, said("a secret")).items[2].student_message,
            in_hidden_case(say("item.lost")) + kHint);
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[3] = {"large", "product", Outcome::kFailed, crash(), {}, false};
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].student_message,
            in_hidden_case(hidden_form(crash())));
}

TEST(Score, TellsNothingOfAFailureWhereAHiddenCasePassed) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[3].message = say("counter.value", {{"counter", "sectors"}, {"value", "3"}});
  verdicts[3].fraction = 0.99;
  const ItemResult product = score(sample_rubric(), verdicts).items[2];
  EXPECT_EQ(product.status, Outcome::kPassed);
  EXPECT_NE(product.message, "");
  EXPECT_EQ(product.student_message, "");
}

TEST(Score, BorrowsTheSentenceOfAPublicCaseWithTheSameFault) {
  const auto shape = [](const char* kernel, const char* blocks) {
    return say("shape.block",
               {{"kernel", kernel}, {"shape", blocks}, {"axis", "x"}, {"wanted", "32"}});
  };
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[3] = {"large", "product", Outcome::kFailed, shape("f", "7 x 7 x 1")};
  verdicts[4] = {"small", "device", Outcome::kFailed, shape("f", "16 x 16 x 1")};
  const std::string borrowed = say("item.same_as", {{"what", hidden_form(shape("", "")).text},
                                                    {"case", "small"},
                                                    {"public", shape("f", "16 x 16 x 1").text}})
                                   .text;
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].student_message,
            in_hidden_case({"", {}, borrowed}) + kHint);
  verdicts[4].message = shape("another", "16 x 16 x 1");
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].student_message,
            in_hidden_case(hidden_form(shape("", ""))) + kHint);
}

TEST(Score, AddsTheFindingThatExplainsALoss) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, said("wrong"), said("a.cu:3: a race")};
  const std::string both =
      say("item.because", {{"what", "wrong."}, {"finding", "a.cu:3: a race"}}).text;
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message,
            by_case("small", both.c_str()) + kHint)
      << "a full stop ends what has none";
  verdicts[2].message = said("wrong.");
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message,
            by_case("small", both.c_str()) + kHint);
}

TEST(Score, QuotesAPublicCaseToTheStudentWhereOneFailedAsWell) {
  Rubric rubric = sample_rubric();
  rubric.items[2].cases = {"large", "small"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, said("wrong")};
  verdicts[3] = {"large", "product", Outcome::kFailed, said("a secret")};
  const ItemResult product = score(rubric, verdicts).items[2];
  EXPECT_EQ(product.message, by_cases("large", "a secret") + kHint);
  EXPECT_EQ(product.student_message, by_cases("small", "wrong") + kHint);
}

TEST(Score, NamesEveryKindOfFailureOfSeveralHiddenCases) {
  Rubric rubric = sample_rubric();
  rubric.cases[0].visibility = Visibility::kHidden;
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, wrong("0")};
  verdicts[3] = {"large", "product", Outcome::kFailed, crash()};
  const std::string kinds = hidden_form(wrong("")).text + "; " + hidden_form(crash()).text;
  EXPECT_EQ(score(rubric, verdicts).items[2].student_message,
            say("item.hidden_cases", {{"count", 2}, {"what", kinds}}).text + kHint);
}

TEST(Score, HintsAtTheReasonThatItQuotesAndAtNoOther) {
  Rubric rubric = sample_rubric();
  rubric.items[2].hints = {{{"advice.barrier"}, "Wait for all threads."}};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, wrong("0")};
  verdicts[3] = {"large", "product", Outcome::kFailed, wrong("0"), raced()};
  const ItemResult lost = score(rubric, verdicts).items[2];
  EXPECT_EQ(lost.message.find("Hint"), lost.message.npos) << "the race is the other case's";
  EXPECT_EQ(lost.student_message.find("Hint"), lost.student_message.npos);
  verdicts[2].because = raced();
  EXPECT_NE(score(rubric, verdicts).items[2].message.find("Wait for all threads."),
            std::string::npos);
}

TEST(Score, GivesNoHintWhereTheProgramDidNotGetToItsEnd) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, said("the program crashed"), {}, false};
  EXPECT_EQ(score(sample_rubric(), verdicts).items[2].message,
            by_case("small", "the program crashed"));
}

TEST(Score, TakesAwayWhatNeedsALostItemAlongTheWholeChain) {
  const Score lost = with(4, Outcome::kFailed, said("ran on device 0"));
  EXPECT_EQ(lost.points, 0);
  EXPECT_EQ(lost.items[3].message, by_case("small", "ran on device 0"));
  EXPECT_EQ(lost.items[2].message,
            say("item.needs", {{"title", "Title of device"}, {"state", "failed"}}).text);
  EXPECT_EQ(lost.items[1].message,
            say("item.needs", {{"title", "Title of product"}, {"state", "failed"}}).text);
  EXPECT_EQ(lost.items[1].cause, "device");
  EXPECT_EQ(lost.items[3].cause, "");
}

TEST(Score, PrefersAnItemsOwnReasonToThatOfItsNeeds) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[4] = {"small", "device", Outcome::kFailed, said("ran on device 0")};
  verdicts[1] = {"small", "fast", Outcome::kFailed, said("8 sectors per load")};
  const ItemResult fast = score(sample_rubric(), verdicts).items[1];
  EXPECT_EQ(fast.message, by_case("small", "8 sectors per load"));
  EXPECT_EQ(fast.cause, "");
}

TEST(Score, NeverTurnsASystemErrorIntoALoss) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[2] = {"small", "product", Outcome::kFailed, said("wrong")};
  verdicts[3] = {"large", "product", Outcome::kSystemError, said("the sandbox refused")};
  const Score broken = score(sample_rubric(), verdicts);
  EXPECT_TRUE(broken.system_error);
  EXPECT_EQ(broken.items[2].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[2].message, by_case("large", "the sandbox refused"));
  EXPECT_EQ(broken.items[1].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[1].message,
            "earns nothing because 'Title of product' could not be judged");
}

TEST(Score, CallsAMissingVerdictASystemError) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.pop_back();
  const Score broken = score(sample_rubric(), verdicts);
  EXPECT_EQ(broken.items[3].status, Outcome::kSystemError);
  EXPECT_EQ(broken.items[3].message, by_case("small", "was not judged"));
}

TEST(Score, IsProvisionalWhileAnItemIsPending) {
  const Score open = with(1, Outcome::kPending, said("needs a GPU"));
  EXPECT_TRUE(open.provisional);
  EXPECT_EQ(open.points, 80);
}

TEST(Score, IsFinalWhereWhatWasModelledIsLostForAnotherReason) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[1].provisional = true;
  EXPECT_TRUE(score(sample_rubric(), verdicts).provisional);
  verdicts[2] = {"small", "product", Outcome::kFailed, said("wrong")};
  EXPECT_FALSE(score(sample_rubric(), verdicts).items[1].provisional) << "fast, but wrong";
  EXPECT_FALSE(score(sample_rubric(), verdicts).provisional);
  verdicts[1].status = Outcome::kFailed;
  EXPECT_FALSE(score(sample_rubric(), verdicts).provisional) << "slow by the model, and wrong";
}

TEST(Score, StaysProvisionalWhereWhatIsNeededWasModelled) {
  Rubric rubric = sample_rubric();
  rubric.items[3].kind = ItemKind::kPerformance;
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[4] = {"small", "device", Outcome::kFailed, said("slow by the model")};
  verdicts[4].provisional = true;
  const Score slow = score(rubric, verdicts);
  EXPECT_TRUE(slow.items[2].provisional) << "a GPU may give back what it needs";
  EXPECT_TRUE(slow.items[1].provisional) << "and so on along the chain";
  rubric.items[2].needs = {"device", "builds"};
  verdicts[0] = {"", "builds", Outcome::kFailed, said("does not build")};
  EXPECT_FALSE(score(rubric, verdicts).items[2].provisional) << "one need is lost for good";
}

TEST(Score, GivesEveryItemTheSameReasonWhereNothingRan) {
  const Score none = score_all(sample_rubric(), Outcome::kFailed, said("matmul.cu is empty"));
  EXPECT_EQ(none.points, 0);
  EXPECT_EQ(none.max_points, 100);
  for (const ItemResult& item : none.items) EXPECT_EQ(item.message, "matmul.cu is empty");
}

TEST(Score, PaysTheLeastFractionOfSeveralCases) {
  Rubric rubric = sample_rubric();
  rubric.items[1].cases = {"small", "large"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "fast", Outcome::kPartial, said("slow here")});
  verdicts.back().fraction = 0.25;
  verdicts[1].message = said("quick here");
  verdicts[1].provisional = true;
  const Score graded = score(rubric, verdicts);
  EXPECT_EQ(graded.items[1].status, Outcome::kPartial);
  EXPECT_DOUBLE_EQ(graded.items[1].points, 5);
  EXPECT_EQ(graded.items[1].message, by_case("large", "slow here"));
  EXPECT_DOUBLE_EQ(graded.points, 85);
  EXPECT_TRUE(graded.provisional) << "one case was judged by the time model";
  verdicts[2].status = Outcome::kFailed;
  EXPECT_DOUBLE_EQ(score(rubric, verdicts).items[1].points, 0) << "fast, but wrong";
}

TEST(Score, ShowsWhatWasMeasuredWhereAllPassed) {
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts[1].message = said("5 times as fast as 'naive'");
  EXPECT_EQ(score(sample_rubric(), verdicts).items[1].message,
            by_case("small", "5 times as fast as 'naive'"));
}

TEST(Score, KeepsTheFlagsOfEveryCaseAndWhetherTheDecisiveOneIsDecided) {
  Rubric rubric = sample_rubric();
  rubric.items[1].cases = {"small", "large"};
  std::vector<CaseVerdict> verdicts = all_passed();
  verdicts.push_back({"large", "fast", Outcome::kPartial, said("slow here")});
  verdicts.back().fraction = 0.5;
  verdicts.back().undecided = true;
  verdicts.back().flags = {{"too short to time", "0.004 ms"}};
  verdicts[1].flags = {{"faster than this device can be", "0.1 ms"}};
  const ItemResult fast = score(rubric, verdicts).items[1];
  EXPECT_TRUE(fast.undecided);
  EXPECT_EQ(fast.flags,
            (std::vector<Flag>{{"faster than this device can be", by_case("small", "0.1 ms")},
                               {"too short to time", by_case("large", "0.004 ms")}}));
  verdicts[1].status = Outcome::kPartial;
  verdicts[1].fraction = 0.25;
  EXPECT_FALSE(score(rubric, verdicts).items[1].undecided) << "the other case decides";
  verdicts[2].status = Outcome::kFailed;
  EXPECT_EQ(score(rubric, verdicts).items[1].flags.size(), 2u)
      << "lost by its needs, and still flagged";
}

}  // namespace
}  // namespace warpgrade
