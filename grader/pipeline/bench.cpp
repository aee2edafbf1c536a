// SPDX-License-Identifier: MIT
#include "pipeline/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/remove_tree.h"
#include "base/text.h"
#include "pipeline/agreement.h"
#include "pipeline/derived_outputs.h"
#include "pipeline/foreign_ranges.h"
#include "pipeline/judge.h"
#include "pipeline/noted_outputs.h"
#include "pipeline/public_evidence.h"
#include "pipeline/repeated_runs.h"
#include "pipeline/swapped_cases.h"
#include "pipeline/told_findings.h"
#include "pipeline/withheld.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr int kRunTries = 3;
constexpr int kMostTimeOuts = 2;
constexpr std::chrono::seconds kRoomPatience{10};  // with what a program left, and with ours
constexpr size_t kMostFindings = 50;
constexpr size_t kDiagnosticsBytes = 4000;

/// Without the GPU that was asked for, speed waits: a model is not what the staff wants to see.
void hold_speed(const Rubric& rubric, const std::string& why, std::vector<CaseVerdict>& verdicts) {
  for (CaseVerdict& verdict : verdicts) {
    if (rubric.find_item(verdict.item_id)->kind == ItemKind::kPerformance)
      verdict = {verdict.case_id,
                 verdict.item_id,
                 Outcome::kPending,
                 say("waits.gpu_note", {{"why", why}}),
                 {},
                 false};
  }
}

}  // namespace

/// Cases that run once more on a device that does something otherwise, after all have run as they are.
struct Bench::RunsToRepeat {
  std::set<std::string> to_swap;                                    ///< cases
  std::vector<std::pair<CaseRuns, std::set<std::string>>> swapped;  ///< with the charged outputs
  std::vector<std::pair<DependsOnRule, std::vector<CaseRuns>>> dependent;

  void add(const std::vector<DependsOnRule>& depends, const CaseRuns& ran,
           const std::vector<CaseVerdict>& judged) {
    if (to_swap.contains(ran.last_step.case_id)) swapped.emplace_back(ran, charged_outputs(judged));
    for (const DependsOnRule& rule : depends) {
      auto known = std::find_if(dependent.begin(), dependent.end(),
                                [&](const auto& each) { return each.first == rule; });
      if (known == dependent.end()) known = dependent.insert(known, {rule, {}});
      known->second.push_back(ran);
    }
  }
};

namespace {

std::string diagnostics_text(const BuildResult& build) {
  std::string text;
  for (const Diagnostic& diagnostic : build.diagnostics) {
    if (text.size() < kDiagnosticsBytes)
      text += to_string(diagnostic).substr(0, kDiagnosticsBytes) + "\n";
  }
  return text;
}

void note_trace(const Rubric& rubric, const std::string& case_id, const Trace& trace,
                const std::vector<CaseVerdict>& judged, SubmissionResult& result) {
  for (Finding& finding : told_findings(rubric, case_id, trace, judged)) {
    if (result.findings.size() < kMostFindings)
      result.findings.push_back({case_id, std::move(finding)});
  }
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.is_drivers) continue;
    result.kernels.push_back(
        {case_id, launch.kernel, launch.grid, launch.block, launch.metrics, launch.time_ms});
  }
}

/// What `api` and `harness` tell leaves no doubt of what a program does.
void note_undefined(const std::string& case_id, const Trace& trace,
                    std::map<std::string, std::string>& undefined) {
  for (const Finding& finding : trace.findings) {
    const bool is_defined = finding.checker == "api" || finding.checker == "harness" ||
                            finding.checker == "outside" || finding.checker == "carried";
    if (!is_defined) undefined.emplace(case_id, finding.checker);
  }
}

/// Ranges that did not end in two cases are not waited for in a third.
class EndlessRanges {
 public:
  void add(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) times_[fault.range] += fault.endless;
  }
  std::vector<Fault> known() const {
    std::vector<Fault> faults;
    for (const auto& [range, times] : times_) {
      if (times >= kMostTimeOuts)
        faults.push_back({range, say("end.not_waited_for", {{"range", range}}), false});
    }
    return faults;
  }

 private:
  std::map<std::string, int> times_;
};

