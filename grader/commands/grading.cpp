// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "commands/batch.h"
#include "commands/options.h"
#include "commands/stop.h"
#include "course/untouched.h"
#include "pipeline/gpu_choice.h"
#include "pipeline/grade.h"
#include "pipeline/trace_check.h"
#include "pipeline/workspace.h"
#include "report/gpu_models.h"
#include "report/text_report.h"
#include "run/gpu/gpu_pool.h"

namespace warpgrade {
namespace {

constexpr double kFullMarks = 100;

/// When the submissions came, as far as --submitted says.
Result<SubmissionTimes> load_times(const Options& options,
                                   const std::vector<Submission>& submissions) {
  if (options.submitted.empty()) return SubmissionTimes();
  if (options.submitted == "mtime") return file_times(submissions);
  const Result<std::string> csv = RealFiles().read(options.submitted);
  if (!csv) return csv.error();
  Result<SubmissionTimes> times = parse_submission_times(*csv, options.submitted);
  if (!times) return times;
  for (const Submission& submission : submissions) {
    if (times->by_student.count(submission.student) == 0)
      fmt::print(stderr, "{} has no time of submission in {}\n", submission.student,
                 options.submitted);
  }
  return times;
}

/// Submissions, and students whose results DIR holds already.
std::vector<std::string> known_students(const Options& options,
                                        const std::vector<Submission>& submissions) {
  std::vector<std::string> students;
  for (const Submission& submission : submissions) students.push_back(submission.student);
  const Result<std::vector<std::string>> stored = RealFiles().list(options.output / "results");
  for (const fs::path name : stored ? *stored : std::vector<std::string>()) {
    if (name.extension() == ".json") students.push_back(name.stem());
  }
  return students;
}

/// Names each line of times and extensions that matches no student. Whether grading may go on.
bool check_students(const Options& options, const Rubric& rubric, const SubmissionTimes& times,
                    const std::vector<Submission>& submissions) {
  std::vector<StudentLine> lines = times.lines;
  for (const Extension& each : rubric.late.extensions) {
    if (each.assignment.empty() || each.assignment == rubric.assignment)
      lines.push_back({each.place, each.student});
  }
  const std::vector<std::string> unknown =
      unknown_students(lines, known_students(options, submissions));
  for (const std::string& line : unknown)
    fmt::print(stderr, "{}{}\n", line, options.strict ? "" : " (--strict makes this an error)");
  return unknown.empty() || !options.strict;
}

bool any_system_error(const std::vector<SubmissionResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [](const SubmissionResult& result) { return result.has_system_error(); });
}

/// Which of the machine's GPUs stay idle, and whether the class was measured on GPUs of several models:
/// this run takes one model, but DIR may hold what another machine measured.
void tell_of_models(const Installation& installation, const Rubric& rubric,
                    const std::vector<SubmissionResult>& whole_class) {
  if (installation.gpu) {
    const GpuChoice choice = choose_gpus(installation.gpu->machine, rubric.required);
    if (!choice.gpus.empty() && !choice.note.empty()) fmt::print(stderr, "GPUs {}\n", choice.note);
  }
  const std::string mixed = describe_mixed_models(whole_class);
  if (!mixed.empty()) fmt::print("{}\n", mixed);
}

/// Says what of DIR's files was damaged, is of another rubric, or could not be written. True where
/// nothing is left to do about it.
bool tell_of_files(const GradedClass& graded, const fs::path& output) {
  const fs::path results = output / "results";
  for (const DamagedResult& each : graded.regraded)
    fmt::print(stderr,
               "{}.json was not used: {}. {} was graded again, and the file is kept as "
               "{}.json.damaged-*\n",
               (results / each.student).string(), each.why, each.student, each.student);
  for (const DamagedResult& each : graded.unread)
    fmt::print(stderr,
               "{}.json cannot be used, and grades.csv has no row of {}: {}. Grade the submission "
               "again, or remove the file\n",
               (results / each.student).string(), each.student, each.why);
  const std::string others = describe_other_versions(graded.whole, graded.versions);
  if (!others.empty()) fmt::print("{}\n", others);
  if (graded.not_written)
    fmt::print(stderr,
               "{}. What was written before is whole; once files can be written there, the same "
               "command grades what is missing\n",
               graded.not_written->message);
  return graded.unread.empty() && !graded.not_written;
}

/// Says before a class is graded on GPUs that programs cannot be observed there. Where others have the GPUs, it asks
/// nothing: their times must not be disturbed.
void tell_of_tracing(const Installation& installation) {
  constexpr std::chrono::seconds kPatience{1};
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!installation.gpu || !workspace) return;
  const Result<GpuTools> tools =
      copy_tools(installation.gpu->tools, (*workspace)->folder() / "gpu");
  RealClock clock;
  GpuPool pool(installation.gpu->machine.gpus, kGpuLocks, clock);
  const Result<GpuLease> lease = pool.take(GpuUse::kShared, kPatience);
  if (!tools || !lease) return;
  const std::string trouble =
      tracing_trouble(installation.sandbox, *tools, lease->gpu(), (*workspace)->folder() / "log");
  if (!trouble.empty())
    fmt::print(stderr, "programs cannot be observed on this GPU: {}: see warpgrade doctor\n",
               trouble);
}

