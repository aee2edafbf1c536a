// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/text.h"
#include "commands/options.h"
#include "course/course_parts.h"
#include "course/handout_table.h"
#include "plan/plan.h"
#include "plan/words.h"
#include "rubric/driver_launches.h"
#include "rubric/handout_passages.h"
#include "rubric/page.h"
#include "rubric/translation.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// One for each assignment that lacks a file which the rubric takes for granted.
std::vector<Mistake> missing_parts(const RealFiles& files, const Options& options) {
  const fs::path course = find_paths(options).course;
  std::vector<Mistake> mistakes;
  for (const std::string& slug : all_slugs(options)) {
    const fs::path path = course / "rubrics" / (slug + ".yaml");
    const Result<Rubric> rubric = read_rubric(files, path);
    if (!rubric) continue;  // Its own mistakes are told.
    const Status whole =
        require_parts(files, course, slug, parts_for_proof(slug, rubric->submission));
    if (!whole) mistakes.push_back({path.string(), 1, 1, whole.error().message, ""});
  }
  return mistakes;
}

/// What is wrong with the passages that handouts name for items of their rubrics.
std::vector<Mistake> wrong_passages(const RealFiles& files, const Options& options) {
  const Paths paths = find_paths(options);
  std::vector<Mistake> mistakes;
  for (const std::string& slug : all_slugs(options)) {
    const Result<Rubric> rubric = read_rubric(files, paths.rubric(slug));
    if (!rubric) continue;  // Its own mistakes are told.
    std::vector<std::string> known;
    for (const Item& item : rubric->items) known.push_back(item.id);
    std::vector<fs::path> pages = {paths.assignment(slug) / "handout.md"};
    for (const std::string& language : languages())
      pages.push_back(statement_in(paths.assignment(slug), language));
    for (const fs::path& page : pages) {
      const Result<std::string> text = files.read(page);
      if (!text) continue;
      Diagnostics errors(page.string(), *text);
      check_passages(handout_passages(*text), known, errors);
      const std::vector<Mistake> more = errors.mistakes();
      mistakes.insert(mistakes.end(), more.begin(), more.end());
    }
  }
  return mistakes;
}

/// Where drivers launch a kernel of their contract's in a way that a host function can take part in.
std::vector<Mistake> wrong_launches(const RealFiles& files, const Options& options) {
  const Paths paths = find_paths(options);
  std::vector<Mistake> mistakes;
  for (const std::string& slug : all_slugs(options)) {
    const fs::path driver = paths.assignment(slug) / "driver.cu";
    const Result<std::string> source = files.read(driver);
    const Result<std::vector<std::string>> names = files.list(paths.assignment(slug));
    if (!source || !names) continue;  // missing_parts reports it.
    std::vector<std::string> kernels;
    for (const std::string& name : *names) {
      if (fs::path(name).extension() != ".h") continue;
      const Result<std::string> header = files.read(paths.assignment(slug) / name);
      if (!header) continue;
      const std::vector<std::string> more = declared_kernels(*header);
      kernels.insert(kernels.end(), more.begin(), more.end());
    }
    Diagnostics errors(driver.string(), *source);
    check_driver_launches(*source, kernels, errors);
    const std::vector<Mistake> more = errors.mistakes();
    mistakes.insert(mistakes.end(), more.begin(), more.end());
  }
  return mistakes;
}

/// Reads the course's files and nothing else: no compiler, no sandbox, no submission.
int lint_command(const Options& options) {
  const RealFiles files;
  const fs::path folder = find_paths(options).course / "rubrics";
  std::vector<fs::path> paths(options.paths.begin(), options.paths.end());
  if (paths.empty()) {
    const fs::path course = folder / "course.yaml";
    if (files.exists(course)) paths.push_back(course);
    for (const std::string& slug : all_slugs(options)) {
      paths.push_back(folder / (slug + ".yaml"));
      const std::vector<fs::path> translations = translations_of(files, paths.back());
      paths.insert(paths.end(), translations.begin(), translations.end());
    }
  }
  if (paths.empty())
    return complain({fmt::format("{} holds no course: it has no rubric; run this inside a course's "
                                 "folder, or name the folder by --course before the command",
                                 folder.parent_path().string())},
                    kUsage);
  std::vector<Mistake> mistakes;
  for (const fs::path& path : paths) {
    const std::vector<Mistake> more = lint(files, path);
    mistakes.insert(mistakes.end(), more.begin(), more.end());
  }
  if (options.paths.empty()) {
    for (const auto& more : {missing_parts(files, options), wrong_passages(files, options),
                             wrong_launches(files, options)})
      mistakes.insert(mistakes.end(), more.begin(), more.end());
  }
  fmt::print("{}", options.format == kJson ? format_json(mistakes) : format_text(mistakes));
  if (options.format == kText)
    fmt::print(
        "{}: {}\n", counted(static_cast<long>(paths.size()), "file"),
        mistakes.empty() ? "no mistakes" : counted(static_cast<long>(mistakes.size()), "mistake"));
  return mistakes.empty() ? kAllGood : kUsage;
}

int schema_command(const Options& options) {
  fmt::print("{}", options.format == "markdown" ? rubric_page()
                   : options.schema == "course" ? course_schema()
                                                : rubric_schema());
  return kAllGood;
}

int plan_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  fmt::print("{}{}", format_settings(*rubric), format_cases(*rubric) + format_items(*rubric));
  const Result<std::vector<Submission>> submissions = load_submissions(options, *rubric);
  if (!submissions) return complain(submissions.error(), kUsage);
  for (const Submission& submission : *submissions)
    fmt::print("{}", format_plan(make_plan(*rubric, submission, Target::kEmulated)));
  return kAllGood;
}

}  // namespace

void add_rubrics(CLI::App& app, Options& options) {
  CLI::App* lint = add_command(app, options, "lint",
                               "Show all mistakes of rubrics, their translations, course.yaml, the "
                               "passages that handouts name and the launches of drivers",
                               "warpgrade lint --format json rubrics/vecadd.yaml\n\n"
                               "Exit: 0 none, 2 some.",
                               lint_command);
  lint->add_option("FILE", options.paths, "All of the course if none is named");
  lint->add_option("--format", options.format, "text, or json for editors")
      ->check(CLI::IsMember({kText, kJson}));
  CLI::App* schema = add_command(app, options, "schema", "Print the JSON Schema of rubrics",
                                 "warpgrade schema > rubrics/rubric.schema.json", schema_command);
  schema->add_option("NAME", options.schema, "rubric, the default, or course")
      ->check(CLI::IsMember({"rubric", "course"}));
  schema
      ->add_option("--format", options.format, "json, the default, or markdown for docs/rubric.md")
      ->check(CLI::IsMember({kJson, "markdown"}));
  CLI::App* plan =
      add_command(app, options, "plan", "Say what grading would do, and by which settings",
                  "warpgrade plan matmul-pitched submissions/anna", plan_command);
  plan->add_option("SLUG", options.slug, "The assignment")->required();
  plan->add_option("PATH", options.paths,
                   "Submissions, or folders of them; none: settings and items only");
}

}  // namespace warpgrade