/// The last run with the words of the first: what a program printed before it failed is what its author looks for.
RunResult as_printed(const CaseRuns& ran) {
  RunResult seen = ran.last;
  seen.process.out = ran.first.process.out;
  seen.process.err = ran.first.process.err;
  return seen;
}

void show(const BenchOptions& options, const RunStep& run, const CaseRuns& ran,
          const Arrays& expected) {
  if (options.observe)
    options.observe(run, ran.faults.empty() ? ran.last : as_printed(ran), expected);
}

size_t runs_in(const std::vector<Step>& steps) {
  return static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<RunStep>(step);
  }));
}

bool is_left_out(const RunStep& run, const BenchOptions& options) {
  return !options.only_cases.empty() && options.only_cases.count(run.case_id) == 0;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The verdicts of a case that the grader leaves out: the options do not ask for it, too many cases before it did not end, or
/// the oracle made no inputs. Nothing where the case must run.
std::optional<std::vector<CaseVerdict>> verdicts_without_a_run(const Rubric& rubric,
                                                               const RunStep& run,
                                                               const BenchOptions& options,
                                                               int time_outs,
                                                               const CaseStore& cases) {
  if (is_left_out(run, options)) return judge_all(rubric, run.case_id, Outcome::kPassed, {});
  if (time_outs == kMostTimeOuts)
    return judge_all(rubric, run.case_id, Outcome::kFailed, say("end.not_run"));
  const Result<CaseData>& data = cases.get(run.case_id);
  if (data) return std::nullopt;
  return judge_all(rubric, run.case_id, Outcome::kSystemError,
                   say("end.machine", {{"why", data.error().message}}));
}

}  // namespace

SubmissionResult Bench::blank_result(const Submission& submission) const {
  SubmissionResult result;
  for (const Case& each : rubric_.cases) {
    if (each.visibility == Visibility::kHidden) result.hidden_cases.push_back(each.id);
  }
  result.assignment = rubric_.assignment;
  result.student = submission.student;
  result.identity = submission.identity;
  result.language = spoken_language();
  result.device_kind = is_on_gpu() ? "gpu" : "emulated";
  result.devices = rubric_.devices;
  result.inputs = input_hashes(submission);
  result.sandbox = {installation_.sandbox.name(), installation_.sandbox.limits(),
                    installation_.is_unsafe};
  return result;
}

SubmissionResult Bench::grade(const Submission& submission, int slot,
                              const BenchOptions& options) const {
  SubmissionResult result = blank_result(submission);
  if (!submission.system_error.empty() || !submission.problem.empty()) {
    const bool ours = !submission.system_error.empty();
    result.set_score(score_all(
        rubric_, ours ? Outcome::kSystemError : Outcome::kFailed,
        ours ? say("item.everything", {{"why", submission.system_error}}) : submission.problem));
    return result;
  }
  const fs::path folder = slot_folder(slot);
  std::error_code ignored;
  BuildResult build;
  for (int attempt = 0; attempt < kRunTries && build.status == BuildStatus::kSystemError;
       ++attempt) {
    remove_tree(folder, kRoomPatience);
    fs::create_directories(folder, ignored);
    build =
        builder_.build({rubric_.submission, submission.source, headers_, rubric_.required.binary},
                       driver_key_, driver_, {folder, slot, rubric_.limits.compile_s});
  }
  result.diagnostics = diagnostics_text(build);
  if (build.status == BuildStatus::kBuilt) {
    result.set_score(run_and_judge(submission, build, slot, options, result));
  } else {
    const bool ours = build.status == BuildStatus::kSystemError;
    result.set_score(
        score_all(rubric_, ours ? Outcome::kSystemError : Outcome::kFailed,
                  say(ours ? "item.everything" : "item.does_not_build", {{"why", build.reason}})));
  }
  remove_tree(folder, kRoomPatience);
  return result;
}

