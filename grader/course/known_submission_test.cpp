// SPDX-License-Identifier: MIT
#include "course/known_submission.h"

#include <gtest/gtest.h>

#include "course/mutant_class.h"
#include "course/sample_course.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

const Rubric kRubric = sample_course_rubric();

TEST(MutantClassOf, KnowsTheListedOnesOnly) {
  const std::vector<MistakeKind> listed = {{"G1", "no guard"}};
  EXPECT_EQ(mutant_class_of(" class: G1. The guard is missing.", listed), "G1");
  EXPECT_EQ(mutant_class_of("class: Z9. Something else.", listed), "");
  EXPECT_EQ(mutant_class_of("G1. The guard is missing.", listed), "");
}

TEST(MutantClassOf, TakesAnyOfACourseThatListsNone) {
  EXPECT_EQ(mutant_class_of("class: Z9. Something else.", {}), "Z9");
  EXPECT_EQ(mutant_class_of("class:", {}), "");
  EXPECT_EQ(mutant_class_of("class: The guard is missing.", {}), "");
}

TEST(ReadMutantHeader, NeedsNoClassInACourseThatListsNone) {
  Rubric rubric = kRubric;
  rubric.proof = {};
  const Result<Expectation> header =
      read_mutant_header("m.cu", "// expect: product\nint x;\n", rubric);
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header->mutant_class, "");
}

TEST(ReadMutantHeader, TakesItemsInTheirOrderAndTheClass) {
  const Result<Expectation> header = read_mutant_header(
      "m.cu", "// expect: product, pitch\n// class: G1. No guard.\nint x;\n", kRubric);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->items, (Strings{"product", "pitch"}));
  EXPECT_EQ(header->mutant_class, "G1");
}

TEST(ReadMutantHeader, GoesOnAfterACommaAtTheEndOfALine) {
  const Result<Expectation> header = read_mutant_header(
      "m.cu", "// expect: product,\r\n//   pitch\r\n// class: S1. No barrier.\r\n", kRubric);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->items, (Strings{"product", "pitch"}));
}

TEST(ReadMutantHeader, TakesItemsThatDependOnTheInputs) {
  const Result<Expectation> header =
      read_mutant_header("m.cu", "// expect: product, speed?\n// class: N1. Rounds.\n", kRubric);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->items, Strings{"product"});
  EXPECT_EQ(header->may_fail, Strings{"speed"});
  EXPECT_EQ(
      read_mutant_header("m.cu", "// expect: speed?, product\n// class: N1. Rounds.\n", kRubric)
          .error()
          .message,
      "m.cu:1: error: the first item must catch the mutant whatever the inputs are: no '?' "
      "there");
}

TEST(ReadMutantHeader, NamesTheLineOfEachMistake) {
  EXPECT_EQ(
      read_mutant_header("m.cu", "// expect: produkt, pitch, pitch\n// class: X1. a\n", kRubric)
          .error()
          .message,
      "m.cu:1: error: the rubric has no item \"produkt\": is product meant?\n"
      "m.cu:1: error: pitch is named twice\n"
      "m.cu:2: error: wanted \"// class: ID. What is wrong.\" with an ID out of G1 G2 N1 S1");
}

TEST(ReadMutantHeader, RefusesAFileWithoutAHeader) {
  const Result<Expectation> header = read_mutant_header("m.cu", "", kRubric);
  ASSERT_FALSE(header.ok());
  EXPECT_EQ(header.error().message.substr(0, 52),
            "m.cu:1: error: wanted \"// expect: ITEM[, ITEM...]\": ");
}

TEST(ReadMutantHeader, WantsSomethingToBeLost) {
  EXPECT_EQ(
      read_mutant_header("m.cu", "// expect: nothing\n// class: G1. a\n", kRubric).error().message,
      "m.cu:1: error: a mutant loses something; an answer that loses nothing belongs in "
      "accepted/");
}

TEST(ReadAcceptedHeader, AllowsTheLossOfWhatIsMeasuredOnly) {
  EXPECT_EQ(read_accepted_header("a.cu", "// expect: nothing\n", kRubric).value().items, Strings{});
  EXPECT_EQ(read_accepted_header("a.cu", "// expect: speed\n", kRubric).value().items,
            Strings{"speed"});
  EXPECT_EQ(read_accepted_header("a.cu", "// expect: pitch\n", kRubric).error().message,
            "a.cu:1: error: pitch is no efficiency or performance item: a right answer keeps it");
  EXPECT_FALSE(read_accepted_header("a.cu", "int x;\n", kRubric).ok());
}

TEST(ReadExploitHeader, TakesItemsAndWantsTheCheatNamed) {
  const auto read = [](const char* text) { return read_exploit_header("e.cu", text, kRubric); };
  EXPECT_EQ(read("// expect: product, speed?\n// cheat: 5, earns nothing. Hides.\n").value().items,
            Strings{"product"});
  EXPECT_EQ(read("// expect: nothing\n// cheat: 27, flagged. Asks.\n").value().items, Strings{});
  constexpr const char* kWanted =
      "e.cu:2: error: wanted \"// cheat: ROW, OUTCOME. What it does.\" with a ROW of "
      "'cheats' in course.yaml and an OUTCOME out of rejected, earns nothing, flagged";
  for (const char* wrong : {"// expect: nothing\n// cheat: 28, flagged. No such row.\n",
                            "// expect: nothing\n// cheat: 5, forgiven. No such outcome.\n",
                            "// expect: nothing\nint x;\n"})
    EXPECT_EQ(read(wrong).error().message, kWanted);
  EXPECT_EQ(read("// cheat: 5, flagged. No list.\n").error().message.substr(0, 24),
            "e.cu:1: error: wanted \"/");
}

TEST(ReadLoses, TakesItemsAndTheClassOutOfAComment) {
  const Result<Expectation> loses =
      read_loses("loses.txt", "# class: G2. Rounded down.\n\nproduct  # all of it\n", kRubric);
  ASSERT_TRUE(loses.ok());
  EXPECT_EQ(loses->items, Strings{"product"});
  EXPECT_EQ(loses->mutant_class, "G2");
  EXPECT_EQ(read_loses("loses.txt", "# why\nnone\n", kRubric).error().message,
            "loses.txt:2: error: the rubric has no item \"none\"");
}

TEST(ReadMutantHeader, RefusesANameOfAnItemThatMeansNone) {
  Rubric rubric = kRubric;
  rubric.items.back().id = "nothing";
  for (const auto& read : {read_mutant_header, read_accepted_header}) {
    const Result<Expectation> header =
        read("m.cu", "// expect: nothing\n// class: G1. a\n", rubric);
    ASSERT_FALSE(header.ok());
    EXPECT_NE(header.error().message.find("give the rubric's item of that name another id"),
              std::string::npos);
  }
}

KnownSubmission known(Role role, Strings items = {}) {
  KnownSubmission known;
  known.role = role;
  known.submission.student = "x";
  known.expectation.items = std::move(items);
  return known;
}

std::string complaint(Role role, Strings items, const Strings& lost) {
  return judge_known(known(role, std::move(items)), sample_result(kRubric, lost)).complaint;
}

TEST(JudgeKnown, WantsEverythingOfTheReference) {
  EXPECT_EQ(complaint(Role::kReference, {}, {}), "");
  EXPECT_EQ(complaint(Role::kReference, {}, {"speed"}), "must pass everything, but loses speed");
}

TEST(JudgeKnown, TakesWhatWaitsForAGpuForNoLoss) {
  SubmissionResult result = sample_result(kRubric, {"speed"});
  result.items.back().status = Outcome::kPending;
  EXPECT_EQ(judge_known(known(Role::kReference), result).complaint, "");
}

TEST(JudgeKnown, TakesADoubtForALossOfAnHonestMistake) {
  SubmissionResult result = sample_result(kRubric, {"product", "speed"});
  result.items.back().status = Outcome::kPending;
  result.items.back().reason.id = "waits.other_numbers";
  EXPECT_EQ(judge_known(known(Role::kMutant, {"product"}), result).complaint,
            "also loses speed (expect it as well if it should)");
  EXPECT_EQ(judge_known(known(Role::kExploit, {"product"}), result).complaint, "");
}

TEST(JudgeKnown, WantsNoFlagOnARightAnswer) {
  SubmissionResult result = sample_result(kRubric, {});
  result.items.back().status = Outcome::kPending;
  result.items.back().flags = {{"too short to time", "case 'large': 0.004 ms"}};
  for (const Role role : {Role::kReference, Role::kAccepted}) {
    EXPECT_EQ(judge_known(known(role), result).complaint,
              "is right, but speed is flagged: too short to time: case 'large': 0.004 ms");
  }
  EXPECT_EQ(judge_known(known(Role::kAccepted, {"speed"}), result).complaint, "");
  EXPECT_EQ(judge_known(known(Role::kClass), result).complaint, "");
}

