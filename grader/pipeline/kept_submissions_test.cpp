// SPDX-License-Identifier: MIT
#include "pipeline/kept_submissions.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

const Sentence kMissing{
    "intake.nothing", {{"name", "dot.cu"}}, "dot.cu is missing; the folder is empty"};

class KeptSubmissionsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "warpgrade-kept-submissions";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  KeptSubmissions kept() const { return {folder_, "dot.cu"}; }

  fs::path folder_;
};

TEST_F(KeptSubmissionsTest, GivesBackWhatWasHandedIn) {
  ASSERT_TRUE(kept().keep({"ann", "elsewhere/dot.cu", "int x;\n", {}, ""}).ok());
  const Result<Submission> ann = kept().read("ann");
  ASSERT_TRUE(ann.ok());
  EXPECT_EQ(ann->student, "ann");
  EXPECT_EQ(ann->source, "int x;\n");
  EXPECT_EQ(ann->problem, Sentence());
  EXPECT_EQ(ann->path, folder_ / "submissions/ann/dot.cu");
}

TEST_F(KeptSubmissionsTest, KeepsTheLastOne) {
  ASSERT_TRUE(kept().keep({"ann", "", "int x;\n", {}, ""}).ok());
  ASSERT_TRUE(kept().keep({"ann", "", "", kMissing, ""}).ok());
  EXPECT_EQ(kept().read("ann")->problem, kMissing) << "with its id and arguments";
  EXPECT_EQ(kept().read("ann")->source, "");
  ASSERT_TRUE(kept().keep({"ann", "", "int y;\n", {}, ""}).ok());
  EXPECT_EQ(kept().read("ann")->problem, Sentence());
}

TEST_F(KeptSubmissionsTest, ReadsTheWordsThatAnEarlierGraderKept) {
  ASSERT_TRUE(RealFiles().write(folder_ / "submissions/ann/problem.txt", "dot.cu is empty").ok());
  const Result<Submission> ann = kept().read("ann");
  ASSERT_TRUE(ann.ok());
  EXPECT_EQ(ann->problem,
            (Sentence{"intake.told", {{"why", "dot.cu is empty"}}, "dot.cu is empty"}));
  ASSERT_TRUE(kept().keep({"ann", "", "int x;\n", {}, ""}).ok());
  EXPECT_EQ(kept().read("ann")->problem, Sentence());
}

TEST_F(KeptSubmissionsTest, SaysWhereNothingIsKept) {
  ASSERT_TRUE(kept().keep({"ann", "", "", {}, "cannot read it"}).ok());
  const Result<Submission> ann = kept().read("ann");
  ASSERT_FALSE(ann.ok());
  EXPECT_EQ(ann.error().message,
            (folder_ / "submissions").string() +
                " holds no submission of ann: grade it from where it was handed in");
}

}  // namespace
}  // namespace warpgrade
