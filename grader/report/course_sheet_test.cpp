// SPDX-License-Identifier: MIT
#include "report/course_sheet.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

SubmissionResult scored(const std::string& student, double score, double most = 100) {
  SubmissionResult result;
  result.student = student;
  result.score = score;
  result.max_score = most;
  return result;
}

TEST(FormatCourse, WeighsAssignmentsAndNamesWhatIsMissing) {
  EXPECT_EQ(format_course({{"vecadd", 1, {scored("ann", 90), scored("bob", 60)}},
                           {"dot", 2, {scored("ann", 40, 80)}}}),
            "student,name,vecadd,dot,total,total_final,missing,not_graded,provisional\n"
            "ann,,90,40,63.33,63.33,,,\n"
            "bob,,60,,20,20,dot,,\n");
}

TEST(FormatCourse, TellsWhatIsSureFromWhatIsProvisional) {
  SubmissionResult ann = scored("ann", 72);  // 80, of which lateness took 8
  ann.provisional = true;
  ann.items.resize(2);
  ann.items[0].points = 60;
  ann.items[1].points = 20;
  ann.items[1].provisional = true;
  EXPECT_EQ(format_course({{"dot", 1, {ann}}}),
            "student,name,dot,total,total_final,missing,not_graded,provisional\n"
            "ann,,72,72,54,,,dot\n");
}

TEST(FormatCourse, GivesNoScoreToWhatCouldNotBeGraded) {
  SubmissionResult ann = scored("ann", 0);
  ann.items.resize(1);
  ann.items[0].status = Outcome::kSystemError;
  EXPECT_EQ(format_course({{"dot", 1, {ann}}}),
            "student,name,dot,total,total_final,missing,not_graded,provisional\n"
            "ann,,,0,0,,dot,\n");
}

TEST(FormatCourse, HasARowForWhoNeverHandedAnythingIn) {
  EXPECT_EQ(format_course({{"vecadd", 1, {scored("bob", 60)}}, {"dot", 1, {scored("bob", 80)}}},
                          {{"ann", "Ana Anić"}}),
            "student,name,vecadd,dot,total,total_final,missing,not_graded,provisional\n"
            "ann,Ana Anić,,,0,0,vecadd dot,,\n"
            "bob,,60,80,70,70,,,\n");
}

TEST(FormatCourse, KeepsNamesFromBeingFormulas) {
  SubmissionResult ann = scored("ann", 1);
  ann.identity.name = "=cmd()|' /C calc'!A0";
  EXPECT_NE(format_course({{"dot", 1, {ann}}}).find("\nann,'=cmd()"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
