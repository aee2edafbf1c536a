// SPDX-License-Identifier: MIT
#include "sandbox/disk_use.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "sandbox/descriptor.h"
#include "testing/units.h"

namespace warpgrade {
namespace {

class DiskUseTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-disk-use-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(DiskUseTest, CountsTheSpaceThatFilesTakeAtAnyLevel) {
  fs::create_directories(folder_ / "a" / "b");
  for (const char* name : {"x", "a/y", "a/b/z"})
    std::ofstream(folder_ / name) << std::string(kMiB, 'x');
  const size_t bytes = bytes_in({folder_});
  EXPECT_GE(bytes, 3 * kMiB);
  EXPECT_LT(bytes, 4 * kMiB);
}

TEST_F(DiskUseTest, CountsOfASparseFileOnlyWhatTheDiskHolds) {
  std::ofstream(folder_ / "sparse");
  fs::resize_file(folder_ / "sparse", 100 * kMiB);
  EXPECT_LT(bytes_in({folder_}), kMiB);
}

TEST_F(DiskUseTest, CountsFilesWithoutANameThatAProcessHoldsOpen) {
  const fs::path path = folder_ / "gone";
  std::ofstream(path) << std::string(kMiB, 'x');
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  fs::remove(path);
  EXPECT_LT(bytes_in({folder_}), kMiB);
  EXPECT_GE(bytes_in({folder_}, ::getpid()), kMiB);
}

TEST_F(DiskUseTest, GivesUpOnMoreFilesThanItCanCount) {
  for (int i = 0; i < 5000; ++i) std::ofstream(folder_ / std::to_string(i));
  EXPECT_EQ(bytes_in({folder_}), kBeyondMeasure);
}

TEST_F(DiskUseTest, GivesUpOnMoreLevelsThanItCanDescend) {
  fs::path deep = folder_;
  for (int i = 0; i < 20; ++i) deep /= "d";
  fs::create_directories(deep);
  EXPECT_EQ(bytes_in({folder_}), kBeyondMeasure);
}

TEST_F(DiskUseTest, LeavesNothingBehindWhereItTriesToWrite) {
  EXPECT_FALSE(refuses_files(folder_));
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace warpgrade
