// SPDX-License-Identifier: MIT
#include "course/handout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/collector.h"
#include "course/handout_table.h"
#include "course/public_rubric.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

const fs::path kHandoutTemplates = "grader/course/templates/handout";

/// A page of the template, and where a handout has it. Under their own names, some would act on this repository.
struct TemplatePage {
  const char* name;
  const char* place;
};
constexpr TemplatePage kPages[] = {{"README.md", "README.md"},
                                   {"meson.build", "meson.build"},
                                   {"tasks.json", ".vscode/tasks.json"},
                                   {"Containerfile", "Containerfile"},
                                   {"devcontainer.json", ".devcontainer/devcontainer.json"}};

/// The rubric as students get it, with titles and hints in their language.
Result<std::string> rubric_for_students(const fs::path& course, const fs::path& rubric,
                                        const std::string& language) {
  const RealFiles real;
  const Result<std::string> text = real.read(course / rubric);
  if (!text) return text;
  const auto translation = read_translation(real, course / rubric, language);
  if (!translation) return translation.error();
  return public_rubric(*text, rubric.string(), *translation ? &**translation : nullptr);
}

/// The statement in the language takes the place of the one that the course is written in.
void take_assignment(const fs::path& course, const std::string& slug, const std::string& language,
                     Collector& files) {
  const fs::path assignment = fs::path("assignments") / slug;
  files.take_folder(assignment);
  files.take_folder(fs::path("skeletons") / slug);
  const fs::path rubric = fs::path("rubrics") / (slug + ".yaml");
  files.put(rubric, rubric_for_students(course, rubric, language));
  for (const std::string& each : languages()) {
    const fs::path statement = statement_in(assignment, each);
    if (each == language && RealFiles().exists(course / statement))
      files.put(assignment / "handout.md", files.read(statement));
    files.leave_out(statement);
    files.leave_out(translation_of(rubric, each));
  }
}

/// The settings that a student's runs need, where the course has any or the language is none that the engine takes for
/// granted.
void take_settings(const fs::path& course, const std::string& language, Collector& files) {
  const RealFiles real;
  if (language == Course().language && !real.exists(course / "rubrics/course.yaml")) return;
  const Result<Course> settings = read_course(real, course / "rubrics");
  files.put("rubrics/course.yaml",
            settings ? Result<std::string>(public_course(*settings, language)) : settings.error());
}

/// "# Title" of a handout.
std::string title_of(const std::string& handout) {
  const std::string first = split(handout, '\n').front();
  return std::string(trim(first.substr(std::min(first.find_first_not_of("# "), first.size()))));
}

void fill_pages(const std::vector<std::string>& slugs, const std::string& language,
                Collector& files) {
  std::string table = fmt::format(
      "| {} | {} | {} |\n|---|---|---|\n", say_in(language, "handout.assignment").text,
      say_in(language, "handout.statement").text, say_in(language, "handout.file").text);
  for (const std::string& slug : slugs) {
    const fs::path handout = fs::path("assignments") / slug / "handout.md";
    const Result<std::string> text = files.taken(handout);
    table += fmt::format("| {} | [{}]({}) | `skeletons/{}/` |\n", slug,
                         text ? title_of(*text) : slug, handout.string(), slug);
  }
  files.replace("README.md", "@assignments@", table);
  files.replace("README.md", "@first@", slugs.front());
  files.replace("meson.build", "@slugs@", fmt::format("'{}'", join(slugs, "', '")));
  files.replace(".vscode/tasks.json", "@options@", fmt::format("\"{}\"", join(slugs, "\", \"")));
}

/// A statement names the engine's programs and headers where the course's own repository has them; a student finds them in
/// engine/.
void move_engine(const std::string& slug, Collector& files) {
  const fs::path page = fs::path("assignments") / slug / "handout.md";
  files.replace_all(page, "-I grader ", "-I engine/share/warpgrade/grader ");
  files.replace_all(page, "build/warpgrade", "engine/bin/warpgrade");
}

/// What the engine has of its own for students.
void take_pages(const Engine& engine, const std::string& language, Collector& files) {
  const RealFiles real;
  for (const TemplatePage& page : kPages) {
    const fs::path path = engine.sources / kHandoutTemplates / page.name;
    const fs::path translated =
        path.parent_path() /
        fmt::format("{}.{}{}", path.stem().string(), language, path.extension().string());
    files.put(page.place, real.read(real.exists(translated) ? translated : path));
  }
  for (const char* name : {"LICENSE", "docs/emulated.md"})
    files.put(name, real.read(engine.sources / name));
}

Status make_executable(const fs::path& path) {
  std::error_code failed;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, failed);
  return failed ? Error{fmt::format("cannot make {} executable", path.string())} : Status();
}

}  // namespace

Result<FileTree> handout_files(const Paths& paths, const std::vector<std::string>& slugs,
                               const std::string& language) {
  Collector files(paths.course);
  for (const std::string& slug : slugs) {
    take_assignment(paths.course, slug, language, files);
    move_engine(slug, files);
  }
  take_settings(paths.course, language, files);
  take_pages(paths.engine, language, files);
  fill_pages(slugs, language, files);
  return files.finish();
}

bool is_executable(const std::string& bytes) {
  return bytes.starts_with("#!") || bytes.starts_with(
                                        "\x7f"
                                        "ELF");
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
    if (!is_executable(text)) continue;
    if (Status made = make_executable(to / path); !made) return made;
  }
  return {};
}

}  // namespace warpgrade
