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
  proof.refusals = {Refusal::kRefused, Refusal::kRefused, Refusal::kNone, Refusal::kSame,
                    Refusal::kRefused};
  good.cases = {proof};
  AssignmentReport bad = good;
  bad.slug = "transpose";
  bad.rows[2].complaint = "does not lose product";
  bad.cases[0].refusals[0] = Refusal::kAccepted;
  bad.complaints = {"case uniform-7: product takes zeros for a right C"};
  bad.unproved.clear();
  bad.margin = {};
  AssignmentReport broken;
  broken.slug = "pi";
  broken.error = "pi.yaml:1:1: error: empty\npi.yaml:2:1: error: odd";
  report.assignments = {good, bad, broken};
  report.complaints = {"the course has 2 mutants, at least 120 are needed"};
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
  const std::string json = format_course_json(report);
  EXPECT_NE(json.find("\"compared\""), std::string::npos);
  EXPECT_NE(json.find("\"kind\": \"requirement\""), std::string::npos);
}

TEST(CourseReport, IsOkOnlyWhereEverythingIs) {
  CourseReport report = sample_report();
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.has_error());
  report.assignments.resize(1);
  report.complaints.clear();
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(report.has_error());
}

}  // namespace
}  // namespace warpgrade
