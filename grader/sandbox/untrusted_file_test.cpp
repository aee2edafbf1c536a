// SPDX-License-Identifier: MIT
#include "sandbox/untrusted_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace warpgrade {
namespace {

class ReadUntrusted : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-untrusted-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "file") << "contents";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(ReadUntrusted, ReadsAPlainFileUpToTheLimit) {
  EXPECT_EQ(*read_untrusted(folder_ / "file", 8), "contents");
  EXPECT_EQ(read_untrusted(folder_ / "file", 7).error().message,
            "file has 8 bytes, more than the 7 allowed");
}

TEST_F(ReadUntrusted, RefusesEverythingElse) {
  fs::create_symlink(folder_ / "file", folder_ / "link");
  EXPECT_EQ(read_untrusted(folder_ / "link", 100).error().message, "link cannot be read");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_untrusted(folder_ / "pipe", 100).error().message, "pipe is not a plain file");
  EXPECT_EQ(read_untrusted(folder_, 100).error().message,
            folder_.filename().string() + " is not a plain file");
  EXPECT_EQ(read_untrusted("/dev/zero", 100).error().message, "zero is not a plain file");
  fs::create_hard_link(folder_ / "file", folder_ / "twin");
  EXPECT_EQ(read_untrusted(folder_ / "twin", 100).error().message, "twin is not a plain file");
}

TEST_F(ReadUntrusted, RefusesAHugeSparseFile) {
  ASSERT_EQ(::truncate((folder_ / "file").c_str(), off_t{1} << 40), 0);
  EXPECT_FALSE(read_untrusted(folder_ / "file", 1 << 20).ok());
}

}  // namespace
}  // namespace warpgrade
