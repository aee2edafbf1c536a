// SPDX-License-Identifier: MIT
#include "commands/intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/text.h"
#include "intake/archive/sandbox_unpacker.h"
#include "intake/downloads/claim.h"
#include "intake/git_time.h"
#include "pipeline/results_folder.h"
#include "pipeline/workspace.h"

namespace warpgrade {

Result<Roster> read_roster(const std::string& file) {
  const Result<std::string> csv = RealFiles().read(file);
  if (!csv) return csv.error();
  return parse_roster(*csv, file);
}

namespace {

/// The sandbox for what students packed.
Result<LocalSandbox> sandbox_for_students(const Options& options) {
  Result<LocalSandbox> sandbox = open_sandbox(engine().supervisor);
  if (!sandbox && options.unsafe_no_sandbox) return open_limits();
  return sandbox;
}

/// Opens the sandbox with the first archive: most classes have none.
class UnpackerOnDemand final : public Unpacker {
 public:
  UnpackerOnDemand(const Options& options, std::vector<std::string> keep)
      : options_(options), keep_(std::move(keep)) {}

  UnpackedArchive unpack(const std::string& bytes, int levels, int slot) const override {
    std::call_once(once_, [this] { open(); });
    if (unpacker_) return unpacker_->unpack(bytes, levels, slot);
    UnpackedArchive failed;
    failed.system_error = why_not_;
    return failed;
  }
  /// Whether this machine let no archive be opened.
  bool has_failed() const { return !why_not_.empty(); }

 private:
  void open() const {
    Result<LocalSandbox> sandbox = sandbox_for_students(options_);
    Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
    if (!sandbox || !workspace) {
      why_not_ = "archives are opened in the sandbox only: " +
                 (sandbox ? workspace.error().message : sandbox.error().message);
      return;
    }
    sandbox_.emplace(std::move(*sandbox));
    workspace_ = std::move(*workspace);
    Result<std::unique_ptr<SandboxUnpacker>> made =
        SandboxUnpacker::make(*sandbox_, engine().unpacker, workspace_->folder(), keep_);
    if (made)
      unpacker_ = std::move(*made);
    else
      why_not_ = made.error().message;
  }

