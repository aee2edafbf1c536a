// SPDX-License-Identifier: MIT
#include "pipeline/kept_submissions.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

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
  ASSERT_TRUE(kept().keep({"ann", "elsewhere/dot.cu", "int x;\n", "", ""}).ok());
  const Result<Submission> ann = kept().read("ann");
  ASSERT_TRUE(ann.ok());
  EXPECT_EQ(ann->student, "ann");
  EXPECT_EQ(ann->source, "int x;\n");
  EXPECT_EQ(ann->problem, "");
  EXPECT_EQ(ann->path, folder_ / "submissions/ann/dot.cu");
}

TEST_F(KeptSubmissionsTest, KeepsTheLastOne) {
  ASSERT_TRUE(kept().keep({"ann", "", "int x;\n", "", ""}).ok());
  ASSERT_TRUE(kept().keep({"ann", "", "", "dot.cu is missing", ""}).ok());
  EXPECT_EQ(kept().read("ann")->problem, "dot.cu is missing");
  EXPECT_EQ(kept().read("ann")->source, "");
  ASSERT_TRUE(kept().keep({"ann", "", "int y;\n", "", ""}).ok());
  EXPECT_EQ(kept().read("ann")->problem, "");
}

TEST_F(KeptSubmissionsTest, SaysWhereNothingIsKept) {
  ASSERT_TRUE(kept().keep({"ann", "", "", "", "cannot read it"}).ok());
  const Result<Submission> ann = kept().read("ann");
  ASSERT_FALSE(ann.ok());
  EXPECT_EQ(ann.error().message,
            (folder_ / "submissions").string() +
                " holds no submission of ann: grade it from where it was handed in");
}

}  // namespace
}  // namespace warpgrade
