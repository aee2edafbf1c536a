// SPDX-License-Identifier: MIT
#include "course/unfinished.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

TEST(UnwrittenLines, AreThoseThatTheTemplateMarks) {
  EXPECT_EQ(
      unwritten_lines("# A\n\nLecture items: WRITE: names of docs/lectures.txt\nText.\n", "a.md"),
      std::vector<std::string>{"a.md:3: the template still asks here: names of docs/lectures.txt"});
  EXPECT_TRUE(unwritten_lines("# A\n\nLecture items: 1.2\n", "a.md").empty());
}

TEST(UnwrittenLines, StandInTheTemplateForAllThatAnAuthorMustSay) {
  const Result<std::string> handout = RealFiles().read(
      std::string(WARPGRADE_COURSE) + "/grader/course/templates/assignment/handout.md");
  ASSERT_TRUE(handout.ok());
  EXPECT_EQ(unwritten_lines(*handout, "handout.md").size(), 3u);
}

TEST(UnwrittenLines, CanBeLeftOut) {
  EXPECT_EQ(without_unwritten_lines("# A\n\nLecture items: WRITE: names\n\nWRITE: more\n\nText.\n"),
            "# A\n\nText.\n");
}

TEST(StaleStamp, IsOneOfAnotherSkeleton) {
  const std::string stamp = skeleton_stamp("int a;\n");
  EXPECT_EQ(stale_stamp("int a;\n", stamp, "s"), "");
  EXPECT_EQ(stale_stamp("int a;  \r\n", stamp, "s"), "") << "blanks behind lines do not count";
  EXPECT_EQ(stale_stamp("int b;\n", stamp, "assignments/a/skeleton.sha256"),
            "assignments/a/skeleton.sha256: the stamp is not the skeleton's, so that an untouched "
            "skeleton counts as started: write it anew with `warpgrade check --write`");
}

}  // namespace
}  // namespace warpgrade
