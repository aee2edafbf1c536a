// SPDX-License-Identifier: MIT
#include "course/course_parts.h"

#include <gtest/gtest.h>

#include "testing/fake_files.h"

namespace warpgrade {
namespace {

FakeFiles files_of_two() {
  FakeFiles files;
  files.contents = {{"c/rubrics/vecadd.yaml", ""},
                    {"c/rubrics/pi.yaml", ""},
                    {"c/assignments/vecadd/driver.cu", ""},
                    {"c/assignments/vecadd/handout.md", ""},
                    {"c/skeletons/vecadd/vecadd.cu", ""}};
  return files;
}

TEST(RequireParts, NamesEachThatIsMissing) {
  FakeFiles files = files_of_two();
  EXPECT_EQ(
      require_parts(files, "c", "vecadd", parts_for_proof("vecadd", "vecadd.cu")).error().message,
      "rubrics/vecadd.yaml is there, but the course c lacks assignments/vecadd/oracle.cpp, "
      "reference/vecadd/vecadd.cu: restore what is missing, or remove the rubric");
  files.contents["c/assignments/vecadd/oracle.cpp"] = "";
  EXPECT_TRUE(require_parts(files, "c", "vecadd", parts_for_handout("vecadd", "vecadd.cu")).ok())
      << "a handout has no reference";
}

TEST(RequireRubric, SaysWhichAssignmentsThereAre) {
  const FakeFiles files = files_of_two();
  EXPECT_TRUE(require_rubric(files, "c", "pi").ok());
  EXPECT_EQ(require_rubric(files, "c", "vecad").error().message,
            "the course c has no assignment 'vecad'; did you mean 'vecadd'?");
  EXPECT_EQ(require_rubric(files, "c", "histogram").error().message,
            "the course c has no assignment 'histogram'; it has pi, vecadd");
}

TEST(RequireRubric, SaysThatAFolderIsNoCourse) {
  EXPECT_EQ(require_rubric(FakeFiles(), "c", "pi").error().message,
            "c holds no course: it has no rubric; run this inside a course's folder, or name the "
            "folder by --course before the command");
}

}  // namespace
}  // namespace warpgrade
