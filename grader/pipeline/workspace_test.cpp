// SPDX-License-Identifier: MIT
#include "pipeline/workspace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpgrade {
namespace {

class WorkspaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-workspace-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
  }
  void TearDown() override { fs::remove_all(parent_); }

  fs::path parent_;
};

TEST_F(WorkspaceTest, GoesWithItsContent) {
  fs::path folder;
  {
    const auto workspace = Workspace::make_in(parent_, 0);
    ASSERT_TRUE(workspace) << workspace.error().message;
    folder = (*workspace)->folder();
    fs::create_directories(folder / "slot-0" / "run");
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms(0711));
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(WorkspaceTest, RemovesWhatKilledGradersLeft) {
  const auto in_use = Workspace::make_in(parent_, 0);
  fs::create_directories(parent_ / "warpgrade-work-dead" / "slot-0");
  fs::create_directory(parent_ / "other");
  const auto young = Workspace::make_in(parent_, 60);
  EXPECT_TRUE(fs::exists(parent_ / "warpgrade-work-dead"));
  const auto next = Workspace::make_in(parent_, 0);
  EXPECT_FALSE(fs::exists(parent_ / "warpgrade-work-dead"));
  EXPECT_TRUE(fs::exists((*in_use)->folder()));
  EXPECT_TRUE(fs::exists(parent_ / "other"));
}

}  // namespace
}  // namespace warpgrade