std::optional<std::vector<CaseVerdict>> Bench::known_verdicts(const Submission& submission,
                                                              const std::string& case_id,
                                                              const CaseData& data) const {
  if (memo_ == nullptr || data.fingerprint.empty()) return std::nullopt;
  return memo_->find(submission.source, case_id, data.fingerprint);
}

void Bench::mark_what_the_driver_did(CaseRuns& ran) const {
  const auto mark = [&](const RunResult& run, Result<Trace>& trace) {
    if (!trace) return;
    mark_drivers_launches(*trace, driver_source_, driver_code_.get());
    move_outside(*trace, driver_source_, judged_ranges_);
    add_findings_of_ranges(*trace, driver_source_);
    append(trace->findings, changed_outputs(ran.last_step, run, *trace));
  };
  mark(ran.first, ran.first_trace);
  mark(ran.last, ran.last_trace);
}

void Bench::note_work(const std::string& case_id, const Trace& trace, Emulated& emulated) const {
  const ModelRun* const model = model_answer_ ? model_answer_->in_case(case_id) : nullptr;
  if (model != nullptr)
    append(emulated.doubts, doubts_of_ranges(case_id, trace, model->ranges, judged_ranges_));
  append(emulated.doubts, carried_work(case_id, trace));
  emulated.work[case_id] = work_by_range(trace);
  note_undefined(case_id, trace, emulated.undefined);
  if (!(trace.calls.empty() && trace.launches.empty())) emulated.used.insert(case_id);
}

Bench::RunsToRepeat Bench::runs_to_repeat(const Submission& submission) const {
  return {swapped_cases(rubric_, fmt::format("{:016x}\n{}", seed_, submission.source)), {}, {}};
}

Bench::Emulated Bench::run_emulated(const Submission& submission, const ProgramPlace& place,
                                    const BenchOptions& options, SubmissionResult& result) const {
  std::unique_ptr<ProgramRuns> runs =
      with_derived_outputs(runner_->open(place), cases_->oracle(), derived_folder(place));
  RunsToRepeat again = runs_to_repeat(submission);
  Emulated emulated;
  std::vector<CaseVerdict>& verdicts = emulated.verdicts;
  int time_outs = 0;
  EndlessRanges endless;
  PublicEvidence evidence(rubric_);
  const std::vector<Step> steps = make_plan(rubric_, submission, Target::kEmulated).steps;
  const size_t all = runs_in(steps);
  size_t number = 0;
  for (const Step& step : steps) {
    const auto* check = std::get_if<CheckStep>(&step);
    if (check != nullptr && check->case_id.empty())
      verdicts.push_back({"", check->item_id, Outcome::kPassed});
    const auto* run = std::get_if<RunStep>(&step);
    if (run == nullptr) continue;
    ++number;
    if (auto unrun = verdicts_without_a_run(rubric_, *run, options, time_outs, *cases_)) {
      append(verdicts, std::move(*unrun));
      continue;
    }
    const Result<CaseData>& data = cases_->get(run->case_id);
    // What a fault of an earlier case leaves out makes this run another one, and one that raises doubts says more
    // than its own verdicts.
    const std::vector<DependsOnRule> depends = dependencies_of(rubric_, run->case_id);
    const bool is_plain =
        endless.known().empty() && !again.to_swap.contains(run->case_id) && depends.empty();
    if (auto known = known_verdicts(submission, run->case_id, *data); known && is_plain) {
      append(verdicts, std::move(*known));
      continue;
    }
    if (options.begin) options.begin(run->case_id, number, all);
    CaseRuns ran = run_around_faults(*runs, *run, data->inputs, endless.known());
    mark_what_the_driver_did(ran);
    show(options, *run, ran, data->expected);
    std::vector<CaseVerdict> judged = judge_around_faults(
        rubric_, ran, data->expected,
        run->timed ? baselines_->times(run->case_id) : std::map<std::string, BaselineTimes>(), {},
        reader_of(*data));
    const bool timed_out = ran.last.process.ending == Ending::kTimedOut;
    if (memo_ != nullptr && is_plain && !timed_out && ran.faults.empty())
      memo_->keep(submission.source, run->case_id, data->fingerprint, judged);
    if (const Result<Trace>& trace = ran.last_trace) {
      evidence.add(run->case_id, *trace, judged);
      note_trace(rubric_, run->case_id, *trace, judged, result);
      note_work(run->case_id, *trace, emulated);
    }
    if (run->timed) evidence.add_baselines(run->case_id, baselines_->work(run->case_id));
    again.add(depends, ran, judged);
    append(verdicts, std::move(judged));
    endless.add(ran.faults);
    time_outs += timed_out;
    if (!ran.faults.empty()) emulated.faults[run->case_id] = ran.faults;
  }
  runs.reset();  // A slot has one room.
  repeat(place, again, emulated);
  evidence.give(result);
  return emulated;
}