/// Prints what grading came to, and gives the exit code.
int tell_of_class(const Installation& installation, const Rubric& rubric, const GradedClass& graded,
                  size_t submissions, const fs::path& output) {
  const std::vector<SubmissionResult>& results = graded.results;
  const bool is_one = submissions == 1 && results.size() == 1;
  fmt::print("{}", is_one ? format_report(results[0]) + format_staff_notes(results[0])
                          : format_class(results));
  tell_of_models(installation, rubric, graded.whole);
  fmt::print("Results: {} (one file a student, every reason in full), {}\n",
             (output / "results").string(), (output / "grades.csv").string());
  fmt::print("To hand back: {} (of hidden cases only what kind of failure it was)\n",
             (output / "students").string());
  const bool is_whole = tell_of_files(graded, output) && tell_of_parked(graded);
  if (results.size() + graded.parked.size() < submissions && !graded.not_written) {
    fmt::print(stderr, "stopped: {} of {} are graded; the same command goes on from here\n",
               results.size(), submissions);
    return stopped_status();
  }
  const auto unseen =
      std::count_if(results.begin(), results.end(),
                    [](const SubmissionResult& result) { return result.is_unseen_by_gpu(); });
  if (unseen != 0)
    fmt::print(
        stderr,
        "of {} nothing was recorded on the GPU, so that only the emulated device graded: see "
        "warpgrade doctor\n",
        counted(unseen, "submission"));
  return any_system_error(results) || unseen != 0 || !is_whole ? kNotAll : kAllGood;
}

int grade_command(const Options& options, const BatchOptions& batch) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  Result<std::vector<Submission>> submissions = load_submissions(options, *rubric);
  if (!submissions) return complain(submissions.error(), kUsage);
  const fs::path output =
      options.output.empty() ? "results" / fs::path(options.slug) : options.output;
  if (Status ours = ResultsFolder(output, options.slug).refuse_others(); !ours)
    return complain(ours.error(), kUsage);
  Result<Decisions> decisions = load_decisions(output, *rubric, *submissions);
  if (!decisions) return complain(decisions.error(), kUsage);
  if (batch.slurm.is_asked) return grade_by_slurm(output, options.slug, batch.slurm);
  const Result<Installation> installation =
      find_installation(options, SandboxNeed::kRequired, DeviceChoice::kAuto);
  if (!installation) return complain(installation.error(), kNotAll);
  if (options.device == DeviceChoice::kGpu && !installation->gpu)
    fmt::print(stderr, "speed waits for a GPU: {}\n", installation->why_no_gpu);
  if (options.device == DeviceChoice::kGpu) tell_of_tracing(*installation);
  GradeOptions how{output, options.jobs, options.force, {}, options.seed, {}};
  Result<SubmissionTimes> times = load_times(options, *submissions);
  if (!times) return complain(times.error(), kUsage);
  if (!check_students(options, *rubric, *times, *submissions)) return kUsage;
  how.times = std::move(*times);
  if (rubric->late.due && how.times.source.empty())
    fmt::print(stderr,
               "answers are due {}: --submitted says when they came; without it nobody new is "
               "late\n",
               rubric->late.due->format());
  how.decisions = std::move(*decisions);
  how.retry_parked = batch.retry_parked;
  batch.keep_own(*submissions);
  const Result<GradedClass> graded = grade_with_progress(*installation, *rubric, *submissions, how);
  if (!graded) return complain(graded.error(), kNotAll);
  return tell_of_class(*installation, *rubric, *graded, submissions->size(), how.output);
}