  const Options& options_;
  const std::vector<std::string> keep_;
  mutable std::once_flag once_;
  mutable std::optional<LocalSandbox> sandbox_;
  mutable std::unique_ptr<Workspace> workspace_;
  mutable std::unique_ptr<SandboxUnpacker> unpacker_;
  mutable std::string why_not_;
};

/// The assignment's headers and its driver: a student's copies of them are not compiled.
std::map<std::string, std::string> staff_files(const fs::path& assignment) {
  std::map<std::string, std::string> found;
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(assignment);
  for (const fs::path name : names ? *names : std::vector<std::string>()) {
    if (name.extension() != ".h" && name.filename() != "driver.cu") continue;
    if (const Result<std::string> text = files.read(assignment / name))
      found[name.string()] = *text;
  }
  return found;
}

void say_all(const Submissions& read, const std::string& path, const std::string& file_name) {
  if (!read.format.empty())
    fmt::print(stderr, "{}: read as {}, {}\n", printable(path), printable(read.format),
               counted(static_cast<long>(read.all.size()), "student"));
  for (const std::string& note : read.notes) fmt::print(stderr, "{}\n", printable(note));
  for (const fs::path& skipped : read.skipped)
    fmt::print(stderr, "skipped {}: neither a folder nor an archive nor a {} file\n",
               printable(skipped.string()), fs::path(file_name).extension().string());
  for (const Submission& each : read.all) {
    for (const std::string& note : each.notes)
      fmt::print(stderr, "{}: {}\n", each.student, printable(note));
  }
}

/// The students' ids, joined, in the order of `submissions`.
std::string students_where(const std::vector<Submission>& submissions, const auto& is_meant) {
  std::vector<std::string> students;
  for (const Submission& each : submissions) {
    if (is_meant(each)) students.push_back(each.student);
  }
  return join(students, ", ");
}

/// Names who handed in nothing that can be graded, each with the reason.
void say_problems(const std::vector<Submission>& submissions) {
  for (const Submission& each : submissions) {
    if (each.problem.empty()) continue;
    fmt::print(stderr, "{}: nothing to grade, which earns 0: {}\n", each.student,
               printable(each.problem.text));
  }
}

/// Names whom the LMS marks as late without a time that says how late.
void say_late(const std::vector<Submission>& submissions, const SubmissionTimes& times) {
  const std::string late = students_where(submissions, [&](const Submission& each) {
    return each.is_marked_late && times.by_student.count(each.student) == 0;
  });
  if (!late.empty())
    fmt::print(stderr,
               "the LMS marks these as late, but its download says no times (--submitted times.csv "
               "takes them): {}\n",
               late);
}

SubmissionTimes git_times(const Sandbox& sandbox, const fs::path& folder,
                          const std::vector<Submission>& submissions) {
  SubmissionTimes times{"git", {}, {}};
  for (const Submission& each : submissions) {
    if (each.repository.empty()) continue;
    const Result<Moment> moment = last_commit_time(
        sandbox, each.repository, each.path.lexically_relative(each.repository), folder);
    if (moment)
      times.by_student[each.student] = *moment;
    else
      fmt::print(stderr, "{}: {}\n", each.student, printable(moment.error().message));
  }
  return times;
}

Result<SubmissionTimes> load_git_times(const Options& options,
                                       const std::vector<Submission>& submissions) {
  const Result<LocalSandbox> sandbox = sandbox_for_students(options);
  if (!sandbox) return sandbox.error();
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  return git_times(*sandbox, (*workspace)->folder(), submissions);
}

/// Names those without a time; where they are many, as where a file lists the late ones alone, it counts them.
void say_timeless(const std::vector<Submission>& submissions, const SubmissionTimes& times,
                  const std::string& source) {
  constexpr long kMostNamed = 5;
  const auto has_none = [&times](const Submission& each) {
    return times.by_student.count(each.student) == 0;
  };
  const auto count = std::count_if(submissions.begin(), submissions.end(), has_none);
  if (count == 0) return;
  const std::string who =
      count > kMostNamed
          ? fmt::format("{} of {} students, who count as in time", count, submissions.size())
          : students_where(submissions, has_none);
  fmt::print(stderr, "no time of submission in {}: {}\n", source, who);
}

/// When the submissions came, as far as --submitted says.
Result<SubmissionTimes> load_times(const Options& options,
                                   const std::vector<Submission>& submissions,
                                   const StudentIndex& index) {
  if (options.submitted.empty()) return SubmissionTimes();
  if (options.submitted == "mtime") return file_times(submissions);
  Result<SubmissionTimes> times = lms_times(submissions);
  if (options.submitted == "git") {
    times = load_git_times(options, submissions);
  } else if (options.submitted != "lms") {
    const Result<std::string> csv = RealFiles().read(options.submitted);
    if (!csv) return csv.error();
    times = parse_submission_times(*csv, options.submitted);
    if (times && !times->note.empty()) fmt::print(stderr, "{}\n", times->note);
    if (times) times = resolve_times(std::move(*times), index);
  }
  if (!times) return times;
  say_timeless(submissions, *times, options.submitted);
  return times;
}

/// Submissions, and students whose results `output` holds already.
std::vector<std::string> known_students(const fs::path& output,
                                        const std::vector<Submission>& submissions) {
  std::vector<std::string> students;
  for (const Submission& submission : submissions) students.push_back(submission.student);
  const Result<std::vector<std::string>> stored = RealFiles().list(output / "results");
  for (const fs::path name : stored ? *stored : std::vector<std::string>()) {
    if (name.extension() == ".json") students.push_back(name.stem());
  }
  return students;
}

/// People of the roster, as if each had handed in: a line about one who did not is no mistake.
std::vector<Submission> as_submissions(const Roster& roster) {
  std::vector<Submission> people;
  for (const Person& person : roster.people) {
    people.push_back({person.student.empty() ? person.place : person.student, {}, {}, {}, {}});
    people.back().identity = person.identity;
  }
  return people;
}

/// Names each line of times and extensions that matches no student. Whether grading may go on.
bool check_students(const Options& options, const Rubric& rubric, const Roster& roster,
                    const fs::path& output, const ClassIntake& intake) {
  const StudentIndex index(intake.submissions), on_roster(as_submissions(roster));
  std::vector<StudentLine> lines = intake.times.lines;
  for (const Extension& each : rubric.late.extensions) {
    if (each.assignment.empty() || each.assignment == rubric.assignment)
      lines.push_back({each.place, each.student});
  }
  const auto is_on_roster = [&](const StudentLine& line) {
    return index.find(line.student).empty() && on_roster.find(line.student).size() == 1;
  };
  lines.erase(std::remove_if(lines.begin(), lines.end(), is_on_roster), lines.end());
  const std::vector<std::string> unknown =
      unknown_students(lines, index, known_students(output, intake.submissions));
  for (const std::string& line : unknown)
    fmt::print(stderr, "{}{}\n", line, options.strict ? "" : " (--strict makes this an error)");
  if (!unknown.empty() && options.roster.empty() && !intake.submissions.empty())
    fmt::print(stderr,
               "write a student's id, such as {}, or give the class by --roster, which knows names "
               "and e-mail addresses\n",
               intake.submissions.front().student);
  return unknown.empty() || !options.strict;
}

/// The submissions under all names that the results in `output` keep of their students.
std::vector<Submission> with_known_names(std::vector<Submission> submissions,
                                         const ResultsFolder& output) {
  for (Submission& each : submissions) {
    const StoredResult stored = output.stored(each.student);
    if (stored.result) each.identity.complete_by(stored.result->identity);
  }
  return submissions;
}

/// The submissions, and those whose results `output` keeps from an earlier time: they have handed in, too.
std::vector<Submission> with_earlier(std::vector<Submission> submissions,
                                     const ResultsFolder& output) {
  std::set<std::string> now;
  for (const Submission& each : submissions) now.insert(each.student);
  for (const std::string& student : output.students()) {
    if (now.count(student) != 0) continue;
    submissions.push_back({student, {}, {}, {}, {}});
    const StoredResult stored = output.stored(student);
    if (stored.result) submissions.back().identity = stored.result->identity;
  }
  return submissions;
}

Result<Roster> load_roster(const Options& options) {
  return options.roster.empty() ? Roster() : read_roster(options.roster);
}

/// `is_machines` becomes true where this machine is what fails.
Result<std::vector<Submission>> read_all(const Options& options, const Rubric& rubric,
                                         bool& is_machines) {
  std::optional<NamePattern> pattern;
  if (!options.name_pattern.empty()) {
    Result<NamePattern> parsed = NamePattern::parse(options.name_pattern);
    if (!parsed) return parsed.error();
    pattern = std::move(*parsed);
  }
  IntakeOptions how{rubric.submission,
                    staff_files(find_paths(options).assignment(rubric.assignment))};
  std::vector<std::string> keep = {fs::path(rubric.submission).extension().string(),
                                   kGradescopeList};
  for (const auto& [name, text] : how.staff_files) keep.push_back(name);
  const UnpackerOnDemand unpacker(options, keep);
  how.pattern = pattern ? &*pattern : nullptr;
  how.unpacker = &unpacker;
  how.jobs = options.jobs;
  std::vector<Submission> all;
  for (const std::string& path : options.paths) {
    Result<Submissions> some = read_submissions(RealFiles(), path, how);
    is_machines = unpacker.has_failed();
    if (!some) return some.error();
    say_all(*some, path, rubric.submission);
    all.insert(all.end(), std::make_move_iterator(some->all.begin()),
               std::make_move_iterator(some->all.end()));
  }
  std::sort(all.begin(), all.end(),
            [](const Submission& a, const Submission& b) { return a.student < b.student; });
  const auto twin = std::adjacent_find(
      all.begin(), all.end(),
      [](const Submission& a, const Submission& b) { return a.student == b.student; });
  if (twin != all.end())
    return Error{fmt::format("two submissions are called {}: grade them into two folders (-o)",
                             twin->student)};
  return all;
}

}  // namespace

Result<std::vector<Submission>> load_submissions(const Options& options, const Rubric& rubric) {
  bool is_machines = false;
  Result<std::vector<Submission>> submissions = read_all(options, rubric, is_machines);
  if (submissions) say_problems(*submissions);
  return submissions;
}

Result<ClassIntake> take_in(const Options& options, const Rubric& rubric, const fs::path& output,
                            int& status) {
  bool is_machines = false;
  Result<std::vector<Submission>> submissions = read_all(options, rubric, is_machines);
  status = !submissions && is_machines ? kNotAll : kUsage;
  if (!submissions) return submissions.error();
  const Result<Roster> roster = load_roster(options);
  if (!roster) return roster.error();
  ClassIntake intake{std::move(*submissions), {}, {}};
  say_problems(intake.submissions);
  if (!options.roster.empty()) {
    match_roster(*roster, intake.submissions);
    std::vector<Submission> all =
        with_earlier(intake.submissions, ResultsFolder(output, rubric.assignment));
    fmt::print(stderr, "{}", match_roster(*roster, all).format(*roster));
  }
  const StudentIndex index(intake.submissions);
  Result<SubmissionTimes> times = load_times(options, intake.submissions, index);
  if (!times) return times.error();
  intake.times = std::move(*times);
  say_late(intake.submissions, intake.times);
  if (!check_students(options, rubric, *roster, output, intake))
    return Error{"nothing was graded: --strict wants every line to name a student"};
  if (!rubric.late.extensions.empty())
    intake.extensions = resolve_extensions(
        rubric.late.extensions,
        with_known_names(intake.submissions, ResultsFolder(output, rubric.assignment)));
  return intake;
}

std::vector<Extension> resolve_extensions(std::vector<Extension> extensions,
                                          const std::vector<Submission>& people) {
  const StudentIndex index(people);
  for (Extension& each : extensions) {
    const std::vector<std::string> found = index.find(each.student);
    if (found.size() == 1) each.student = found[0];
  }
  return extensions;
}

void add_intake_options(CLI::App& command, Options& options) {
  command.add_option(
      "--submitted", options.submitted,
      "When answers came: a CSV file with the columns student and submitted, or Moodle's grading "
      "worksheet; lms, the "
      "download's own times; git, the clones' last commits; or mtime, the files' own times");
  command.add_option(
      "--roster", options.roster,
      "The class as a CSV file (Canvas's gradebook, Moodle's grading worksheet, or columns "
      "such as student, name, email): who handed nothing in is listed");
  command.add_option(
      "--name-pattern", options.name_pattern,
      "A regular expression for the paths in a download of another format, with the groups "
      "(?<student>...), and if wanted id, name, late, attempt");
  command.add_flag("--strict", options.strict,
                   "Grade nothing where --submitted or an extension names a student who handed "
                   "nothing in");
}

}  // namespace warpgrade
