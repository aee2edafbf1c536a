// SPDX-License-Identifier: MIT
#include "course/patch.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

const std::string kBase = "a\nb\n\nsame\nc\nsame\nd\n";

/// The result of hunks that stand at line 3 of m.patch, for a base whose first line is the second of b.cu.
Result<std::string> applied(const std::string& patch, const std::string& base = kBase) {
  return apply_patch({"b.cu", base, 2}, {"m.patch", patch, 3});
}

std::string error_of(const std::string& patch, const std::string& base = kBase) {
  const Result<std::string> result = applied(patch, base);
  return result ? "applied" : result.error().message;
}

TEST(ApplyPatch, ReplacesAddsAndDeletesLines) {
  const Result<std::string> result =
      applied("@@ -1,2 +1,3 @@\n a\n-b\n+B\n+new\n@@ -5,1 +6,0 @@ a name\n-c\n");
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(*result, "a\nB\nnew\n\nsame\nsame\nd\n");
}

TEST(ApplyPatch, TakesAnEmptyLineForAnEmptyLineOfContext) {
  EXPECT_EQ(*applied("@@ -2,2 +2,2 @@\n-b\n+B\n\n"), "a\nB\n\nsame\nc\nsame\nd\n");
  EXPECT_EQ(*applied("@@ -2,2 +2,2 @@\n-b\n+B\n \n"), "a\nB\n\nsame\nc\nsame\nd\n");
}

TEST(ApplyPatch, FindsAHunkByItsLinesAndNotByItsNumbers) {
  EXPECT_EQ(*applied("@@ -70 +90 @@\n-c\n+C\n"), "a\nb\n\nsame\nC\nsame\nd\n");
}

TEST(ApplyPatch, ChangesTheFirstAndTheLastLine) {
  EXPECT_EQ(*applied("@@ -1 +1 @@\n-a\n+A\n@@ -7 +7 @@\n-d\n+D\n"), "A\nb\n\nsame\nc\nsame\nD\n");
}

TEST(ApplyPatch, NamesTheLineThatTheBaseLacks) {
  EXPECT_EQ(error_of("@@ -1,2 +1,2 @@\n a\n-beta\n+B\n"),
            "m.patch:5: error: b.cu has no line \"beta\": write the hunk of line 3 as the base is "
            "now");
  EXPECT_EQ(error_of("@@ -1,2 +1,2 @@\n a\n-c\n+C\n"),
            "m.patch:3: error: the hunk's lines do not follow one another in b.cu: write it as the "
            "base is now");
}

TEST(ApplyPatch, RefusesAHunkThatFitsTwice) {
  EXPECT_EQ(error_of("@@ -4 +4 @@\n-same\n+other\n"),
            "m.patch:3: error: the hunk fits at the lines 5 and 7 of b.cu: add context until one "
            "place is left (`diff -U3`)");
}

TEST(ApplyPatch, RefusesHunksThatAreOutOfOrderOrOverlap) {
  EXPECT_EQ(
      error_of("@@ -5 +5 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n"),
      "m.patch:6: error: the hunk belongs at line 2 of b.cu, above the end of the hunk before "
      "it: sort hunks by line, and join those that overlap");
  EXPECT_TRUE(error_of("@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-\n+C\n")
                  .starts_with("m.patch:7: error: the hunk belongs at line 3 of b.cu"));
}

TEST(ApplyPatch, RefusesWrongCounts) {
  const std::string wanted =
      "m.patch:3: error: the hunk has 2 lines of the base and 2 of the result: write \"-LINE,2 "
      "+LINE,2\"";
  EXPECT_EQ(error_of("@@ -1,3 +1,2 @@\n a\n-b\n+B\n"), wanted);
  EXPECT_EQ(error_of("@@ -1,2 +1 @@\n a\n-b\n+B\n"), wanted);
}

TEST(ApplyPatch, RefusesAHunkThatSaysNothing) {
  EXPECT_EQ(
      error_of("@@ -1,0 +1 @@\n+new\n"),
      "m.patch:3: error: the hunk has no line of the base: add a line of context (`diff -U1`)");
  EXPECT_EQ(error_of("@@ -1 +1 @@\n a\n"), "m.patch:3: error: the hunk changes nothing: delete it");
  EXPECT_EQ(error_of(""),
            "m.patch:3: error: the patch has no hunk: wanted \"@@ -LINE,COUNT +LINE,COUNT @@\" and "
            "the lines that `diff -U1` prints below it");
}

TEST(ApplyPatch, RefusesLinesThatAreNoDiff) {
  const std::string head =
      "m.patch:3: error: wanted \"@@ -LINE,COUNT +LINE,COUNT @@\", which `diff -U1` prints";
  for (const char* line : {"--- a\n", "@@\n", "@@ -1 @@\n", "@@ -x +1 @@\n", "@@ -1,+1 @@\n"})
    EXPECT_EQ(error_of(line), head) << line;
  EXPECT_EQ(error_of("@@ -1 +1 @@\n-a\n+A\nb\n"),
            "m.patch:6: error: a hunk's line begins with ' ' (context), '-' (in the base alone) or "
            "'+' (in the result alone)");
}

TEST(ApplyPatch, WantsNewlinesOfOneKindAndOneAtTheEnd) {
  const std::string patch = "@@ -1 +1 @@\n-a\n+A\n";
  EXPECT_EQ(error_of("@@ -1 +1 @@\r\n-a\r\n+A\r\n"),
            "m.patch:3: error: the line ends with CR LF: save the file with LF alone");
  EXPECT_EQ(error_of(patch, "x\r\na\n"),
            "b.cu:2: error: the line ends with CR LF: save the file with LF alone");
  EXPECT_EQ(error_of("@@ -1 +1 @@\n-a\n+A"),
            "m.patch:5: error: the last line has no newline: add one");
  EXPECT_EQ(error_of(patch, "a"), "b.cu:2: error: the last line has no newline: add one");
  EXPECT_EQ(
      error_of(patch + "\\ No newline at end of file\n"),
      "m.patch:6: error: one of the two programs has no newline at its end: add it there, and "
      "make the patch again");
}

}  // namespace
}  // namespace warpgrade
