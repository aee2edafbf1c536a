// SPDX-License-Identifier: MIT
#include "commands/remedy.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(RemedyOf, SaysWhatToDoWhereAFileIsOutOfReach) {
  EXPECT_EQ(remedy_of("cannot make a/b: Permission denied"),
            "let this user write there, or name a folder that it may write");
  EXPECT_EQ(remedy_of("cannot write a/b: Read-only file system"),
            "let this user write there, or name a folder that it may write");
  EXPECT_EQ(remedy_of("cannot write a/b: No space left on device"),
            "free space there, or name another folder");
  EXPECT_EQ(remedy_of("first\ncannot list a: Permission denied\n"),
            "let this user read it: chmod -R a+rX FOLDER, its parent folders included");
}

TEST(RemedyOf, SaysNothingOfOtherMistakes) {
  EXPECT_EQ(remedy_of("cannot read a: No such file or directory"), "");
  EXPECT_EQ(remedy_of("a.yaml:1:1: error: unknown key 'Permission denied'"), "");
  EXPECT_EQ(remedy_of(""), "");
}

}  // namespace
}  // namespace warpgrade
