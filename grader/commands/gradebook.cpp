// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "base/text.h"
#include "commands/batch.h"
#include "commands/intake.h"
#include "report/course_sheet.h"

namespace warpgrade {
namespace {

struct CourseOptions {
  std::vector<fs::path> folders;
  fs::path sheet = "course.csv";
  std::string roster;
};

/// Those of `paths` that hold results, and the folders with results right below the others.
Result<std::vector<fs::path>> results_folders(const std::vector<fs::path>& paths) {
  const RealFiles files;
  std::vector<fs::path> found;
  for (const fs::path& path : paths) {
    if (files.is_folder(path / "results")) {
      found.push_back(path);
      continue;
    }
    const size_t before = found.size();
    const Result<std::vector<std::string>> names = files.list(path);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (files.is_folder(path / name / "results")) found.push_back(path / name);
    }
    if (found.size() == before)
      return Error{
          fmt::format("{} holds no results: name folders that grade wrote, or one that "
                      "holds such folders",
                      path.string())};
  }
  return found;
}

/// The results of each folder, by assignment. Names damaged ones on stderr, and clears `is_whole` for them.
Result<std::map<std::string, CourseColumn>> read_columns(const std::vector<fs::path>& folders,
                                                         const Course& course, bool& is_whole) {
  std::map<std::string, CourseColumn> columns;
  std::map<std::string, fs::path> places;
  for (const fs::path& folder : folders) {
    const Result<std::string> slug = assignment_in(folder);
    if (!slug) return slug.error();
    const auto [first, is_new] = places.emplace(*slug, folder);
    if (!is_new)
      return Error{
          fmt::format("{} and {} both hold results of {}: warpgrade merge brings them "
                      "together",
                      first->second.string(), folder.string(), *slug)};
    const Course::Entry* entry = course.find(*slug);
    std::vector<DamagedResult> unread;
    columns[*slug] = {*slug, entry == nullptr ? 1 : entry->weight,
                      whole_class(folder, *slug, {}, &unread)};
    for (const DamagedResult& each : unread) {
      is_whole = false;
      fmt::print(stderr, "{}: the result of {} cannot be used: {}. Grade the submission again\n",
                 folder.string(), each.student, each.why);
    }
  }
  return columns;
}

/// People of the roster without a result in any column.
Result<std::vector<Absentee>> absentees(const std::string& roster_file,
                                        const std::vector<CourseColumn>& columns) {
  if (roster_file.empty()) return std::vector<Absentee>();
  const Result<Roster> roster = read_roster(roster_file);
  if (!roster) return roster.error();
  std::map<std::string, Submission> students;
  for (const CourseColumn& column : columns) {
    for (const SubmissionResult& each : column.results) {
      Submission& student = students[each.student];
      student.student = each.student;
      student.identity.complete_by(each.identity);
    }
  }
  std::vector<Submission> people;
  for (auto& [name, student] : students) people.push_back(std::move(student));
  std::vector<Absentee> found;
  for (const Person& person : match_roster(*roster, people).absent)
    found.push_back({person.id(), person.identity.name});
  return found;
}

int course_command(const Options& options, const CourseOptions& own) {
  const Result<Course> course = read_course(RealFiles(), find_paths(options).course / "rubrics");
  if (!course) return complain(course.error(), kUsage);
  const Result<std::vector<fs::path>> folders =
      results_folders(own.folders.empty() ? std::vector<fs::path>{"results"} : own.folders);
  if (!folders) return complain(folders.error(), kUsage);
  bool is_whole = true;
  Result<std::map<std::string, CourseColumn>> found = read_columns(*folders, *course, is_whole);
  if (!found) return complain(found.error(), kUsage);
  std::vector<CourseColumn> columns;
  std::vector<std::string> absent;
  for (const std::string& slug : all_slugs(options)) {
    const auto column = found->find(slug);
    if (column == found->end()) {
      absent.push_back(slug);
      continue;
    }
    columns.push_back(std::move(column->second));
    found->erase(column);
  }
  for (auto& [slug, column] : *found) columns.push_back(std::move(column));
  const Result<std::vector<Absentee>> others = absentees(own.roster, columns);
  if (!others) return complain(others.error(), kUsage);
  if (Status written = RealFiles().write(own.sheet, format_course(columns, *others)); !written)
    return complain(written.error(), kNotAll);
  if (!others->empty())
    fmt::print("{} of {} never handed anything in: they have a row without scores\n",
               counted(static_cast<long>(others->size()), "student"), own.roster);
  if (!absent.empty())
    fmt::print("no results of {}: the totals leave them out\n", join(absent, ", "));
  fmt::print("{}: {}\n", own.sheet.string(),
             counted(static_cast<long>(columns.size()), "assignment"));
  return is_whole ? kAllGood : kNotAll;
}

void add_course_sheet(CLI::App& app, Options& options) {
  const auto own = std::make_shared<CourseOptions>();
  CLI::App* command =
      add_command(app, options, "course", "Add assignments up by weight into one sheet",
                  "warpgrade course results -o course.csv\n\nA student without a result has 0 "
                  "points there. Weights "
                  "come from rubrics/course.yaml. Exit: 0, 1 where a result is damaged, 2 usage.",
                  [own](const Options& all) { return course_command(all, *own); });
  command->add_option("RESULTS", own->folders,
                      "Folders that grade wrote, or folders of these [results]");
  command->add_option("-o,--output", own->sheet, "The sheet")->capture_default_str();
  command->add_option(
      "--roster", own->roster,
      "Who is in the class, as for grade: who never handed anything in has a row, too");
}

struct ReleaseOptions {
  fs::path folder;
  bool early = false;
  bool undo = false;
};

/// The last moment at which somebody may hand an answer in; none where no date is due.
std::optional<Moment> last_due(const Rubric& rubric) {
  const LatePolicy& late = rubric.late;
  std::optional<Moment> last = late.due;
  if (!last) return last;
  for (const Extension& each : late.extensions) {
    if (!each.assignment.empty() && each.assignment != rubric.assignment) continue;
    constexpr long kDaySeconds = 24L * 60 * 60;
    const Moment own = each.until.value_or(
        Moment{late.due->seconds + each.days * kDaySeconds, late.due->offset_minutes});
    if (own.seconds > last->seconds) last = own;
  }
  return last;
}

int release_command(const Options& options, const ReleaseOptions& own) {
  const Result<std::string> slug = assignment_in(own.folder);
  if (!slug) return complain(slug.error(), kUsage);
  const Result<Rubric> rubric = load_rubric(options, *slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  const std::optional<Moment> due = last_due(*rubric);
  if (!own.undo && !own.early && due && due->seconds > std::time(nullptr))
    return complain({fmt::format("the last answers to {} are due {}: wait, or say --early", *slug,
                                 due->format())},
                    kUsage);
  const ResultsFolder folder(own.folder, *slug);
  Status written = folder.set_released(!own.undo);
  std::vector<DamagedResult> unread;
  const std::vector<SubmissionResult> results = whole_class(own.folder, *slug, {}, &unread);
  for (const SubmissionResult& each : results) {
    if (written) written = folder.write_report(each);
  }
  if (!written) return complain(written.error(), kNotAll);
  for (const DamagedResult& each : unread)
    fmt::print(stderr, "the result of {} cannot be used: {}. Grade the submission again\n",
               each.student, each.why);
  fmt::print("{} in {} now {} hidden cases\n", counted(static_cast<long>(results.size()), "text"),
             (own.folder / "students").string(), own.undo ? "hide" : "show");
  return unread.empty() ? kAllGood : kNotAll;
}

void add_release(CLI::App& app, Options& options) {
  const auto own = std::make_shared<ReleaseOptions>();
  CLI::App* command =
      add_command(app, options, "release", "Show students the hidden cases after the deadline",
                  "warpgrade release results/lab1\n\nWrites DIR/students anew; later grading keeps "
                  "to it. Exit: 0, 1 "
                  "where a result is damaged, 2 before the deadline.",
                  [own](const Options& all) { return release_command(all, *own); });
  command->add_option("DIR", own->folder, "The folder that grade wrote")->required();
  command->add_flag("--early", own->early, "Before the last deadline too");
  command->add_flag("--undo", own->undo, "Hide them again");
}

}  // namespace

void add_gradebook(CLI::App& app, Options& options) {
  add_course_sheet(app, options);
  add_release(app, options);
}

}  // namespace warpgrade
