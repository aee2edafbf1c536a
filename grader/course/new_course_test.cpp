// SPDX-License-Identifier: MIT
#include "course/new_course.h"

#include <gtest/gtest.h>

#include "course/unfinished.h"
#include "rubric/settings.h"

namespace warpgrade {
namespace {

const Engine kCourseEngine = {.sources = WARPGRADE_COURSE};

TEST(NewCourse, HasSettingsThatNameItsAssignment) {
  const Result<FileTree> tree = new_course(kCourseEngine, "Kernels & 'threads'");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  const Result<Course> course = parse_course(tree->at("rubrics/course.yaml"), "course.yaml",
                                             std::vector<std::string>{"saxpy"});
  ASSERT_TRUE(course.ok()) << course.error().message;
  EXPECT_EQ(course->title, "Kernels & 'threads'");
  EXPECT_NE(course->find("saxpy"), nullptr);
}

TEST(NewCourse, IsComplete) {
  const Result<FileTree> tree = new_course(kCourseEngine, "Kernels");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  for (const auto& [path, text] : *tree) {
    EXPECT_EQ(text.find("@title@"), std::string::npos) << path;
    EXPECT_TRUE(unwritten_lines(text, path.string()).empty()) << path;
  }
  for (const char* path : {"meson.build", "assignments/meson.build", "README.md", ".gitignore",
                           ".github/workflows/check.yml", "rubrics/rubric.schema.json",
                           "rubrics/course.schema.json", "skeletons/saxpy/saxpy.cu"})
    EXPECT_EQ(tree->count(path), 1u) << path;
}

TEST(NewCourse, RefusesATitleThatWouldEndItsPlaceInYaml) {
  for (const char* title : {"", "a\"b", "a\nb", "a\033[2Jb"})
    EXPECT_FALSE(new_course(kCourseEngine, title).ok()) << title;
}

}  // namespace
}  // namespace warpgrade
