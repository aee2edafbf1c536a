// SPDX-License-Identifier: MIT
#include "course/handout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/public_rubric.h"

namespace warpgrade {
namespace {

constexpr const char* kTemplate = "grader/course/templates/handout/README.md";
constexpr const char* kStaffOption = "option('staff', type: 'boolean', value: true,";
constexpr const char* kStudentOption = "option('staff', type: 'boolean', value: false,";

/// Folders of grader/ that only the engine's own tests need.
bool is_for_tests(const std::string& name) {
  constexpr std::string_view kFolders[] = {"testing", "testdata", "benchmark", "fuzz",
                                           "golden",  "measured", "templates"};
  return std::find(std::begin(kFolders), std::end(kFolders), name) != std::end(kFolders);
}

/// Collects files of the course; remembers the first that could not be read.
class Collector {
 public:
  explicit Collector(const fs::path& course) : course_(course) {}

  void take(const fs::path& path) {
    const Result<std::string> text = files_.read(course_ / path);
    if (!text) return fail(text.error().message);
    tree_[path] = *text;
  }

  /// Every file below `folder` that `accepts` takes by its name.
  template <class F>
  void take_folder(const fs::path& folder, F accepts) {
    const Result<std::vector<std::string>> names = files_.list(course_ / folder);
    if (!names) return fail(names.error().message);
    for (const std::string& name : *names) {
      if (!accepts(name)) continue;
      if (files_.is_folder(course_ / folder / name)) {
        take_folder(folder / name, accepts);
      } else {
        take(folder / name);
      }
    }
  }

  /// Changes `from`, which must be there, to `to`.
  void replace(const fs::path& path, const std::string& from, const std::string& to) {
    std::string& text = tree_[path];
    size_t at = text.find(from);
    if (at == std::string::npos)
      return fail(fmt::format("{} has no '{}' any more", path.string(), from));
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }

  void put(const fs::path& path, Result<std::string> text) {
    if (!text) return fail(text.error().message);
    tree_[path] = std::move(*text);
  }

  Result<std::string> read(const fs::path& path) const { return files_.read(course_ / path); }

  Result<FileTree> finish() {
    if (!problem_.empty()) return Error{problem_};
    return std::move(tree_);
  }

 private:
  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

  const fs::path& course_;
  RealFiles files_;
  FileTree tree_;
  std::string problem_;
};

void take_assignment(const std::string& slug, Collector& files) {
  const auto any = [](const std::string&) { return true; };
  files.take_folder(fs::path("assignments") / slug, any);
  files.take_folder(fs::path("skeletons") / slug, any);
  const fs::path rubric = fs::path("rubrics") / (slug + ".yaml");
  const Result<std::string> text = files.read(rubric);
  files.put(rubric, text ? public_rubric(*text, rubric.string()) : text);
}

/// The settings that a student's runs need, where the course has any.
void take_settings(const fs::path& course, Collector& files) {
  const RealFiles real;
  if (!real.exists(course / "rubrics/course.yaml")) return;
  const Result<Course> settings = read_course(real, course / "rubrics");
  files.put("rubrics/course.yaml",
            settings ? Result<std::string>(public_course(*settings)) : settings.error());
}

void take_tools(Collector& files) {
  files.take_folder("grader", [](const std::string& name) {
    const bool is_test = fs::path(name).stem().string().ends_with("_test");
    return !is_test && !is_for_tests(name);
  });
  for (const char* path : {"meson.build", "meson_options.txt", "assignments/meson.build",
                           "bootstrap", "LICENSE", "docs/emulated.md"})
    files.take(path);
  files.replace("meson_options.txt", kStaffOption, kStudentOption);
}

/// "# Title" of a handout.
std::string title_of(const std::string& handout) {
  const std::string first = split(handout, '\n').front();
  return std::string(trim(first.substr(std::min(first.find_first_not_of("# "), first.size()))));
}

void write_readme(const std::vector<std::string>& slugs, Collector& files) {
  std::string table = "| Assignment | Statement | Your file |\n|---|---|---|\n";
  for (const std::string& slug : slugs) {
    const fs::path handout = fs::path("assignments") / slug / "handout.md";
    const Result<std::string> text = files.read(handout);
    table += fmt::format("| {} | [{}]({}) | `skeletons/{}/` |\n", slug,
                         text ? title_of(*text) : slug, handout.string(), slug);
  }
  files.put("README.md", files.read(kTemplate));
  files.replace("README.md", "@assignments@", table);
  files.replace("README.md", "@first@", slugs.front());
}

Status make_executable(const fs::path& path) {
  std::error_code failed;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, failed);
  return failed ? Error{fmt::format("cannot make {} executable", path.string())} : Status();
}

}  // namespace

Result<FileTree> handout_files(const fs::path& course, const std::vector<std::string>& slugs) {
  Collector files(course);
  for (const std::string& slug : slugs) take_assignment(slug, files);
  take_tools(files);
  take_settings(course, files);
  write_readme(slugs, files);
  return files.finish();
}

Status write_tree(const FileTree& tree, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to, failed);
  if (failed) return Error{fmt::format("cannot make {}: {}", to.string(), failed.message())};
  if (!fs::is_empty(to, failed))
    return Error{fmt::format("{} is not empty; name a folder that does not exist", to.string())};
  RealFiles files;
  for (const auto& [path, text] : tree) {
    fs::create_directories((to / path).parent_path(), failed);
    if (Status written = files.write(to / path, text); !written) return written;
    if (!text.starts_with("#!")) continue;
    if (Status made = make_executable(to / path); !made) return made;
  }
  return {};
}

}  // namespace warpgrade
