// SPDX-License-Identifier: MIT
#include "course/course_parts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "rubric/rubric.h"

namespace warpgrade {
namespace {

constexpr size_t kMostNames = 20;  // that a message lists

}  // namespace

std::vector<fs::path> parts_for_grading(const std::string& slug) {
  const fs::path assignment = fs::path("assignments") / slug;
  return {assignment / "driver.cu", assignment / "oracle.cpp"};
}

std::vector<fs::path> parts_for_handout(const std::string& slug, const std::string& submission) {
  std::vector<fs::path> parts = parts_for_grading(slug);
  parts.push_back(fs::path("assignments") / slug / "handout.md");
  parts.push_back(fs::path("skeletons") / slug / submission);
  return parts;
}

std::vector<fs::path> parts_for_proof(const std::string& slug, const std::string& submission) {
  std::vector<fs::path> parts = parts_for_handout(slug, submission);
  parts.push_back(fs::path("reference") / slug / submission);
  return parts;
}

Status require_parts(const Files& files, const fs::path& course, const std::string& slug,
                     const std::vector<fs::path>& parts) {
  std::vector<std::string> missing;
  for (const fs::path& part : parts) {
    if (!files.exists(course / part)) missing.push_back(part.string());
  }
  if (missing.empty()) return {};
  return Error{
      fmt::format("rubrics/{}.yaml is there, but the course {} lacks {}: restore what is missing, "
                  "or remove the rubric",
                  slug, course.string(), join(missing, ", "))};
}

Status require_rubric(const Files& files, const fs::path& course, const std::string& slug) {
  const fs::path rubrics = course / "rubrics";
  if (files.exists(rubrics / (slug + ".yaml"))) return {};
  std::vector<std::string> slugs = assignments_of(files, rubrics);
  if (slugs.empty())
    return Error{
        fmt::format("{} holds no course: it has no rubric; run this inside a course's folder, or "
                    "name the folder by --course before the command",
                    course.string())};
  const std::string meant = nearest(slug, slugs);
  if (!meant.empty())
    return Error{fmt::format("the course {} has no assignment '{}'; did you mean '{}'?",
                             course.string(), slug, meant)};
  if (slugs.size() > kMostNames) {
    slugs.resize(kMostNames);
    slugs.emplace_back("...");
  }
  return Error{fmt::format("the course {} has no assignment '{}'; it has {}", course.string(), slug,
                           join(slugs, ", "))};
}

}  // namespace warpgrade