void Bench::repeat(const ProgramPlace& place, const RunsToRepeat& again, Emulated& emulated) const {
  const RepeatedRuns repeated(rubric_, *runner_, *cases_, place);
  Doubts& doubts = emulated.doubts;
  for (const auto& [rule, cases] : again.dependent)
    append(doubts, repeated.without_dependence(rule, cases, emulated.verdicts));
  for (const auto& [ran, charged] : again.swapped) {
    const std::string& id = ran.last_step.case_id;
    const ModelRun* const model = model_answer_ ? model_answer_->in_case(id) : nullptr;
    // What chance chose tells nothing where the model answer itself would be doubted.
    if (is_swapped(rubric_, id) || (model != nullptr && model->is_swappable))
      append(doubts, repeated.on_other_inputs(ran, charged));
  }
}

void Bench::run_on_gpu(const ProgramPlace& place, const Emulated& emulated,
                       std::vector<CaseVerdict>& verdicts, SubmissionResult& result) const {
  const GpuGrade there = gpu_->bench().grade(
      place, {emulated.verdicts, emulated.used, emulated.faults, &emulated.work});
  Agreed agreed = agree(rubric_, emulated.verdicts, there.verdicts, there.gpu_name);
  result.speeds = speeds_of(rubric_, emulated.verdicts, there.verdicts);
  verdicts = std::move(agreed.verdicts);
  result.disagreements = std::move(agreed.disagreements);
  for (Disagreement& each : result.disagreements) {
    const auto found = emulated.undefined.find(each.case_id);
    if (found != emulated.undefined.end()) each.checker = found->second;
  }
  result.compared = std::move(agreed.compared);
  result.unobserved = there.unobserved;
  result.gpu_holds = there.holds;
  if (there.saw_nothing()) {
    result.device_kind = "emulated";
  } else if (!there.gpu_name.empty()) {
    result.devices = {there.gpu_name};
  }
  for (const MeasuredCase& each : there.measured) {
    for (Measurement& row : measurements_of(each.case_id, each.measured))
      result.measurements.push_back(std::move(row));
  }
}

Score Bench::run_and_judge(const Submission& submission, const BuildResult& build, int slot,
                           const BenchOptions& options, SubmissionResult& result) const {
  const fs::path folder = slot_folder(slot);
  const Emulated emulated =
      run_emulated(submission, {build.program, folder / "run", slot}, options, result);
  std::vector<CaseVerdict> verdicts = emulated.verdicts;
  if (gpu_ != nullptr) {
    run_on_gpu({build.program, folder / "gpu", slot}, emulated, verdicts, result);
  } else {
    result.speeds = speeds_of(rubric_, verdicts, {});
  }
  if (gpu_ == nullptr && installation_.device == DeviceChoice::kGpu) {
    hold_speed(rubric_, gpu_choice_.note, verdicts);
  }
  cast_doubts(rubric_, emulated.doubts, verdicts);
  return score(rubric_, verdicts);
}

}  // namespace warpgrade
