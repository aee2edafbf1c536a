// SPDX-License-Identifier: MIT
#include "course/new_assignment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "course/untouched.h"

namespace warpgrade {
namespace {

const Engine kAssignmentEngine = {.sources = WARPGRADE_COURSE};

Result<FileTree> prefix_sum() {
  return new_assignment(kAssignmentEngine, "prefix-sum", "Prefix sums");
}

TEST(NewAssignment, LeavesNoPlaceholderBehind) {
  const Result<FileTree> tree = prefix_sum();
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  EXPECT_GT(tree->size(), 15u);
  for (const auto& [path, text] : *tree) {
    EXPECT_EQ(text.find("@slug@"), std::string::npos) << path;
    EXPECT_EQ(text.find("@title@"), std::string::npos) << path;
  }
  EXPECT_TRUE(tree->at("assignments/prefix-sum/handout.md").starts_with("# Prefix sums\n"));
  EXPECT_TRUE(tree->count("reference/prefix-sum/mutants/no-guard.patch"));
}

TEST(NewAssignment, StampsItsSkeletonAsUntouched) {
  const Result<FileTree> tree = prefix_sum();
  EXPECT_TRUE(is_untouched(tree->at("skeletons/prefix-sum/prefix-sum.cu"),
                           tree->at("assignments/prefix-sum/skeleton.sha256")));
}

TEST(NewAssignment, RefusesNamesThatAreNone) {
  for (const char* bad : {"", "Prefix", "a/b", "-x", "a b", ".."})
    EXPECT_FALSE(new_assignment(kAssignmentEngine, bad, "T").ok()) << bad;
  EXPECT_FALSE(new_assignment(kAssignmentEngine, "x", "a \"b\"").ok());
}

TEST(AddAssignment, NeverOverwrites) {
  std::string folder = testing::TempDir() + "/warpgrade-new-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const FileTree tree = {{"rubrics/x.yaml", "a"}, {"assignments/x/handout.md", "b"}};
  EXPECT_TRUE(add_assignment(tree, folder).ok());
  EXPECT_EQ(*RealFiles().read(fs::path(folder) / "rubrics/x.yaml"), "a");
  const Status again = add_assignment(tree, folder);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("exists already; choose another name"), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpgrade
