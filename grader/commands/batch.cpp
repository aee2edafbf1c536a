// SPDX-License-Identifier: MIT
#include "commands/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/text.h"
#include "commands/intake.h"
#include "commands/progress.h"
#include "commands/stop.h"
#include "intake/people/student_index.h"
#include "pipeline/attempts.h"
#include "pipeline/kept_submissions.h"
#include "pipeline/merge.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

struct MergeOptions {
  std::vector<fs::path> from;
  fs::path into;
  bool mixed = false;
};

int merge_command(const MergeOptions& options) {
  const Result<Merged> merged = merge(options.from, options.into, options.mixed);
  if (!merged) return complain(merged.error(), kUsage);
  for (const MergeChoice& each : merged->choices)
    fmt::print("{}: the result in {} is taken, and that in {} is left: {}\n", each.student,
               each.taken.string(), each.left.string(), each.why);
  for (const DamagedResult& each : merged->graded.unread)
    fmt::print(stderr, "{} has no row: {}. Grade the submission again\n", each.student,
               printable(each.why));
  const std::string others = describe_other_versions(merged->graded.whole, merged->graded.versions);
  if (!others.empty()) fmt::print("{}\n", others);
  fmt::print("{} of {} in {}\n", counted(static_cast<long>(merged->graded.whole.size()), "student"),
             merged->assignment, (options.into / "grades.csv").string());
  return merged->graded.unread.empty() ? kAllGood : kNotAll;
}

void add_merge(CLI::App& app, Options& options) {
  const auto own = std::make_shared<MergeOptions>();
  CLI::App* command = add_command(
      app, options, "merge", "Bring results of several folders together",
      "warpgrade merge lab1-a lab1-b -o results/lab1\n\nWhere a student has two results, "
      "the final one is taken, else the newer. Exit: 0, 1 where a result is damaged, 2 where the "
      "folders do not "
      "belong together.",
      [own](const Options&) { return merge_command(*own); });
  command->add_option("DIR", own->from, "Folders that grade wrote")->required();
  command->add_option("-o,--output", own->into, "The folder for all of them")->required();
  command->add_flag("--mixed", own->mixed,
                    "Take results of another seed, rubric, grader or toolchain too");
}

/// The words that this process was started with, each with a NUL behind it.
Result<std::string> read_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (line.empty()) return Error{"/proc/self/cmdline cannot be read: is /proc mounted?"};
  return line;
}

struct RegradeOptions {
  fs::path folder;
  std::vector<std::string> students;
  bool dry_run = false;
  bool retry_parked = false;
};

/// Those students whose results are to be graded again: all, or the ones named.
Result<std::vector<std::string>> chosen_students(const RegradeOptions& own) {
  const std::vector<std::string> all = ResultsFolder(own.folder, "").students();
  for (const std::string& student : own.students) {
    if (std::find(all.begin(), all.end(), student) != all.end()) continue;
    const std::string meant = nearest(student, all);
    return Error{fmt::format("{} holds no result of '{}'; {}", own.folder.string(),
                             printable(student),
                             meant.empty() ? "name a file in its results/ without .json"
                                           : fmt::format("did you mean '{}'?", meant))};
  }
  return own.students.empty() ? all : own.students;
}

/// What DIR keeps of these students, as they are called in its results. Names on stderr whose submission it lacks.
std::vector<Submission> kept_submissions(const RegradeOptions& own, const Rubric& rubric,
                                         const std::vector<std::string>& students) {
  const KeptSubmissions kept(own.folder, rubric.submission);
  const ResultsFolder folder(own.folder, rubric.assignment);
  std::vector<Submission> submissions;
  for (const std::string& student : students) {
    Result<Submission> submission = kept.read(student);
    if (!submission) {
      complain(submission.error(), kNotAll);
      continue;
    }
    const StoredResult stored = folder.stored(student);
    if (stored.result) submission->identity = stored.result->identity;
    submissions.push_back(std::move(*submission));
  }
  return submissions;
}

/// All whom DIR holds results of, under the names that these keep; they have no source.
std::vector<Submission> people_in(const fs::path& results, const std::string& assignment) {
  const ResultsFolder folder(results, assignment);
  std::vector<Submission> people;
  for (const std::string& student : folder.students()) {
    const StoredResult stored = folder.stored(student);
    people.push_back({student, {}, {}, {}, {}});
    if (stored.result) people.back().identity = stored.result->identity;
  }
  return people;
}

/// Prints what changed, and gives the exit code.
int tell_of_changes(const RegradeOptions& own, const GradedClass& graded, size_t wanted) {
  for (const auto& [student, change] : graded.changes) fmt::print("{}", change);
  const std::string results = counted(static_cast<long>(graded.results.size()), "result");
  fmt::print("{} of {} {}\n", graded.changes.size(), results,
             own.dry_run ? "would change; nothing was written"
                         : fmt::format("changed; those that were replaced are kept in {}",
                                       (own.folder / "earlier").string()));
  for (const DamagedResult& each : graded.regraded)
    fmt::print(stderr, "{}.json was not used: {}\n",
               (own.folder / "results" / each.student).string(), each.why);
  bool is_whole = tell_of_parked(graded);
  if (graded.not_written) is_whole = complain(*graded.not_written, 0) != 0;
  for (const SubmissionResult& each : graded.results)
    is_whole = is_whole && !each.has_system_error();
  return is_whole && graded.results.size() == wanted ? kAllGood : kNotAll;
}

int regrade_command(const Options& options, const RegradeOptions& own) {
  const Result<std::string> slug = assignment_in(own.folder);
  if (!slug) return complain(slug.error(), kUsage);
  Result<Rubric> rubric = load_rubric(options, *slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  if (!rubric->late.extensions.empty())
    rubric->late.extensions =
        resolve_extensions(std::move(rubric->late.extensions), people_in(own.folder, *slug));
  const Result<std::vector<std::string>> students = chosen_students(own);
  if (!students) return complain(students.error(), kUsage);
  if (!options.seed && !RealFiles().exists(own.folder / "seed"))
    return complain(
        {fmt::format(
            "{} is missing, from which all inputs are made: put back a copy of it, or give the "
            "--seed that grade was given",
            (own.folder / "seed").string())},
        kUsage);
  Result<Decisions> decisions = load_decisions(own.folder, *rubric, {});
  if (!decisions) return complain(decisions.error(), kUsage);
  const std::vector<Submission> submissions = kept_submissions(own, *rubric, *students);
  const Result<Installation> installation =
      find_installation(options, SandboxNeed::kRequired, DeviceChoice::kAuto);
  if (!installation) return complain(installation.error(), kNotAll);
  GradeOptions how{own.folder, options.jobs, options.force || !own.students.empty(),
                   {},         options.seed, {}};
  how.decisions = std::move(*decisions);
  how.is_trial = own.dry_run;
  how.retry_parked = own.retry_parked;
  const Result<GradedClass> graded =
      grade_with_progress(*installation, *rubric, submissions, std::move(how));
  if (!graded) return complain(graded.error(), kNotAll);
  const int status = tell_of_changes(own, *graded, students->size());
  return is_stopped() ? stopped_status() : status;
}

void add_regrade(CLI::App& app, Options& options) {
  const auto own = std::make_shared<RegradeOptions>();
  CLI::App* command =
      add_command(app, options, "regrade", "Grade what DIR holds again, and show what changes",
                  "warpgrade regrade results/lab1 --dry-run\n  warpgrade regrade results/lab1 ann "
                  "bob\n\nGrades the "
                  "submissions that grade kept in DIR: those whose rubric or grader has changed, "
                  "or the students "
                  "named. Exit: 0 all graded, 1 some could not be, 2 usage or rubric.",
                  [own](const Options& all) { return regrade_command(all, *own); });
  command->add_option("DIR", own->folder, "The folder that grade wrote")->required();
  command->add_option("STUDENT", own->students, "Only these, even if they are up to date");
  command->add_flag("--dry-run", own->dry_run, "Show what would change, and write nothing");
  command->add_flag("--force", options.force, "Also what is up to date");
  command->add_option("--seed", options.seed, "The seed of the inputs; DIR/seed if not given");
  add_jobs_option(*command, options);
  add_device_option(*command, options, "auto");
  add_sandbox_option(*command, options);
  add_retry_option(*command, own->retry_parked);
}

}  // namespace

Result<Decisions> load_decisions(const fs::path& folder, const Rubric& rubric,
                                 const std::vector<Submission>& submissions) {
  const fs::path file = folder / "decisions.csv";
  const RealFiles files;
  if (!files.exists(file)) return Decisions();
  constexpr size_t kMostBytes = 16u << 20;
  const Result<std::string> text = files.read(file, kMostBytes);
  if (!text) return text.error();
  std::vector<Submission> people = people_in(folder, rubric.assignment);
  people.insert(people.end(), submissions.begin(), submissions.end());
  std::vector<std::string> students;
  for (const Submission& each : people) students.push_back(each.student);
  const StudentIndex index(people);
  return parse_decisions(*text, file.string(),
                         {rubric, std::move(students),
                          [&index](const std::string& name) { return index.find(name); }});
}

bool tell_of_parked(const GradedClass& graded) {
  for (const std::string& student : graded.parked)
    fmt::print(
        stderr,
        "{} was not graded: {} graders ended without a word while they graded it. Look at the "
        "submission; --retry-parked tries it again\n",
        student, kMostAttempts);
  return graded.parked.empty();
}

Result<GradedClass> grade_with_progress(const Installation& installation, const Rubric& rubric,
                                        const std::vector<Submission>& submissions,
                                        GradeOptions how) {
  how.stopped = is_stopped;
  note_stop_signals();
  LiveProgress live(submissions.size());
  how.begun = [&live](const std::string& student) { live.before(student); };
  return grade(installation, rubric, submissions, how,
               [&live](const SubmissionResult& result, size_t done, size_t all) {
                 live.after(result.student, done, all);
               });
}

int grade_by_slurm(const fs::path& folder, const std::string& slug, const SlurmOptions& slurm) {
  const ResultsFolder results(folder, slug);
  const Result<uint64_t> seed = results.seed();
  const Result<std::string> line = read_command_line();
  if (!seed) return complain(seed.error(), kNotAll);
  if (!line) return complain(line.error(), kNotAll);
  std::vector<std::string> words = split(*line, '\0');
  words.pop_back();  // each word ends with a NUL
  std::error_code ignored;
  words.at(0) = fs::read_symlink("/proc/self/exe", ignored).string();
  const fs::path logs = fs::absolute(folder) / "slurm";
  note_stop_signals();
  const Result<SlurmRun> run = run_on_slurm(task_script(words, logs, slurm.tasks), logs, slurm);
  if (!run) return complain(run.error(), is_stopped() ? stopped_status() : kNotAll);
  fmt::print("{}", format_class(whole_class(folder, slug, {})));
  fmt::print("Results: {}, {}\n", (folder / "results").string(), (folder / "grades.csv").string());
  for (const int task : run->lost)
    fmt::print(stderr, "task {} was lost three times: see {}\n", task, logs.string());
  int worst = run->lost.empty() ? kAllGood : kNotAll;
  for (const auto& [task, status] : run->statuses) {
    if (status == kAllGood) continue;
    worst = std::max(worst, status);
    fmt::print(stderr, "task {} ended with status {}: see {}\n", task, status,
               (logs / fmt::format("*-{}.log", task)).string());
  }
  return worst;
}

Result<std::string> assignment_in(const fs::path& folder) {
  const ResultsFolder results(folder, "");
  for (const std::string& student : results.students()) {
    const StoredResult stored = results.stored(student);
    if (stored.result) return stored.result->assignment;
  }
  return Error{fmt::format("{} holds no results: name a folder that grade wrote", folder.string())};
}

void BatchOptions::keep_own(std::vector<Submission>& submissions) const {
  std::erase_if(submissions, [this](const Submission& each) { return !shard.holds(each.student); });
}

void add_batch_options(CLI::App& command, BatchOptions& batch) {
  const auto take_shard = [&batch](const std::string& text) {
    const std::optional<Shard> shard = Shard::parse(text);
    if (!shard)
      throw CLI::ValidationError("--shard", fmt::format("expected I/N with 1 <= I <= N, such as "
                                                        "2/8, not '{}'",
                                                        printable(text)));
    batch.shard = *shard;
  };
  command
      .add_option_function<std::string>(
          "--shard", take_shard,
          "Grade only the I-th of N parts of the class; others may grade theirs into the same DIR "
          "at the same time")
      ->type_name("I/N");
  add_retry_option(command, batch.retry_parked);
  add_slurm_options(command, batch.slurm);
}

void add_retry_option(CLI::App& command, bool& retry_parked) {
  command.add_flag("--retry-parked", retry_parked,
                   "Also grade submissions that brought the grader down three times");
}

void add_batch(CLI::App& app, Options& options) {
  add_merge(app, options);
  add_regrade(app, options);
}

}  // namespace warpgrade
