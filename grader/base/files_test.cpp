// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/first_file.h"

namespace warpgrade {
namespace {

/// A folder of its own for each test, gone afterwards.
class FilesTest : public testing::Test {
 protected:
  FilesTest() : root_(testing::TempDir() + "warpgrade-files-XXXXXX") {
    std::string name = root_.string();
    root_ = ::mkdtemp(name.data());
  }
  ~FilesTest() override { fs::remove_all(root_); }

  std::string refusal(const fs::path& relative) {
    const Result<UntrustedFile> file = files_.read_untrusted(root_, relative, 10);
    return file ? file->refusal : "failure: " + file.error().message;
  }

  fs::path root_;
  RealFiles files_;
};

TEST_F(FilesTest, ReadsWhatItWrote) {
  ASSERT_TRUE(files_.write(root_ / "a/b.txt", "text").ok());
  EXPECT_EQ(*files_.read(root_ / "a/b.txt"), "text");
  EXPECT_EQ(files_.read_untrusted(root_, "a/b.txt", 10)->contents, "text");
  EXPECT_EQ(*files_.list(root_ / "a"), std::vector<std::string>{"b.txt"});
}

TEST_F(FilesTest, RefusesWhatAStudentCouldLayOut) {
  ASSERT_TRUE(files_.write(root_ / "good/a.cu", "text").ok());
  ASSERT_TRUE(files_.write(root_ / "long.cu", "eleven byte").ok());
  fs::create_symlink("good/a.cu", root_ / "link.cu");
  fs::create_symlink("good", root_ / "linked");
  ASSERT_EQ(::mkfifo((root_ / "fifo.cu").c_str(), 0600), 0);
  EXPECT_EQ(refusal("none.cu"), "none.cu is missing");
  EXPECT_EQ(refusal("link.cu"), "link.cu is a link");
  EXPECT_EQ(refusal("linked/a.cu"), "linked is a link");
  EXPECT_EQ(refusal("fifo.cu"), "fifo.cu is not a regular file");
  EXPECT_EQ(refusal("good"), "good is not a regular file");
  EXPECT_EQ(refusal("good/../long.cu"), "good/../long.cu leaves its folder");
  EXPECT_EQ(refusal("long.cu/x"), "x is missing");
  EXPECT_EQ(refusal("long.cu"), "long.cu is larger than 10 bytes");
}

TEST_F(FilesTest, CannotTellWhoseAFileWithTwoNamesIs) {
  ASSERT_TRUE(files_.write(root_ / "ann/a.cu", "text").ok());
  fs::create_directory(root_ / "bob");
  fs::create_hard_link(root_ / "ann/a.cu", root_ / "bob/a.cu");
  EXPECT_EQ(refusal("bob/a.cu"),
            "failure: " + (root_ / "bob/a.cu").string() +
                " is a hard link, one of 2 names of the same file, so that it may be the work of "
                "another student: replace it by a copy");
}

TEST_F(FilesTest, SaysWhyAFolderCannotBeMade) {
  ASSERT_TRUE(files_.write(root_ / "file", "text").ok());
  EXPECT_EQ(files_.write(root_ / "file/below/a.txt", "text").error().message,
            "cannot make " + (root_ / "file/below").string() + ": Not a directory");
}

TEST_F(FilesTest, FindsTheFirstFileOfSeveralBehindItsLink) {
  ASSERT_TRUE(files_.write(root_ / "tools-13/ncu", "").ok());
  ASSERT_TRUE(files_.write(root_ / "later/ncu", "").ok());
  fs::create_directory_symlink("tools-13", root_ / "tools");
  fs::create_directories(root_ / "folder/ncu");
  EXPECT_EQ(first_file({root_ / "none/ncu", root_ / "folder/ncu", root_ / "tools/ncu",
                        root_ / "later/ncu"}),
            fs::canonical(root_) / "tools-13/ncu");
  EXPECT_EQ(first_file({root_ / "none/ncu", root_ / "folder/ncu"}), fs::path());
}

TEST_F(FilesTest, CallsAMissingRootItsOwnFailure) {
  root_ /= "gone";
  EXPECT_EQ(refusal("a.cu"),
            "failure: cannot read " + root_.string() + ": No such file or directory");
}

}  // namespace
}  // namespace warpgrade
