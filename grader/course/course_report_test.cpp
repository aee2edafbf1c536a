// SPDX-License-Identifier: MIT
#include "course/course_report.h"

#include <gtest/gtest.h>

#include "testing/golden.h"

namespace warpgrade {
namespace {

CourseRow row_of(Role role, const std::string& name, const std::string& mutant_class, double score,
                 const std::string& complaint) {
  CourseRow row;
  row.role = role;
  row.name = name;
  row.mutant_class = mutant_class;
  row.score = score;
  row.max_score = 100;
  row.complaint = complaint;
  return row;
}

CourseReport sample_report() {
  CourseReport report;
  report.seed = 7;
  report.wall_s = 12.3;
  AssignmentReport good;
  good.slug = "vecadd";
  good.items = 3;
  good.unproved = {"speed"};
  good.busy_s = 20;
  good.margin = {0.125, "sum", "uniform-7"};
  good.rows = {row_of(Role::kReference, "(reference)", "", 100, ""),
               row_of(Role::kSkeleton, "(skeleton)", "", 0, ""),
               row_of(Role::kMutant, "no-guard", "G1", 60, ""),
               row_of(Role::kAccepted, "streams", "", 100, "")};
  CaseProof proof;
  proof.case_id = "uniform-7";
  proof.receptions = {Reception::kRefused, Reception::kRefused, Reception::kNone, Reception::kSame,
                      Reception::kRefused};
  good.cases = {proof};
  AssignmentReport bad = good;
  bad.slug = "transpose";
  bad.rows[2].complaint = "does not lose product";
  bad.cases[0].receptions[0] = Reception::kAccepted;
  bad.complaints = {"case uniform-7: product takes zeros for a right C"};
  bad.unproved.clear();
  bad.margin = {};
  bad.coverage.kinds = {"whole", "edge", "single"};
  bad.coverage.rows = {{"the rule 'In `add`, each block has x = `32`'",
                        {"blocks"},
                        {{"whole", Coverage::kJudged},
                         {"edge", Coverage::kMissing},
                         {"single", Coverage::kLeftOut}}},
                       {"the array 'C'", {"product", "edges"}, {{"whole", Coverage::kJudged}}}};
  AssignmentReport broken;
  broken.slug = "pi";
  broken.error = "pi.yaml:1:1: error: empty\npi.yaml:2:1: error: odd";
  report.assignments = {good, bad, broken};
  report.complaints = {"the course has 2 mutants, at least 120 are needed"};
  return report;
}

CourseReport good_report(uint64_t seed) {
  CourseReport report = sample_report();
  report.seed = seed;
  report.assignments.resize(1);
  report.complaints.clear();
  return report;
}

TEST(FormatCourse, TellsWhatIsWrongAndEndsWithATable) {
  EXPECT_TRUE(matches_golden(format_course(sample_report()), "course.txt"));
}

TEST(FormatAssignment, ShowsEverySubmissionAndCase) {
  EXPECT_TRUE(matches_golden(format_assignment(sample_report().assignments[1]), "assignment.txt"));
}

TEST(FormatCourseJson, HoldsAllOfIt) {
  EXPECT_TRUE(matches_golden(format_course_json(sample_report()), "course.json"));
}

TEST(FormatCourse, TellsWhereAGpuSaidOtherwise) {
  CourseReport report = sample_report();
  EXPECT_EQ(format_course(report).find("on the GPU"), std::string::npos);
  CourseRow& mutant = report.assignments[0].rows[2];
  mutant.compared = {{"correctness", 4}, {"requirement", 2}};
  mutant.disagreements = {{"requirement", "pitch", "wide-3", "failed: no pitch\nhint", "passed"}};
  const std::string text = format_course(report);
  EXPECT_NE(text.find("vecadd: mutant no-guard, pitch in wide-3: emulated: failed: no pitch; on "
                      "the GPU: passed\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("5 of 6 verdicts are the same on the GPU\n"), std::string::npos) << text;
  mutant.disagreements.push_back(
      {"correctness", "sum", "wide-4", "failed: races", "passed", "race"});
  const std::string racy = format_course(report);
  EXPECT_EQ(racy.find("wide-4"), std::string::npos) << racy;
  EXPECT_NE(racy.find("4 of 5 verdicts are the same on the GPU; not counted: 1 in cases in which a "
                      "checker found a mistake, or of programs that cheat\n"),
            std::string::npos)
      << racy;
  mutant.role = Role::kExploit;
  EXPECT_NE(format_course(report).find("4 of 4 verdicts are the same on the GPU; not counted: 2"),
            std::string::npos);
  const std::string json = format_course_json(report);
  EXPECT_NE(json.find("\"compared\""), std::string::npos);
  EXPECT_NE(json.find("\"kind\": \"requirement\""), std::string::npos);
}

TEST(FormatCourse, TellsWhereAGpuSaidNothing) {
  CourseReport report = sample_report();
  report.assignments[0].rows[2].unobserved = {{"wide-3", "the program crashed"}, {"odd", "x"}};
  const std::string text = format_course(report);
  EXPECT_NE(text.find("vecadd: mutant no-guard: nothing was recorded on the GPU in 2 cases, first "
                      "in wide-3: the program crashed\n"),
            std::string::npos)
      << text;
  EXPECT_NE(format_course_json(report).find("\"unobserved\""), std::string::npos);
}

TEST(FormatCourse, CallsNothingProvedOfWhichOnlyAPartWasChecked) {
  CourseReport report = good_report(7);
  ASSERT_TRUE(report.ok());
  report.undone = 3;
  EXPECT_FALSE(report.ok());
  report.undone = 0;
  report.assignments[0].is_partial = true;
  EXPECT_FALSE(report.ok());
  EXPECT_NE(format_course(report).find("0 of 1 assignments proved"), std::string::npos)
      << format_course(report);
}

TEST(FormatWrong, NamesTheSeedInEveryLine) {
  EXPECT_EQ(format_wrong(sample_report()),
            "seed 7: transpose: mutant no-guard: does not lose product\n"
            "seed 7: transpose: case uniform-7: product takes zeros for a right C\n"
            "seed 7: pi.yaml:1:1: error: empty\n"
            "seed 7: pi.yaml:2:1: error: odd\n"
            "seed 7: the course has 2 mutants, at least 120 are needed\n"
            "seed 7: not all was proved in 12 s\n");
}

TEST(FormatWrong, HoldsTheTimeAloneWhereAllIsProved) {
  EXPECT_EQ(format_wrong(good_report(7)), "seed 7: all was proved in 12 s\n");
}

TEST(FormatSeeds, CountsThoseUnderWhichAllIsProved) {
  EXPECT_EQ(format_seeds({good_report(6), good_report(7)}),
            "all was proved under 2 of 2 seeds (6 to 7); 1 of 1 assignments under every seed\n");
  CourseReport wrong = good_report(8);
  wrong.assignments[0].rows[2].complaint = "does not lose product";
  EXPECT_EQ(format_seeds({sample_report(), wrong, good_report(9)}),
            "all was proved under 1 of 3 seeds (7 to 9), not under 7, 8; 0 of 3 assignments under "
            "every seed\n");
}

TEST(FormatSeedsJson, IsOkOnlyWhereAllIsProvedUnderEverySeed) {
  const auto starts_with = [](const std::string& text, const std::string& start) {
    EXPECT_EQ(text.substr(0, start.size()), start);
  };
  starts_with(format_seeds_json({good_report(6), good_report(7)}),
              "{\n  \"schema\": 1,\n  \"ok\": true,\n  \"seeds\": [\n");
  starts_with(format_seeds_json({good_report(6), sample_report()}),
              "{\n  \"schema\": 1,\n  \"ok\": false,\n  \"seeds\": [\n");
}

TEST(CourseReport, IsOkOnlyWhereEverythingIs) {
  EXPECT_FALSE(sample_report().ok());
  EXPECT_TRUE(sample_report().has_error());
  EXPECT_TRUE(good_report(7).ok());
  EXPECT_FALSE(good_report(7).has_error());
}

}  // namespace
}  // namespace warpgrade
