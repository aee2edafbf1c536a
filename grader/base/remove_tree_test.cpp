// SPDX-License-Identifier: MIT
#include "base/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace warpgrade {
namespace {

constexpr std::chrono::minutes kAmple{5};

class RemoveTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-remove-tree-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "tree");
  }
  void TearDown() override { remove_tree(folder_, kAmple); }

  /// Folders in folders, more than a process may have files open.
  void nest(int levels) const {
    int at = ::open((folder_ / "tree").c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; ++i) {
      ASSERT_EQ(::mkdirat(at, "d", 0755), 0);
      const int next = ::openat(at, "d", O_RDONLY | O_DIRECTORY);
      ::close(at);
      at = next;
    }
    ::close(at);
  }

  fs::path folder_;
};

TEST_F(RemoveTreeTest, RemovesFilesFoldersAndLinksButNotWhatTheyPointTo) {
  std::ofstream(folder_ / "kept") << "x";
  fs::create_directories(folder_ / "tree/a/b");
  std::ofstream(folder_ / "tree/a/b/file") << "x";
  fs::create_symlink(folder_ / "kept", folder_ / "tree/link");
  fs::create_directory_symlink(folder_, folder_ / "tree/a/up");
  EXPECT_TRUE(remove_tree(folder_ / "tree", kAmple));
  EXPECT_FALSE(fs::exists(folder_ / "tree"));
  EXPECT_TRUE(fs::exists(folder_ / "kept"));
}

TEST_F(RemoveTreeTest, RemovesNestedFoldersWithFewDescriptors) {
  nest(400);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{32, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  const bool removed = remove_tree(folder_ / "tree", kAmple);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(removed);
  EXPECT_FALSE(fs::exists(folder_ / "tree"));
}

TEST_F(RemoveTreeTest, RemovesFoldersThatAreClosedToTheirOwner) {
  fs::create_directories(folder_ / "tree/a/b");
  for (const char* closed : {"tree/a/b", "tree/a", "tree"})
    fs::permissions(folder_ / closed, fs::perms::none);
  EXPECT_TRUE(remove_tree(folder_ / "tree", kAmple));
}

TEST_F(RemoveTreeTest, KeepsFoldersApartThatHaveTheNamesItGives) {
  for (int i = 0; i < 3; ++i)
    fs::create_directories(folder_ / "tree" /
                           (".moved-" + std::to_string(::getpid()) + "-" + std::to_string(i)) /
                           "x" / "y");
  EXPECT_TRUE(remove_tree(folder_ / "tree", kAmple));
}

TEST_F(RemoveTreeTest, GivesUpInTime) {
  nest(100);
  EXPECT_FALSE(remove_tree(folder_ / "tree", std::chrono::milliseconds(-1)));
}

TEST_F(RemoveTreeTest, TakesWhatIsNotThereForRemoved) {
  EXPECT_TRUE(remove_tree(folder_ / "nothing", kAmple));
}

}  // namespace
}  // namespace warpgrade