/// Each of `ids` is a public case.
Status check_cases(const Rubric& rubric, const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const Case& each : rubric.cases) {
    if (each.visibility == Visibility::kPublic) known.push_back(each.id);
  }
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const std::string meant = nearest(id, known);
    return Error{fmt::format("{} has no public case '{}'; {}", rubric.assignment, id,
                             meant.empty() ? "its public cases are " + join(known, ", ")
                                           : fmt::format("did you mean '{}'?", meant))};
  }
  return {};
}

int test_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  if (const Status known = check_cases(*rubric, options.cases); !known)
    return complain(known.error(), kUsage);
  const Paths paths = find_paths(options);
  const fs::path file = paths.skeleton(options.slug) / rubric->submission;
  const RealFiles files;
  const Result<std::string> source = files.read(file),
                            stamp = files.read(paths.assignment(options.slug) / "skeleton.sha256");
  if (!source) return complain(source.error(), kUsage);
  if (stamp.ok() && is_untouched(*source, *stamp)) {
    fmt::print(
        "not started: {} is as it was handed out. Work through its TODOs, then run this again.\n",
        file.string());
    return kNotStarted;
  }
  const Rubric view = student_view(*rubric, options.cases);
  if (view.cases.empty()) return complain({options.slug + " has no public case"}, kUsage);
  const Result<Installation> installation = find_installation(options, SandboxNeed::kOwnProgram);
  if (!installation) return complain(installation.error(), kSystem);
  const Submission submission{"you", file, *source, "", ""};
  const Result<std::vector<SubmissionResult>> results =
      grade_all(*installation, view, {submission}, 1, options.seed.value_or(fresh_seed()));
  if (!results) return complain(results.error(), kSystem);
  const SubmissionResult& result = results->front();
  fmt::print("{}", format_report(result));
  if (result.max_score < kFullMarks && options.cases.empty())
    fmt::print("The public cases judge {:g} of the {:g} points; hidden ones judge the rest.\n",
               result.max_score, kFullMarks);
  if (result.has_system_error()) return kSystem;
  const bool all =
      std::all_of(result.items.begin(), result.items.end(),
                  // What waits for a GPU, or for the staff's baselines, is no fault.
                  [](const ItemResult& item) { return item.status <= Outcome::kPending; });
  return all ? kAllGood : kNotAll;
}

}  // namespace

void add_grading(CLI::App& app, Options& options) {
  const auto batch = std::make_shared<BatchOptions>();
  CLI::App* command =
      add_command(app, options, "grade", "Grade submissions",
                  "warpgrade grade matmul-pitched submissions/ -o "
                  "results/lab1\n\nGrades what is missing or stale in DIR. "
                  "Exit: 0 all graded, 1 some could not be, 2 usage or rubric.",
                  [batch](const Options& all) { return grade_command(all, *batch); });
  add_batch_options(*command, *batch);
  command->add_option("SLUG", options.slug, "The assignment")->required();
  command->add_option("PATH", options.paths, "Submissions, or folders of them")->required();
  command->add_option("-o,--output", options.output,
                      "DIR for the results, one for each assignment [results/SLUG]");
  command->add_option("--jobs", options.jobs, "Submissions at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  add_device_option(*command, options, "auto");
  add_sandbox_option(*command, options);
  command->add_flag("--force", options.force, "Grade again what is up to date");
  command->add_option("--seed", options.seed, "Of the inputs; DIR/seed if not given");
  command->add_option("--submitted", options.submitted,
                      "When answers came: a CSV file with the columns student and submitted, or "
                      "mtime, the files' own times");
  command->add_flag("--strict", options.strict,
                    "Grade nothing where --submitted or an extension names a student who handed "
                    "nothing in");
  CLI::App* test = add_command(app, options, "test", "Test your own work on the public cases",
                               "warpgrade test matmul-pitched\n\nExit: 0 all passed, 1 not all, 77 "
                               "not started, 99 system error.",
                               test_command);
  test->add_option("SLUG", options.slug, "The assignment")->required();
  test->add_option("CASE", options.cases, "Only these cases");
}

}  // namespace warpgrade
