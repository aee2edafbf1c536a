// SPDX-License-Identifier: MIT
#include "course/new_assignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/handout_table.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

constexpr const char* kTemplate = "grader/course/templates/assignment";
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

std::string fill(std::string text, const std::string& slug, const std::string& title) {
  for (const auto& [name, value] : {std::pair{"@slug@", slug}, std::pair{"@title@", title}}) {
    const std::string from = name;
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + value.size()))
      text.replace(at, from.size(), value);
  }
  return text;
}

Result<FileTree> read_template(const Files& files, const fs::path& root, const fs::path& folder) {
  const Result<std::vector<std::string>> names = files.list(root / folder);
  if (!names) return names.error();
  FileTree tree;
  for (const std::string& name : *names) {
    if (files.is_folder(root / folder / name)) {
      Result<FileTree> below = read_template(files, root, folder / name);
      if (!below) return below;
      tree.merge(*below);
      continue;
    }
    const Result<std::string> text = files.read(root / folder / name);
    if (!text) return text.error();
    tree[folder / name] = *text;
  }
  return tree;
}

}  // namespace

Result<FileTree> new_assignment(const Engine& engine, const std::string& slug,
                                const std::string& title) {
  if (!is_slug(slug))
    return Error{
        fmt::format("'{}' is no name for an assignment: use at most {} lower-case letters, "
                    "digits and '-', such as prefix-sum",
                    slug, kMostSlugBytes)};
  if (title.find_first_of("\"\\\n") != std::string::npos)
    return Error{"a title is one line without double quotes and backslashes"};
  const Result<FileTree> files = read_template(RealFiles(), engine.sources / kTemplate, "");
  if (!files) return files.error();
  FileTree tree;
  for (const auto& [file, text] : *files) tree[place_of(file, slug)] = fill(text, slug, title);

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
