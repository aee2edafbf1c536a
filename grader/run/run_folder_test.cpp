// SPDX-License-Identifier: MIT
#include "run/run_folder.h"

#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fstream>

#include "base/remove_tree.h"

namespace warpgrade {
namespace {

/// What one run leaves in its folder, the next one must not find.
class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    // Not in memory: there, few kernels know extended attributes of users.
    std::string name = "/tmp/warpgrade-run-folder-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
    folder_ = RunFolder(parent_ / "out");
    ASSERT_TRUE(renew());
  }
  void TearDown() override { remove_tree(parent_, std::chrono::seconds(30)); }

  /// Whether it is another folder now; the test fails where it is not empty.
  bool renew() {
    const Result<bool> renewed = folder_.renew([](const fs::path&) { return true; });
    EXPECT_TRUE(renewed.ok()) << renewed.error().message;
    EXPECT_TRUE(fs::is_empty(folder_.path()));
    return renewed.ok() && *renewed;
  }
  void leave(const std::string& name) const { std::ofstream(folder_.path() / name) << "x"; }

  fs::path parent_;
  RunFolder folder_{""};
};

TEST_F(RunFolderTest, StaysWhereOnlyFilesAreLeft) {
  leave("C.npy");
  fs::create_symlink("/etc/passwd", folder_.path() / "link.npy");
  EXPECT_FALSE(renew());
}

TEST_F(RunFolderTest, IsReplacedWhereFoldersAreLeft) {
  fs::create_directories(folder_.path() / "a/b");
  EXPECT_TRUE(renew());
}

TEST_F(RunFolderTest, IsReplacedWhereMoreFilesAreLeftThanADriverWrites) {
  for (int i = 0; i < 300; ++i) leave(std::to_string(i));
  EXPECT_TRUE(renew());
}

TEST_F(RunFolderTest, IsReplacedWhereItsModeIsAnother) {
  fs::permissions(folder_.path(), fs::perms::none);
  EXPECT_TRUE(renew());
  EXPECT_NE(fs::status(folder_.path()).permissions(), fs::perms::none);
}

TEST_F(RunFolderTest, IsReplacedWhereItCarriesAttributes) {
  if (::setxattr(folder_.path().c_str(), "user.note", "N=33", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no extended attributes";
  EXPECT_TRUE(renew());
  EXPECT_LT(::getxattr(folder_.path().c_str(), "user.note", nullptr, 0), 0);
}

TEST_F(RunFolderTest, CarriesNoTimesThatARunHasSet) {
  const fs::file_time_type before = fs::last_write_time(folder_.path());
  fs::last_write_time(folder_.path(), fs::file_time_type(std::chrono::hours(33)));
  renew();
  EXPECT_EQ(fs::last_write_time(folder_.path()), before);
}

TEST_F(RunFolderTest, LeavesNothingOfAReplacedFolderBeside) {
  fs::create_directories(folder_.path() / "a/b");
  renew();
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace warpgrade