TEST(JudgeKnown, WantsNothingOfTheSkeleton) {
  EXPECT_EQ(complaint(Role::kSkeleton, {}, {"product", "pitch", "speed"}), "");
  EXPECT_EQ(complaint(Role::kBroken, {}, {"product", "speed"}), "must score 0, but scores 30");
}

TEST(JudgeKnown, WantsAMutantToLoseExactlyWhatItNames) {
  const Strings all = {"product", "pitch", "speed"};
  EXPECT_EQ(complaint(Role::kMutant, all, all), "");
  EXPECT_EQ(complaint(Role::kMutant, {"product"}, {"product", "speed"}),
            "also loses speed (expect it as well if it should)");
  EXPECT_EQ(complaint(Role::kMutant, {"product"}, all),
            "also loses pitch, speed (expect them as well if it should)");
  EXPECT_EQ(complaint(Role::kMutant, {"speed"}, {}), "does not lose speed");
}

TEST(JudgeKnown, SaysWhyAnItemIsLostThatShouldNotBe) {
  SubmissionResult result = sample_result(kRubric, {"product", "speed"});
  for (ItemResult& item : result.items) {
    if (item.id == "speed") item.message = "0.4 times as fast\nas naive";
  }
  EXPECT_EQ(judge_known(known(Role::kMutant, {"product"}), result).complaint,
            "also loses speed (expect it as well if it should) (speed: 0.4 times as fast)");
}

TEST(JudgeKnown, LetsWhatDependsOnTheInputsPassOrNot) {
  KnownSubmission mutant = known(Role::kMutant, {"product"});
  mutant.expectation.may_fail = {"speed"};
  EXPECT_EQ(judge_known(mutant, sample_result(kRubric, {"product"})).complaint, "");
  EXPECT_EQ(judge_known(mutant, sample_result(kRubric, {"product", "speed"})).complaint, "");
  EXPECT_EQ(judge_known(mutant, sample_result(kRubric, {"product", "pitch"})).complaint,
            "also loses pitch (expect it as well if it should)");
}

TEST(JudgeKnown, WantsTheFirstItemToCatchTheMutantByItself) {
  SubmissionResult result = sample_result(kRubric, {"product", "pitch"});
  const KnownSubmission mutant = known(Role::kMutant, {"pitch", "product"});
  EXPECT_EQ(judge_known(mutant, result).complaint, "");
  result.items[2].cause = "other";
  EXPECT_EQ(
      judge_known(mutant, result).complaint,
      "pitch is lost only because it needs what failed: name first what catches it (product)");
}

TEST(JudgeKnown, AllowsAnAcceptedAnswerToLoseWhatItNames) {
  EXPECT_EQ(complaint(Role::kAccepted, {"speed"}, {"speed"}), "");
  EXPECT_EQ(complaint(Role::kAccepted, {"speed"}, {}), "");
  EXPECT_EQ(complaint(Role::kAccepted, {}, {"speed"}), "is right, but loses speed");
}

TEST(JudgeKnown, WantsAnExploitToLoseExactlyWhatItNames) {
  EXPECT_EQ(complaint(Role::kExploit, {"product"}, {"product"}), "");
  EXPECT_EQ(complaint(Role::kExploit, {"product"}, {}), "does not lose product");
  EXPECT_EQ(complaint(Role::kExploit, {}, {"speed"}), "loses speed");
}

TEST(JudgeKnown, TellsWhatIsNotTheSubmissionsFault) {
  SubmissionResult result = sample_result(kRubric, {"product"});
  result.items[1].status = Outcome::kSystemError;
  result.items[1].message = "the disk is full\nand more";
  EXPECT_EQ(judge_known(known(Role::kMutant, {"product"}), result).complaint,
            "could not be graded: the disk is full");
}

TEST(JudgeKnown, WantsMutantsToCompileWithoutAWarning) {
  SubmissionResult result = sample_result(kRubric, {"product"});
  result.diagnostics = "x.cu:1: warning: unused\n";
  EXPECT_EQ(judge_known(known(Role::kMutant, {"product"}), result).complaint,
            "does not compile without a warning: x.cu:1: warning: unused");
  EXPECT_EQ(judge_known(known(Role::kClass, {"product"}), result).complaint, "");
  result.diagnostics += "x.cu:2: error: expected a \";\"\n";
  EXPECT_EQ(judge_known(known(Role::kMutant, {"product"}), result).complaint,
            "does not compile: x.cu:2: error: expected a \";\"");
}

