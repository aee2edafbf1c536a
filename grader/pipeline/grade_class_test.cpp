// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "pipeline/grade.h"

namespace warpgrade {
namespace {

/// Gives a point for each byte of the source.
class CountingGrader final : public SubmissionGrader {
 public:
  CountingGrader() { rubric_.assignment = "dot", rubric_.submission = "dot.cu"; }

  const Rubric& rubric() const override { return rubric_; }
  bool is_on_gpu() const override { return false; }
  Versions input_hashes(const Submission& submission) const override {
    return {{"submission", submission.source + submission.problem.text},
            {"rubric", rubric_version}};
  }
  Versions versions() const override { return {}; }
  SubmissionResult grade(const Submission& submission, int) const override {
    SubmissionResult result;
    result.assignment = rubric_.assignment;
    result.student = submission.student;
    result.inputs = input_hashes(submission);
    result.score = static_cast<double>(submission.source.size());
    result.items.emplace_back().id = "bytes";
    result.items[0].points = result.score;
    return result;
  }

  std::string rubric_version = "1";

 private:
  Rubric rubric_;
};

class GradeClassTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "warpgrade-grade-class";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  GradedClass grade(const std::string& source, const std::string& problem) {
    GradeOptions options;
    options.output = folder_;
    const Sentence why = problem.empty() ? Sentence() : Sentence{"intake.told", {}, problem};
    return grade_class(grader_, {{"ann", "", source, why, ""}}, options,
                       [](const SubmissionResult&, size_t, size_t) {});
  }
  double stored_score() const { return ResultsFolder(folder_, "dot").stored("ann").result->score; }

  CountingGrader grader_;
  fs::path folder_;
};

TEST_F(GradeClassTest, LeavesPointsToAStudentWhoseDownloadHoldsNothingToGrade) {
  grade("four", "");
  const GradedClass again = grade("", "the folder holds dot.cu.txt");
  ASSERT_EQ(again.left_standing.size(), 1u);
  EXPECT_EQ(again.left_standing[0].student, "ann");
  EXPECT_EQ(again.left_standing[0].problem, "the folder holds dot.cu.txt");
  EXPECT_EQ(again.results.at(0).score, 4);
  EXPECT_EQ(stored_score(), 4);
  EXPECT_TRUE(fs::exists(folder_ / "submissions/ann/dot.cu"));
}

TEST_F(GradeClassTest, GradesWhatStandsAgainWhereTheRubricChanged) {
  grade("four", "");
  grader_.rubric_version = "2";
  const GradedClass again = grade("", "the archive is empty");
  EXPECT_EQ(again.results.at(0).inputs.at("rubric"), "2");
  EXPECT_EQ(stored_score(), 4);
}

TEST_F(GradeClassTest, LeavesTheResultAsItIsWhereItsSubmissionIsGone) {
  grade("four", "");
  fs::remove_all(folder_ / "submissions");
  grader_.rubric_version = "2";
  EXPECT_EQ(grade("", "the archive is empty").results.at(0).score, 4);
  EXPECT_EQ(stored_score(), 4);
}

TEST_F(GradeClassTest, ReplacesAResultWithoutPointsByAnotherOne) {
  grade("", "the archive is empty");
  EXPECT_TRUE(grade("", "the folder holds dot.cu.txt").left_standing.empty());
  EXPECT_TRUE(grade("fours", "").left_standing.empty());
  EXPECT_EQ(stored_score(), 5);
}

}  // namespace
}  // namespace warpgrade
