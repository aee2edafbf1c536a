// SPDX-License-Identifier: MIT
#include "course/autograder.h"

#include <fmt/format.h>

#include "course/collector.h"
#include "course/public_rubric.h"
#include "pipeline/baselines.h"

namespace warpgrade {
namespace {

const fs::path kAutograderTemplates = "grader/course/templates/autograder", kCourse = "course";
constexpr const char* kModelAnswer = "reference";

/// "13-0" of "13.0", as NVIDIA's packages are called.
std::string package_suffix(std::string number) {
  if (number.empty()) return "13-0";
  for (char& c : number) c = c == '.' ? '-' : c;
  return number;
}

/// Lines of a shell script.
std::string settings_text(const AutograderSettings& settings) {
  std::string shown = "--hidden-items " + settings.hidden_items;
  if (settings.leaderboard) shown += " --leaderboard";
  return fmt::format(
      "# run_autograder reads this.\n"
      "slug='{}'\nexport_options='{}'\nkeep_best='{}'\ngrade_options='{}'\n",
      settings.slug, shown, settings.keep_best ? "yes" : "no",
      settings.unsafe_no_sandbox ? "--unsafe-no-sandbox" : "");
}

/// The assignment as the staff has it, without wrong answers and other people's work.
Result<FileTree> course_files(const Paths& paths, const Rubric& rubric) {
  const std::string& slug = rubric.assignment;
  Collector files(paths.course);
  files.take_folder(fs::path("assignments") / slug);
  files.take_folder(fs::path("skeletons") / slug);
  files.take(fs::path("rubrics") / (slug + ".yaml"));
  // Devices and limits: when an answer is late is up to Gradescope.
  if (RealFiles().exists(paths.course / "rubrics/course.yaml")) {
    const Result<Course> settings = read_course(RealFiles(), paths.course / "rubrics");
    if (!settings) return settings.error();
    files.put("rubrics/course.yaml", public_course(*settings, settings->language));
  }
  const Result<std::map<std::string, std::string>> baselines = read_baselines(paths, rubric);
  if (!baselines) return baselines.error();
  const fs::path reference = fs::path("reference") / slug;
  for (const auto& [name, source] : *baselines)
    files.put(name == kModelAnswer ? reference / rubric.submission
                                   : reference / "baselines" / (name + ".cu"),
              source);
  return files.finish();
}

}  // namespace

Result<FileTree> autograder_files(const Installation& installation,
                                  const AutograderSettings& settings) {
  const Paths& paths = installation.paths;
  const Result<Rubric> rubric = read_rubric(RealFiles(), paths.rubric(settings.slug));
  if (!rubric) return rubric.error();
  const Result<FileTree> course = course_files(paths, *rubric);
  if (!course) return course.error();
  Collector own(paths.engine.sources / kAutograderTemplates);
  own.take("setup.sh");
  own.take("run_autograder");
  own.replace("setup.sh", "@cuda@", package_suffix(installation.toolchain.release()));
  own.put("settings", settings_text(settings));
  Result<FileTree> tree = own.finish();
  if (!tree) return tree;
  for (const auto& [path, text] : *course) (*tree)[kCourse / path] = text;
  return tree;
}

}  // namespace warpgrade
