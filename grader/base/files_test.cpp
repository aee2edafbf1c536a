// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/first_file.h"
#include "base/sentence.h"

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
    return file ? Sentence{file->refusal.id, file->refusal.args, {}}.key()
                : "failure: " + file.error().message;
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
  EXPECT_EQ(refusal("none.cu"), "intake.missing(name=none.cu)");
  EXPECT_EQ(refusal("link.cu"), "intake.link(name=link.cu)");
  EXPECT_EQ(refusal("linked/a.cu"), "intake.link(name=linked)");
  EXPECT_EQ(refusal("fifo.cu"), "intake.irregular(name=fifo.cu)");
  EXPECT_EQ(refusal("good"), "intake.irregular(name=good)");
  EXPECT_EQ(refusal("good/../long.cu"), "intake.outside(name=good/../long.cu)");
  EXPECT_EQ(refusal("long.cu/x"), "intake.missing(name=x)");
  EXPECT_EQ(refusal("long.cu"), "intake.too_large(bytes=10, name=long.cu)");
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
