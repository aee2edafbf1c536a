// SPDX-License-Identifier: MIT
#include "pipeline/bench.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/copy_program.h"
#include "base/hash.h"
#include "base/remove_tree.h"
#include "base/text.h"
#include "build/device_code.h"
#include "pipeline/agreement.h"
#include "pipeline/driver.h"
#include "pipeline/foreign_ranges.h"
#include "pipeline/judge.h"
#include "pipeline/oracle.h"
#include "pipeline/public_evidence.h"
#include "rubric/translation.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr int kRunTries = 3;
constexpr int kMostTimeOuts = 2;
constexpr std::chrono::seconds kDevicePatience{10};  // with what a program left in its folder
constexpr size_t kMostFindings = 50;
constexpr size_t kDiagnosticsBytes = 4000;

std::string file_stamp(const fs::path& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return fmt::format("{} {} {}.{:09}\n", path.filename().string(), info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// What course.yaml says beside the rubric, as far as a result depends on it.
std::string settings_of(const Rubric& rubric) {
  const Limits& limits = rubric.limits;
  return fmt::format("{}: {} {} {} {} {} {}\n", join(rubric.devices, ", "), limits.wall_s,
                     limits.memory_mb, limits.output_kb, limits.processes, limits.compile_s,
                     limits.launch_instructions);
}

/// What of a machine's GPUs the assignment is graded on: none where none is wanted.
GpuChoice gpus_for(const Rubric& rubric, const Installation& installation) {
  if (installation.gpu) return choose_gpus(installation.gpu->machine, rubric.required);
  return {{}, installation.why_no_gpu};
}

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

std::string diagnostics_text(const BuildResult& build) {
  std::string text;
  for (const Diagnostic& diagnostic : build.diagnostics) {
    if (text.size() < kDiagnosticsBytes)
      text += to_string(diagnostic).substr(0, kDiagnosticsBytes) + "\n";
  }
  return text;
}

/// A driver makes CUDA refuse something now and then, to see which error that is. What it calls lies in no
/// range.
bool is_drivers_own(const Finding& finding, const Trace& trace) {
  return finding.checker == "api" && finding.range.empty() && !finding.at_exit &&
         !trace.ranges.empty();
}

void note_trace(const std::string& case_id, const Trace& trace, SubmissionResult& result) {
  for (const Finding& finding : trace.findings) {
    if (result.findings.size() < kMostFindings && !is_drivers_own(finding, trace))
      result.findings.push_back({case_id, finding});
  }
  for (const KernelLaunch& launch : trace.launches) {
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

uint64_t bytes_of_inputs(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed))
    bytes += each.file_size(failed);
  return bytes;
}

void append(std::vector<CaseVerdict>& all, std::vector<CaseVerdict> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Bench::Bench(const Installation& installation, Rubric rubric, std::unique_ptr<Workspace> workspace)
    : installation_(installation),
      rubric_(std::move(rubric)),
      workspace_(std::move(workspace)),
      builder_(installation.sandbox, installation.toolchain,
               BuildCache(installation.paths.build_cache)) {}

Bench::~Bench() {
  // All of them use the workspace in the background.
  gpu_.reset();
  baselines_.reset();
  if (driver_.valid()) driver_.wait();
  cases_.reset();
}

Result<std::unique_ptr<Bench>> Bench::open(const Installation& installation, Rubric rubric,
                                           uint64_t seed, int slots, VerdictMemo* memo) {
  Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  std::unique_ptr<Bench> bench(new Bench(installation, std::move(rubric), std::move(*workspace)));
  bench->seed_ = seed;
  if (Status ready = bench->prepare(seed, slots); !ready) return ready.error();
  if (!bench->is_on_gpu()) bench->memo_ = memo;
  return bench;
}

/// The stand-in for the runtime library of the toolkit that compiles the submissions.
fs::path Bench::device_library() const {
  const std::string name = installation_.toolchain.runtime_library();
  const fs::path library = installation_.paths.engine.device_library(name);
  return library.empty() ? fs::path(name) : library;
}

Status Bench::prepare(uint64_t seed, int slots) {
  const Paths& paths = installation_.paths;
  Result<std::map<std::string, std::string>> headers =
      read_headers(paths.assignment(rubric_.assignment));
  if (!headers) return headers.error();
  headers_ = std::move(*headers);
  const Result<SourceFile> driver = read_driver(paths, rubric_.assignment);
  if (!driver) return driver.error();
  Result<fs::path> oracle = oracle_of(installation_, rubric_.assignment);
  if (!oracle) return oracle.error();
  oracle_ = std::move(*oracle);
  const RealFiles files;
  const fs::path library = device_library();
  for (const fs::path& needed : {library, paths.engine.device_program}) {
    if (!files.exists(needed))
      return Error{
          fmt::format("{} is missing: run `meson setup --reconfigure build && ninja -C build`",
                      needed.string())};
  }

  // Programs see the library's folder, and nothing of the device's.
  DeviceParts parts{workspace_->folder() / "cudart" / library.filename(),
                    workspace_->folder() / "device" / paths.engine.device_program.filename(),
                    installation_.toolchain.ptxas(), slots > 1};
  std::error_code failed;
  fs::create_directories(parts.library.parent_path(), failed);
  fs::copy_file(library, parts.library, failed);
  if (failed) return Error{fmt::format("cannot copy libcudart: {}", failed.message())};
  if (Status copied = copy_program(paths.engine.device_program, parts.program); !copied)
    return copied;
  runner_ = std::make_unique<EmulatedRunner>(installation_.sandbox, std::move(parts));

  for (const Item& item : rubric_.items) {
    for (std::string& range : ranges_of(item)) judged_ranges_.insert(std::move(range));
  }
  driver_key_ = builder_.key_of(*driver);
  driver_source_ = driver->text;
  for (const auto& [name, text] : driver->headers) driver_source_ += text;
  start_driver(*driver, slots);
  gpu_choice_ = gpus_for(rubric_, installation_);
  const bool on_gpu = !gpu_choice_.gpus.empty();
  const bool is_timed = on_gpu && installation_.gpu->is_timed;
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric_, Target::kEmulated);
  std::vector<RunStep> swapped = steps;
  std::erase_if(swapped,
                [this](const RunStep& step) { return !is_swapped(rubric_, step.case_id); });
  cases_ = std::make_unique<CaseStore>(
      installation_.trusted, oracle_, workspace_->folder() / "cases", steps, seed,
      steps_of<TimeStep>(rubric_, is_timed ? Target::kGpu : Target::kEmulated), std::move(swapped));
  Result<std::map<std::string, std::string>> baselines = read_baselines(paths, rubric_);
  if (!baselines) return baselines.error();
  baseline_sources_ = std::move(*baselines);
  start_baselines(slots);
  if (!on_gpu) return {};
  Result<std::unique_ptr<GpuSide>> gpu =
      GpuSide::open(installation_, gpu_choice_.gpus, workspace_->folder() / "gpu",
                    {rubric_, *cases_, *baselines_, seed});
  if (!gpu) return gpu.error();
  gpu_ = std::move(*gpu);
  return {};
}

void Bench::start_baselines(int slots) {
  const auto build = [this](const std::string& source,
                            const BuildPlace& place) -> Result<fs::path> {
    const BuildResult built =
        builder_.build({rubric_.submission, source, headers_, rubric_.required.binary}, driver_key_,
                       driver_, place);
    if (built.status == BuildStatus::kBuilt) return built.program;
    return Error{"does not build: " + built.reason};
  };
  // The driver, where it is compiled now, has the first slot behind the submissions'.
  baselines_ = std::make_unique<Baselines>(
      rubric_, baseline_sources_, steps_of<RunStep>(rubric_, Target::kEmulated),
      BaselineTools{*runner_, *cases_, build, workspace_->folder() / "baselines", slots + 1,
                    rubric_.limits.compile_s});
}

void Bench::start_driver(const SourceFile& driver, int slots) {
  const fs::path object = workspace_->folder() / "driver" / "driver.o";
  const bool ready =
      take_prebuilt_driver(installation_.paths, rubric_.assignment, driver_key_, object);
  const BuildPlace place{slot_folder(slots), slots, rubric_.limits.compile_s};
  driver_ = std::async(ready ? std::launch::deferred : std::launch::async,
                       [this, ready, object, driver, place]() -> Result<fs::path> {
                         if (ready) return object;
                         Result<fs::path> compiled = builder_.compile_driver(driver, place);
                         if (compiled) keep_driver(installation_.paths, driver_key_, *compiled);
                         return compiled;
                       })
                .share();
  driver_code_ = std::async(std::launch::deferred, [this]() -> std::vector<std::string> {
                   const Result<fs::path>& compiled = driver_.get();
                   const Result<std::string> bytes =
                       compiled ? RealFiles().read(*compiled) : compiled.error();
                   const auto hashes = bytes ? code_hashes_in(*bytes) : bytes.error();
                   return hashes ? *hashes : std::vector<std::string>();
                 }).share();
}

std::map<std::string, std::string> Bench::input_hashes(const Submission& submission) const {
  const Paths& paths = installation_.paths;
  const Result<std::string> rubric = RealFiles().read(paths.rubric(rubric_.assignment));
  const std::string grader = file_stamp("/proc/self/exe") + file_stamp(device_library()) +
                             file_stamp(paths.engine.device_program) + file_stamp(oracle_) +
                             driver_key_ + installation_.sandbox.name();
  const Result<std::string> translation =
      RealFiles().read(translation_of(paths.rubric(rubric_.assignment), spoken_language()));
  std::string compared = (rubric ? *rubric : "") + settings_of(rubric_) + spoken_language() +
                         (translation ? *translation : "");
  for (const auto& [name, source] : baseline_sources_) compared += name + '\n' + source;
  return {{"submission", sha256_hex(submission.source + submission.problem)},
          {"rubric", sha256_hex(compared)},
          {"grader", sha256_hex(grader)},
          {"seed", sha256_hex(hex64(seed_))},
          {"toolchain", sha256_hex(installation_.toolchain.version)},
          {"toolkit", installation_.toolchain.release()}};
}

Versions Bench::versions() const {
  Versions shared = input_hashes({});
  shared.erase("submission");
  shared.erase("toolkit");  // for readers; the toolchain's hash says the same and more
  return shared;
}

SubmissionResult Bench::blank_result(const Submission& submission) const {
  SubmissionResult result;
  for (const Case& each : rubric_.cases) {
    if (each.visibility == Visibility::kHidden) result.hidden_cases.push_back(each.id);
  }
  result.assignment = rubric_.assignment;
  result.student = submission.student;
  result.identity = submission.identity;
  result.device_kind = is_on_gpu() ? "gpu" : "emulated";
  result.devices = rubric_.devices;
  result.inputs = input_hashes(submission);
  result.sandbox = {installation_.sandbox.name(), installation_.sandbox.limits(),
                    installation_.is_unsafe};
  return result;
}

SubmissionResult Bench::grade(const Submission& submission, int slot,
                              const RunObserver& observe) const {
  SubmissionResult result = blank_result(submission);
  if (!submission.system_error.empty() || !submission.problem.empty()) {
    const bool ours = !submission.system_error.empty();
    result.set_score(score_all(
        rubric_, ours ? Outcome::kSystemError : Outcome::kFailed,
        say("item.everything", {{"why", ours ? submission.system_error : submission.problem}})));
    return result;
  }
  const fs::path folder = slot_folder(slot);
  std::error_code ignored;
  BuildResult build;
  for (int attempt = 0; attempt < kRunTries && build.status == BuildStatus::kSystemError;
       ++attempt) {
    remove_tree(folder, kDevicePatience);
    fs::create_directories(folder, ignored);
    build =
        builder_.build({rubric_.submission, submission.source, headers_, rubric_.required.binary},
                       driver_key_, driver_, {folder, slot, rubric_.limits.compile_s});
  }
  result.diagnostics = diagnostics_text(build);
  if (build.status == BuildStatus::kBuilt) {
    result.set_score(run_and_judge(submission, build, slot, observe, result));
  } else {
    const bool ours = build.status == BuildStatus::kSystemError;
    result.set_score(
        score_all(rubric_, ours ? Outcome::kSystemError : Outcome::kFailed,
                  say(ours ? "item.everything" : "item.does_not_build", {{"why", build.reason}})));
  }
  remove_tree(folder, kDevicePatience);
  return result;
}

std::optional<std::vector<CaseVerdict>> Bench::known_verdicts(const Submission& submission,
                                                              const std::string& case_id,
                                                              const CaseData& data) const {
  if (memo_ == nullptr || data.fingerprint.empty()) return std::nullopt;
  return memo_->find(submission.source, case_id, data.fingerprint);
}

void Bench::mark_what_the_driver_did(CaseRuns& ran) const {
  for (Result<Trace>* each : {&ran.first_trace, &ran.last_trace}) {
    if (!*each) continue;
    mark_drivers_launches(**each, driver_source_, driver_code_.get());
    move_outside(**each, driver_source_, judged_ranges_);
    add_findings_of_ranges(**each, driver_source_);
  }
}

void Bench::note_work(const std::string& case_id, const Trace& trace, Emulated& emulated) {
  emulated.work[case_id] = work_by_range(trace);
  add_doubts(carried_work(trace), emulated.doubts);
  note_undefined(case_id, trace, emulated.undefined);
  if (!(trace.calls.empty() && trace.launches.empty())) emulated.used.insert(case_id);
}

Bench::Emulated Bench::run_emulated(const Submission& submission, const ProgramPlace& place,
                                    const RunObserver& observe, SubmissionResult& result) const {
  std::unique_ptr<ProgramRuns> runs = runner_->open(place);
  std::vector<CaseRuns> swapped;
  Emulated emulated;
  std::vector<CaseVerdict>& verdicts = emulated.verdicts;
  int time_outs = 0;
  EndlessRanges endless;
  PublicEvidence evidence(rubric_);
  for (const Step& step : make_plan(rubric_, submission, Target::kEmulated).steps) {
    const auto* check = std::get_if<CheckStep>(&step);
    if (check != nullptr && check->case_id.empty())
      verdicts.push_back({"", check->item_id, Outcome::kPassed});
    const auto* run = std::get_if<RunStep>(&step);
    if (run == nullptr) continue;
    if (time_outs == kMostTimeOuts) {
      append(verdicts, judge_all(rubric_, run->case_id, Outcome::kFailed, say("end.not_run")));
      continue;
    }
    const Result<CaseData>& data = cases_->get(run->case_id);
    if (!data) {
      append(verdicts, judge_all(rubric_, run->case_id, Outcome::kSystemError,
                                 say("end.machine", {{"why", data.error().message}})));
      continue;
    }
    // What a fault of an earlier case leaves out makes this run another one, and one that raises doubts says more
    // than its own verdicts.
    const bool is_plain = endless.known().empty() && !is_swapped(rubric_, run->case_id);
    if (auto known = known_verdicts(submission, run->case_id, *data); known && is_plain) {
      append(verdicts, std::move(*known));
      continue;
    }
    CaseRuns ran = run_around_faults(*runs, *run, data->inputs, endless.known());
    mark_what_the_driver_did(ran);
    const Result<Trace>& trace = ran.last_trace;
    if (observe) observe(*run, ran.faults.empty() ? ran.last : as_printed(ran), data->expected);
    std::vector<CaseVerdict> judged = judge_around_faults(
        rubric_, ran, data->expected,
        run->timed ? baselines_->times(run->case_id) : std::map<std::string, BaselineTimes>(), {},
        reader_of(*data));
    const bool timed_out = ran.last.process.ending == Ending::kTimedOut;
    if (memo_ != nullptr && is_plain && !timed_out && ran.faults.empty())
      memo_->keep(submission.source, run->case_id, data->fingerprint, judged);
    if (trace) {
      evidence.add(run->case_id, *trace, judged);
      note_trace(run->case_id, *trace, result);
      note_work(run->case_id, *trace, emulated);
    }
    if (run->timed) evidence.add_baselines(run->case_id, baselines_->work(run->case_id));
    append(verdicts, std::move(judged));
    if (is_swapped(rubric_, run->case_id)) swapped.push_back(ran);
    endless.add(ran.faults);
    time_outs += timed_out;
    if (!ran.faults.empty()) emulated.faults[run->case_id] = ran.faults;
  }
  runs.reset();  // A slot has one room.
  for (const CaseRuns& ran : swapped) add_doubts(doubts_of_case(place, ran), emulated.doubts);
  evidence.give(result);
  return emulated;
}

Doubts Bench::doubts_of_case(const ProgramPlace& place, const CaseRuns& ran) const {
  const std::string& id = ran.last_step.case_id;
  const Result<CaseData>&data = cases_->get(id), &others = cases_->get_other(id);
  if (!ran.last_trace || !data || !others) return {};
  const ProgramPlace beside{place.program, place.folder.string() + "-swapped", place.slot};
  const std::unique_ptr<ProgramRuns> runs =
      runner_->open(beside, {data->inputs, others->inputs, others->has_new_elements});
  const auto run_again = [&](const RunStep& step, const auto& judge) {
    const RunResult run = run_patiently(*runs, step, data->inputs);
    const Result<Trace> trace = parse_trace(run.trace);
    judge(RunOnInputs{run, trace ? *trace : Trace(), others->expected,
                      bytes_of_inputs(others->inputs)});
  };
  const RunOnInputs same{ran.last, *ran.last_trace, data->expected};
  Doubts doubts;
  std::vector<RangeAlone> told;
  run_again(ran.last_step, [&](const RunOnInputs& other) {
    doubts = doubts_of(rubric_, ran.last_step, same, other);
    told = ranges_told_results(rubric_, ran.last_step, same, other);
  });
  for (const RangeAlone& each : told) {
    RunStep alone = ran.last_step;
    alone.left_out.insert(each.left_out.begin(), each.left_out.end());
    run_again(alone, [&](const RunOnInputs& other) {
      if (auto doubt = doubt_of_range_alone(rubric_, alone, each.range, same, other))
        add_doubts({{each.range, std::move(*doubt)}}, doubts);
    });
  }
  return doubts;
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
                           const RunObserver& observe, SubmissionResult& result) const {
  const fs::path folder = slot_folder(slot);
  const Emulated emulated =
      run_emulated(submission, {build.program, folder / "run", slot}, observe, result);
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
