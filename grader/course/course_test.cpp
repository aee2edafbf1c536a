// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "base/hash.h"
#include "course/check_course.h"
#include "course/handout_table.h"
#include "course/rubric_proof.h"
#include "course/sample_course.h"
#include "course/untouched.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

TEST(IsUntouched, IgnoresLineEndsAndBlanksBehindLines) {
  const std::string stamp = sha256_hex("int a;\n\nint b;\n") + "  a.cu\n";
  EXPECT_TRUE(is_untouched("int a;\n\nint b;\n", stamp));
  EXPECT_TRUE(is_untouched("int a; \r\n \r\nint b;\t\r\n", stamp));
  EXPECT_FALSE(is_untouched("int a;\n\nint c;\n", stamp));
}

TEST(ComplaintsAboutRubric, HasNoneAboutAGoodOne) {
  EXPECT_EQ(complaints_about_rubric(sample_course_rubric()), Strings{});
}

TEST(ComplaintsAboutRubric, WantsPointsThatAddUpTo100) {
  Rubric rubric = sample_course_rubric();
  rubric.items[1].points = 59.5;
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{"the points add up to 99.5, not to 100"});
}

TEST(ComplaintsAboutRubric, WantsWhatIsMeasuredToBeRightInTheSameCase) {
  Rubric rubric = sample_course_rubric();
  rubric.items[1].cases = {"small-3"};
  const std::string start =
      "speed can be earned with a wrong answer: it needs no correctness item "
      "that compares the outputs of ";
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{start + "large-64"});
  rubric.items[3].needs.clear();
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{start + "small-3, large-64"});
  rubric.items[3].where_passed = {rubric.items[1].id};
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{start + "large-64"});
}

TEST(ComplaintsAboutRubric, LetsAConditionWithoutPointsNeedNothing) {
  Rubric rubric = sample_course_rubric();
  rubric.items[2].points = 40;
  rubric.items[3].points = 0;
  rubric.items[3].needs.clear();
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{});
}

TEST(ComplaintsAboutRubric, FollowsNeedsThroughOtherItems) {
  Rubric rubric = sample_course_rubric();
  rubric.items[3].needs = {"pitch"};
  EXPECT_EQ(complaints_about_rubric(rubric), Strings{});
}

CourseRow caught_row(Role role, const std::string& mutant_class, Strings caught_by, bool ok) {
  CourseRow row;
  row.role = role;
  row.mutant_class = mutant_class;
  row.caught_by = std::move(caught_by);
  row.complaint = ok ? "" : "loses too much";
  return row;
}

TEST(UnprovedItems, AreThoseThatNoWrongAnswerLostByItself) {
  const Rubric rubric = sample_course_rubric();
  const std::vector<CourseRow> rows = {
      caught_row(Role::kClass, "", {"product", "pitch", "speed"}, true),
      caught_row(Role::kMutant, "G1", {"product"}, true),
      caught_row(Role::kAccepted, "", {"speed"}, true)};
  EXPECT_EQ(unproved_items(rubric, rows), (Strings{"pitch", "speed"}));
}

TEST(CountMutants, CountsKindsOfMistakesOnce) {
  const MutantCount count = count_mutants(
      {caught_row(Role::kReference, "", {}, true), caught_row(Role::kMutant, "G1", {}, true),
       caught_row(Role::kMutant, "G1", {}, false), caught_row(Role::kClass, "P2", {}, true)});
  EXPECT_EQ(count.mutants, 3);
  EXPECT_EQ(count.caught, 2);
  EXPECT_EQ(count.classes, 2);
}

TEST(ComplaintAboutCount, WantsAsManyMutantsOfAsManyClassesAsTheCourseDemands) {
  ProofPolicy proof;
  EXPECT_EQ(complaint_about_count({0, 0, 0}, proof), "");
  proof.mutants_of_assignment = 8;
  proof.mistakes_of_assignment = 5;
  EXPECT_EQ(complaint_about_count({8, 8, 5}, proof), "");
  EXPECT_EQ(complaint_about_count({7, 7, 4}, proof),
            "7 mutants, at least 8 are needed; mutants of 4 classes, at least 5 are needed");
}

TEST(ComplaintsAboutCourse, WantsAsManyMutantsAsTheCourseDemands) {
  AssignmentReport report;
  EXPECT_EQ(complaints_about_course({report}, {}), Strings{});
  ProofPolicy proof;
  proof.mutants_of_course = 120;
  report.rows.resize(120, caught_row(Role::kMutant, "G1", {}, true));
  EXPECT_EQ(complaints_about_course({report}, proof), Strings{});
  report.rows.pop_back();
  EXPECT_EQ(complaints_about_course({report}, proof),
            Strings{"the course has 119 mutants, at least 120 are needed"});
}

TEST(RubricTable, HasARowForEachItemWithAllValuesThatItDemands) {
  Rubric rubric = sample_course_rubric();
  rubric.items[1].title = "a|b";
  BlockRule block{"r", {Expression(8), Expression(16)}, {}, {}};
  rubric.items[2].rules = {block, FreedRule{"r"}};
  EXPECT_EQ(rubric_table(rubric),
            "| Item | Points | What must hold |\n"
            "|---|---|---|\n"
            "| `builds` | 0 | **The builds** |\n"
            "| `product` | 60 | **a\\|b**<br>`C` equals what is expected exactly. |\n"
            "| `pitch` | 30 | **The pitch** (needs `product`)<br>In `r`, each block has x = `8` or "
            "`16`.<br>In `r`, the program releases every allocation, event, stream and other "
            "object that it makes. "
            "|\n"
            "| `speed` | 10 | **The speed** (needs `product`) |\n");
  for (const Case& each : rubric.cases)
    EXPECT_EQ(rubric_table(rubric).find(each.id), std::string::npos) << each.id;
}

TEST(RubricTable, IsInTheLanguageOfItsHandout) {
  Rubric rubric = sample_course_rubric();
  rubric.items[2].rules = {FreedRule{"r"}};
  const std::string table = rubric_table(rubric, "it");
  EXPECT_NE(table.find("| Voce | Punti |"), std::string::npos);
  EXPECT_NE(table.find("coincide esattamente con"), std::string::npos);
  EXPECT_NE(table.find("In `r`, il programma rilascia"), std::string::npos);
}

TEST(WithRubricTable, ReplacesWhatStandsBetweenItsLines) {
  const Rubric rubric = sample_course_rubric();
  const std::string begin = "before\n<!-- rubric:begin -->\n", end = "<!-- rubric:end -->\nafter\n";
  EXPECT_EQ(with_rubric_table(begin + "old\n" + end, rubric).value(),
            begin + rubric_table(rubric) + end);
  EXPECT_EQ(with_rubric_table("no table", rubric).error().message,
            "the handout has no lines <!-- rubric:begin --> and <!-- rubric:end -->: write both "
            "where the table of points belongs, and `warpgrade check --write` fills it");
  EXPECT_FALSE(with_rubric_table(end + begin, rubric).ok());
}

}  // namespace
}  // namespace warpgrade