FakeFiles known_files() {
  FakeFiles files;
  files.contents["r/sample.cu"] = "right";
  files.contents["s/sample.cu"] = "empty";
  files.contents["r/class/anna/sample.cu"] = "int a;";
  files.contents["r/class/anna/loses.txt"] = "pitch\n";
  files.contents["r/mutants/late.cu"] = "// expect: product\n// class: G1. No guard.\n";
  files.contents["r/mutants/notes.txt"] = "no program";
  files.contents["r/accepted/odd.cu"] = "// expect: nothing\n";
  files.contents["r/exploits/quits.cu"] = "// expect: product\n// cheat: 1, rejected. Quits.\n";
  return files;
}

TEST(ReadKnownSubmissions, FindsThemAllInOrder) {
  const Result<std::vector<KnownSubmission>> all =
      read_known_submissions(known_files(), {"r", "s"}, kRubric);
  ASSERT_TRUE(all.ok()) << all.error().message;
  Strings names;
  for (const KnownSubmission& each : *all)
    names.push_back(std::string(to_string(each.role)) + " " + each.name());
  EXPECT_EQ(names,
            (Strings{"reference (reference)", "skeleton (skeleton)", "broken (does not compile)",
                     "class anna", "mutant late", "accepted odd", "exploit quits"}));
  EXPECT_EQ((*all)[3].expectation.items, Strings{"pitch"});
}

TEST(ReadKnownSubmissions, TellsTheMistakesOfAllFiles) {
  FakeFiles files = known_files();
  files.contents["r/mutants/late.cu"] = "// expect: late\n// class: G1. No guard.\n";
  files.contents["r/accepted/odd.cu"] = "// expect: pitch\n";
  const Result<std::vector<KnownSubmission>> all =
      read_known_submissions(files, {"r", "s"}, kRubric);
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.error().message,
            "r/mutants/late.cu:1: error: the rubric has no item \"late\"\n"
            "r/accepted/odd.cu:1: error: pitch is no efficiency or performance item: a right "
            "answer keeps it");
}

TEST(ReadKnownSubmissions, ReadsAMutantThatIsAPatch) {
  FakeFiles files = known_files();
  files.contents["r/sample.cu"] = "if (i < n) f(i);\n";
  files.contents.erase("r/mutants/late.cu");
  files.contents["r/mutants/late.patch"] =
      "// expect: product\n// class: G1. No guard.\n@@ -1 +3 @@\n-if (i < n) f(i);\n+f(i);\n";
  const Result<std::vector<KnownSubmission>> all =
      read_known_submissions(files, {"r", "s"}, kRubric);
  ASSERT_TRUE(all.ok()) << all.error().message;
  const KnownSubmission& mutant = (*all)[4];
  EXPECT_EQ(mutant.name(), "late");
  EXPECT_EQ(mutant.submission.source, "// expect: product\n// class: G1. No guard.\nf(i);\n");
  EXPECT_EQ(mutant.expectation.items, Strings{"product"});
}

TEST(ReadKnownSubmissions, ReadsAnExploitThatIsAPatch) {
  FakeFiles files = known_files();
  files.contents["r/sample.cu"] = "f(i);\n";
  files.contents.erase("r/exploits/quits.cu");
  files.contents["r/exploits/quits.patch"] =
      "// expect: product\n// cheat: 1, rejected. Quits.\n@@ -1 +3 @@\n-f(i);\n+quit();\n";
  const Result<std::vector<KnownSubmission>> all =
      read_known_submissions(files, {"r", "s"}, kRubric);
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(all->back().submission.source,
            "// expect: product\n// cheat: 1, rejected. Quits.\nquit();\n");
}

TEST(ReadKnownSubmissions, RefusesPatchesThatMayNotBeThere) {
  FakeFiles files = known_files();
  files.contents["r/mutants/late.patch"] = "// expect: product\n";
  files.contents["r/accepted/odd-too.patch"] = "// expect: nothing\n";
  const Result<std::vector<KnownSubmission>> all =
      read_known_submissions(files, {"r", "s"}, kRubric);
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(
      all.error().message,
      "r/mutants/late.patch:1: error: late.cu has the same name: delete one of them, or "
      "rename it\n"
      "r/accepted/odd-too.patch:1: error: only mutants and exploits may be patches: write the "
      "whole program");
}

}  // namespace
}  // namespace warpgrade
