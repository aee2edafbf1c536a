// SPDX-License-Identifier: MIT
#include "course/leaks.h"

#include <gtest/gtest.h>

#include "course/sample_course.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kSkeleton = "skeletons/sample/sample.cu";
constexpr const char* kAnswer =
    "#include <cuda_runtime.h>\n"
    "int answer_begins(const float* a);\n"
    "  const int row = blockIdx.y * 16 + threadIdx.y;\n"
    "  }\n"
    "  const int column = blockIdx.x * 16 + threadIdx.x;\n"
    "  if (row < rows && column < columns) c[row] = a[column];\n";

HandoutTexts sample_texts() {
  HandoutTexts texts;
  texts.given[kSkeleton] = "int answer_begins(const float* a);\n";
  texts.secret["reference/sample/sample.cu"] = kAnswer;
  return texts;
}

Strings leaks_of(const HandoutTexts& texts) {
  return find_leaks(texts, kSkeleton, sample_course_rubric());
}

TEST(FindLeaks, FindsNoneInASkeletonAndAHandoutThatShowsACall) {
  HandoutTexts texts = sample_texts();
  texts.given["handout.md"] =
      "Compute\n    const int row = blockIdx.y * 16 + threadIdx.y;\nfirst.\n";
  EXPECT_EQ(leaks_of(texts), Strings{});
}

TEST(FindLeaks, FindsAPassageOfAnAnswerWhateverItsBlanks) {
  HandoutTexts texts = sample_texts();
  texts.given["handout.md"] =
      "Like this:\n\n"
      "\tconst  int row = blockIdx.y * 16 + threadIdx.y;\n\n"
      "const int column = blockIdx.x * 16 + threadIdx.x;\n"
      "if (row < rows && column < columns) c[row] = a[column];\n";
  EXPECT_EQ(leaks_of(texts),
            Strings{"handout.md:3: 3 lines from \"const int row = blockIdx.y * 16 + threadIdx.y;\" "
                    "on are those of reference/sample/sample.cu"});
}

TEST(FindLeaks, AllowsLessInOtherFiles) {
  HandoutTexts texts = sample_texts();
  texts.shipped["grader/x.cpp"] =
      "const int row = blockIdx.y * 16 + threadIdx.y;\n"
      "const int column = blockIdx.x * 16 + threadIdx.x;\n";
  EXPECT_EQ(leaks_of(texts),
            Strings{"grader/x.cpp:1: 2 lines from \"const int row = blockIdx.y * 16 + "
                    "threadIdx.y;\" on are those of reference/sample/sample.cu"});
}

TEST(FindLeaks, TakesWhatTheSkeletonHoldsForGiven) {
  HandoutTexts texts = sample_texts();
  texts.given[kSkeleton] = kAnswer;
  texts.given["driver.cu"] = kAnswer;
  EXPECT_EQ(leaks_of(texts), Strings{});
}

TEST(FindLeaks, FindsTheNamesOfHiddenCases) {
  HandoutTexts texts = sample_texts();
  texts.shipped["rubrics/sample.yaml"] = "a\nb\n  - {id: large-64, args: {n: 64}}\n";
  texts.given["handout.md"] = "small-3, or very-large-64 and large-640\n";
  EXPECT_EQ(leaks_of(texts), Strings{"rubrics/sample.yaml:3: names the hidden case large-64"});
}

TEST(FindLeaks, TakesAPlainWordForAnIdOnlyWhereARubricNamesIt) {
  Rubric rubric = sample_course_rubric();
  rubric.cases[1].id = "large";
  HandoutTexts texts = sample_texts();
  texts.given["handout.md"] = "Try a large matrix.\n";
  EXPECT_EQ(find_leaks(texts, kSkeleton, rubric), Strings{});
  texts.given["handout.md"] = "{id: large}\n";
  EXPECT_EQ(find_leaks(texts, kSkeleton, rubric),
            Strings{"handout.md:1: names the hidden case large"});
  texts.given.erase("handout.md");
  texts.shipped["grader/rubric/sample.h"] = "{id: large}\n";
  EXPECT_EQ(find_leaks(texts, kSkeleton, rubric), Strings{});
}

TEST(TellingLine, LeavesOutWhatEveryFileHas) {
  for (const char* line :
       {"#include <cuda_runtime.h>", "// a comment of some length", "  }", "",
        "using namespace warpgrade;", "--------------------------", "int i = 0;"})
    EXPECT_EQ(telling_line(line), "") << line;
  EXPECT_EQ(telling_line("\tint  sum =\t a[0] + a[1];  "), "int sum = a[0] + a[1];");
}

TEST(HandoutTexts, HoldTheWholeProgramOfAMutantThatIsAPatch) {
  FakeFiles files;
  files.contents["c/reference/sample/sample.cu"] = "a\nb\n";
  files.contents["c/reference/sample/mutants/a.patch"] = "// m\n@@ -2 +2 @@\n-b\n+c\n";
  const Result<HandoutTexts> texts = handout_texts({}, files, "c", "sample", "sample.cu");
  ASSERT_TRUE(texts.ok()) << texts.error().message;
  EXPECT_EQ(texts->secret, (Texts{{"reference/sample/sample.cu", "a\nb\n"},
                                  {"reference/sample/mutants/a.patch", "// m\na\nc\n"}}));
}

TEST(HandoutTexts, TellWhatIsGivenFromWhatIsSecret) {
  FakeFiles files;
  for (const char* path :
       {"c/reference/sample/sample.cu", "c/reference/sample/mutants/a.cu",
        "c/reference/sample/exploits/b.cu", "c/reference/sample/class/anna/loses.txt"})
    files.contents[path] = "text";
  const FileTree handout = {{"assignments/sample/driver.cu", "1"},
                            {"assignments/sample-two/driver.cu", "2"},
                            {"skeletons/sample/sample.cu", "3"},
                            {"rubrics/sample.yaml", "4"}};
  const Result<HandoutTexts> texts = handout_texts(handout, files, "c", "sample", "sample.cu");
  ASSERT_TRUE(texts.ok()) << texts.error().message;
  EXPECT_EQ(texts->given,
            (Texts{{"assignments/sample/driver.cu", "1"}, {"skeletons/sample/sample.cu", "3"}}));
  EXPECT_EQ(texts->shipped,
            (Texts{{"assignments/sample-two/driver.cu", "2"}, {"rubrics/sample.yaml", "4"}}));
  EXPECT_EQ(texts->secret, (Texts{{"reference/sample/sample.cu", "text"},
                                  {"reference/sample/mutants/a.cu", "text"}}));
}

}  // namespace
}  // namespace warpgrade
