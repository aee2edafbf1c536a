// SPDX-License-Identifier: MIT
#include "course/new_course.h"

#include "course/new_assignment.h"
#include "course/template.h"
#include "course/unfinished.h"

namespace warpgrade {
namespace {

constexpr const char* kCourseTemplate = "grader/course/templates/course";
constexpr const char* kSlug = "saxpy";

/// Where a file of the template belongs. Under their own names, some would act on this repository.
fs::path place_of(const fs::path& file) {
  if (file == "gitignore") return ".gitignore";
  if (file == "check.yml") return ".github/workflows/check.yml";
  if (file == "assignments.build") return "assignments/meson.build";
  if (file == "course.yaml") return "rubrics/course.yaml";
  return file;
}

}  // namespace

Result<FileTree> new_course(const Engine& engine, const std::string& title) {
  if (const std::string mistake = title_mistake(title); !mistake.empty()) return Error{mistake};
  const Result<FileTree> files = read_template(engine.sources / kCourseTemplate);
  if (!files) return files.error();
  Result<FileTree> tree = new_assignment(engine, kSlug, "Saxpy");
  if (!tree) return tree;
  std::string& handout = tree->at(fs::path("assignments") / kSlug / "handout.md");
  handout = without_unwritten_lines(handout);
  for (const auto& [file, text] : *files)
    (*tree)[place_of(file)] = fill(text, {{"@title@", title}});
  (*tree)["rubrics/rubric.schema.json"] = rubric_schema();
  (*tree)["rubrics/course.schema.json"] = course_schema();
  return tree;
}

}  // namespace warpgrade
