// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "commands/batch.h"
#include "commands/intake.h"
#include "commands/options.h"
#include "commands/stop.h"
#include "pipeline/gpu_choice.h"
#include "pipeline/grade.h"
#include "pipeline/trace_check.h"
#include "pipeline/workspace.h"
#include "report/gpu_models.h"
#include "report/text_report.h"
#include "run/gpu/gpu_pool.h"

namespace warpgrade {
namespace {

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

/// Says whose points stay, although what came now holds nothing to grade.
void tell_of_standing(const GradedClass& graded, const fs::path& output) {
  for (const LeftStanding& each : graded.left_standing) {
    const auto result =
        std::find_if(graded.results.begin(), graded.results.end(),
                     [&](const SubmissionResult& one) { return one.student == each.student; });
    if (result == graded.results.end()) continue;
    fmt::print(stderr,
               "{0}: the earlier submission stays graded, with {1} of {2} points: what came now "
               "holds nothing to grade ({3}). Remove {4} to let it count\n",
               each.student, format_points(result->score), format_points(result->max_score),
               printable(each.problem), (output / "results" / (each.student + ".json")).string());
  }
}

/// Prints what grading came to, and gives the exit code.
int tell_of_class(const Installation& installation, const Rubric& rubric, const GradedClass& graded,
                  size_t submissions, const fs::path& output) {
  const std::vector<SubmissionResult>& results = graded.results;
  const bool is_one = submissions == 1 && results.size() == 1;
  fmt::print("{}", is_one ? format_report(results[0]) + format_brief_staff_notes(results[0])
                          : format_class(results));
  tell_of_models(installation, rubric, graded.whole);
  fmt::print("Results: {} (one file a student, every reason in full), {}, {}\n",
             (output / "results").string(), (output / "grades.csv").string(),
             (output / "index.html").string());
  fmt::print("To hand back: {} (of hidden cases only what kind of failure it was)\n",
             (output / "students").string());
  tell_of_standing(graded, output);
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
  Result<Rubric> rubric = load_assignment(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  const fs::path output =
      options.output.empty() ? "results" / fs::path(options.slug) : options.output;
  if (Status ours = ResultsFolder(output, options.slug).refuse_others(); !ours)
    return complain(ours.error(), kUsage);
  int status = kUsage;
  Result<ClassIntake> intake = take_in(options, *rubric, output, status);
  if (!intake) return complain(intake.error(), status);
  std::vector<Submission>& submissions = intake->submissions;
  rubric->late.extensions = intake->extensions;
  Result<Decisions> decisions = load_decisions(output, *rubric, submissions);
  if (!decisions) return complain(decisions.error(), kUsage);
  if (batch.slurm.is_asked) return grade_by_slurm(output, options.slug, batch.slurm);
  const Result<Installation> installation =
      find_installation(options, SandboxNeed::kRequired, DeviceChoice::kAuto);
  if (!installation) return complain(installation.error(), kNotAll);
  if (options.device == DeviceChoice::kGpu && !installation->gpu)
    fmt::print(stderr, "speed waits for a GPU: {}\n", installation->why_no_gpu);
  if (options.device == DeviceChoice::kGpu) tell_of_tracing(*installation);
  GradeOptions how{output, options.jobs, options.force, {}, options.seed, {}};
  how.times = std::move(intake->times);
  if (rubric->late.due && how.times.source.empty())
    fmt::print(stderr,
               "answers are due {}: --submitted says when they came; without it nobody new is "
               "late\n",
               rubric->late.due->format());
  how.decisions = std::move(*decisions);
  how.retry_parked = batch.retry_parked;
  batch.keep_own(submissions);
  const Result<GradedClass> graded = grade_with_progress(*installation, *rubric, submissions, how);
  if (!graded) return complain(graded.error(), kNotAll);
  return tell_of_class(*installation, *rubric, *graded, submissions.size(), how.output);
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
  command
      ->add_option("PATH", options.paths,
                   "Submissions, folders or archives of them, or downloads of an LMS")
      ->required();
  command->add_option("-o,--output", options.output,
                      "DIR for the results, one for each assignment [results/SLUG]");
  add_jobs_option(*command, options);
  add_device_option(*command, options, "auto");
  add_sandbox_option(*command, options);
  command->add_flag("--force", options.force, "Grade again what is up to date");
  command->add_option("--seed", options.seed, "The seed of the inputs; DIR/seed if not given");
  add_intake_options(*command, options);
}

}  // namespace warpgrade
