// SPDX-License-Identifier: MIT
#include "course/new_assignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/handout_table.h"
#include "course/template.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

constexpr const char* kAssignmentTemplate = "grader/course/templates/assignment";
constexpr size_t kMostSlugBytes = 40;

bool is_slug(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= kMostSlugBytes && text[0] != '-' &&
         std::all_of(text.begin(), text.end(), fits);
}

/// Where a file of the template belongs.
fs::path place_of(const fs::path& file, const std::string& slug) {
  const fs::path assignment = fs::path("assignments") / slug,
                 reference = fs::path("reference") / slug;
  if (file == "contract.h") return assignment / (slug + ".h");
  if (file == "skeleton.cu") return fs::path("skeletons") / slug / (slug + ".cu");
  if (file == "reference.cu") return reference / (slug + ".cu");
  if (file == "rubric.yaml") return fs::path("rubrics") / (slug + ".yaml");
  return file.has_parent_path() ? reference / file : assignment / file;
}

}  // namespace

Result<FileTree> new_assignment(const Engine& engine, const std::string& slug,
                                const std::string& title) {
  if (!is_slug(slug))
    return Error{
        fmt::format("'{}' is no name for an assignment: use at most {} lower-case letters, "
                    "digits and '-', such as prefix-sum",
                    slug, kMostSlugBytes)};
  if (const std::string mistake = title_mistake(title); !mistake.empty()) return Error{mistake};
  const Result<FileTree> files = read_template(engine.sources / kAssignmentTemplate);
  if (!files) return files.error();
  FileTree tree;
  for (const auto& [file, text] : *files)
    tree[place_of(file, slug)] = fill(text, {{"@slug@", slug}, {"@title@", title}});

  const fs::path assignment = fs::path("assignments") / slug;
  const fs::path rubric_path = fs::path("rubrics") / (slug + ".yaml");
  const Result<Rubric> rubric = parse_rubric(tree[rubric_path], rubric_path.string());
  if (!rubric) return rubric.error();
  Result<std::string> handout = with_rubric_table(tree[assignment / "handout.md"], *rubric);
  if (!handout) return handout.error();
  tree[assignment / "handout.md"] = std::move(*handout);
  tree[assignment / "skeleton.sha256"] =
      skeleton_stamp(tree[fs::path("skeletons") / slug / (slug + ".cu")]);
  return tree;
}

Status add_assignment(const FileTree& tree, const fs::path& course) {
  RealFiles files;
  for (const auto& [path, text] : tree) {
    if (files.exists(course / path))
      return Error{fmt::format("{} exists already; choose another name", (course / path).string())};
  }
  std::error_code failed;
  for (const auto& [path, text] : tree) {
    fs::create_directories((course / path).parent_path(), failed);
    if (Status written = files.write(course / path, text); !written) return written;
  }
  // Ninja then asks Meson for the list of assignments again.
  const fs::path list = course / "assignments/meson.build";
  if (files.exists(list)) fs::last_write_time(list, fs::file_time_type::clock::now(), failed);
  return {};
}

}  // namespace warpgrade
