// SPDX-License-Identifier: MIT
#include "pipeline/gpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "check/measured_speed.h"
#include "pipeline/derived_outputs.h"
#include "pipeline/judge.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

// A class waits for its GPU as long as it takes; a GPU that never comes is the machine's fault.
constexpr std::chrono::hours kGpuPatience{12};

bool has_passed(const std::string& item_id, const std::vector<CaseVerdict>& verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& verdict) {
    return verdict.item_id == item_id && verdict.status == Outcome::kFailed;
  });
}

/// Whether a program can do there what the case asks for. It sees one GPU, and not the devices that a case
/// of its own choice of them is about.
bool can_run_on(const Gpu& gpu, const Rubric& rubric, const RunStep& step) {
  if (!step.timed && step.devices != rubric.devices) return false;
  for (const Item& item : rubric.items) {
    for (const Rule& rule : item.rules) {
      const auto* device = std::get_if<DeviceRule>(&rule);
      if (device == nullptr) continue;
      const Result<long> major = device->major.value(step.values);
      if (major && *major != gpu.major) return false;
    }
  }
  return true;
}

/// The performance items that the case is timed for: those whose needs are met.
std::vector<const Item*> items_to_time(const Rubric& rubric, const std::string& case_id,
                                       const std::vector<CaseVerdict>& emulated) {
  std::vector<const Item*> items;
  for (const Item& item : rubric.items) {
    if (item.kind != ItemKind::kPerformance || !item.is_judged_by(case_id)) continue;
    const bool worth_it =
        std::all_of(item.needs.begin(), item.needs.end(),
                    [&](const std::string& id) { return has_passed(id, emulated); });
    if (worth_it) items.push_back(&item);
  }
  return items;
}

/// Notes a lease that it does not outlive.
class HoldNote {
 public:
  HoldNote(const Gpu& gpu, bool alone, const Clock& clock, std::vector<GpuHold>& holds)
      : clock_(clock), holds_(holds), hold_{gpu.uuid, alone, clock.now().count(), 0} {}
  HoldNote(const HoldNote&) = delete;
  HoldNote& operator=(const HoldNote&) = delete;
  ~HoldNote() {
    hold_.end_ms = clock_.now().count();
    holds_.push_back(hold_);
  }

 private:
  const Clock& clock_;
  std::vector<GpuHold>& holds_;
  GpuHold hold_;
};

void fail_all(const std::vector<const Item*>& items, const std::string& case_id,
              const std::string& why, GpuGrade& grade) {
  for (const Item* item : items)
    grade.verdicts.push_back(
        {case_id, item->id, Outcome::kSystemError, say("end.machine", {{"why", why}}), {}, false});
}

/// Whether only NVIDIA's tools can judge the item, or a part of it.
bool has_tool_rule(const Item& item) {
  return (item.metric && item.metric->source == CounterSource::kHardware) ||
         std::any_of(item.rules.begin(), item.rules.end(),
                     [](const Rule& rule) { return std::holds_alternative<SanitizerRule>(rule); });
}

/// Says of the items that wait for a GPU's tools why they go on waiting.
void keep_waiting(const Rubric& rubric, const std::string& case_id, const std::string& why,
                  GpuGrade& grade) {
  for (const Item& item : rubric.items) {
    if (has_tool_rule(item) && item.is_judged_by(case_id))
      grade.verdicts.push_back(
          {case_id, item.id, Outcome::kPending, say("waits.tools", {{"why", why}}), {}, false});
  }
}

/// Whether no verdict is another than the emulated device's.
bool agrees(const std::vector<CaseVerdict>& verdicts, const std::vector<CaseVerdict>& emulated) {
  const auto is_passed_or_failed = [](Outcome outcome) {
    return outcome == Outcome::kPassed || outcome == Outcome::kFailed;
  };
  return std::all_of(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& mine) {
    return std::all_of(emulated.begin(), emulated.end(), [&](const CaseVerdict& theirs) {
      return theirs.case_id != mine.case_id || theirs.item_id != mine.item_id ||
             !is_passed_or_failed(mine.status) || !is_passed_or_failed(theirs.status) ||
             mine.status == theirs.status;
    });
  });
}

bool is_lost_only_here(const CaseVerdict& mine, const std::vector<CaseVerdict>& emulated) {
  return mine.status == Outcome::kFailed &&
         std::any_of(emulated.begin(), emulated.end(), [&](const CaseVerdict& theirs) {
           return theirs.case_id == mine.case_id && theirs.item_id == mine.item_id &&
                  theirs.status == Outcome::kPassed;
         });
}

/// Cases with an answer that is right on the emulated device and wrong here.
std::set<std::string> wrong_only_here(const Rubric& rubric,
                                      const std::vector<CaseVerdict>& verdicts,
                                      const std::vector<CaseVerdict>& emulated) {
  std::set<std::string> cases;
  for (const CaseVerdict& mine : verdicts) {
    if (rubric.find_item(mine.item_id)->kind == ItemKind::kCorrectness &&
        is_lost_only_here(mine, emulated))
      cases.insert(mine.case_id);
  }
  return cases;
}

bool has_endless(const std::vector<Fault>& faults) {
  return std::any_of(faults.begin(), faults.end(),
                     [](const Fault& fault) { return fault.endless; });
}

std::string end_of(const ProcessOutcome& process, const Limits& limits) {
  const Sentence end = describe_end(process, limits, {});
  return end.empty() ? "the program ended well" : end.text;
}

}  // namespace

bool GpuGrade::saw_nothing() const {
  const bool timed_any =
      std::any_of(measured.begin(), measured.end(),
                  [](const MeasuredCase& each) { return !each.measured.timed.failure; });
  return !unobserved.empty() && !observed_any && !timed_any;
}

GpuGrade GpuBench::grade(const ProgramPlace& place, const EmulatedSide& emulated) const {
  GpuGrade grade;
  run_cases(place, emulated, grade);
  run_again(place, emulated, grade);
  if (services_.is_timed) time_cases(place, emulated, grade);
  return grade;
}

std::vector<RunStep> GpuBench::steps(const Faults& faults) const {
  std::vector<RunStep> steps = steps_of<RunStep>(rubric_, Target::kGpu);
  for (RunStep& step : steps) {
    const auto found = faults.find(step.case_id);
    if (found != faults.end()) step.left_out = ranges_of(found->second);
  }
  return steps;
}

void GpuBench::run_cases(const ProgramPlace& place, const EmulatedSide& emulated,
                         GpuGrade& grade) const {
  const std::vector<RunStep> steps = this->steps(emulated.faults);
  const Result<GpuLease> lease = services_.pool.take(GpuUse::kShared, kGpuPatience);
  if (!lease) {
    // The others stay as they are: the emulated device's verdicts stand.
    for (const RunStep& step : steps)
      keep_waiting(rubric_, step.case_id, lease.error().message, grade);
    return;
  }
  const HoldNote note(lease->gpu(), false, services_.clock, grade.holds);
  grade.gpu_name = lease->gpu().name;
  const std::unique_ptr<Runner> runner = services_.runner_on(lease->gpu());
  const std::unique_ptr<ProgramRuns> runs =
      with_derived_outputs(runner->open(place), cases_.oracle(), derived_folder(place));
  std::vector<RunStep> wanted;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(wanted), [&](const RunStep& step) {
    // One process has one list of calls to leave out.
    return step.left_out.empty() && can_run_on(lease->gpu(), rubric_, step);
  });
  const std::map<std::string, CaseRun> together = run_together(wanted, *runs);
  bool is_stuck = false;
  for (const RunStep& step : steps) {
    if (const auto found = together.find(step.case_id); found != together.end()) {
      const std::vector<CaseVerdict> verdicts =
          judge(step, lease->gpu(), *runs, found->second.run, found->second.trace, {});
      // What a case before it left in the process may be the reason for another verdict.
      if (agrees(verdicts, emulated.verdicts)) {
        grade.observed_any = true;
        grade.verdicts.insert(grade.verdicts.end(), verdicts.begin(), verdicts.end());
        continue;
      }
    }
    if (is_stuck) {
      keep_waiting(rubric_, step.case_id, "a case before it did not end on the GPU", grade);
    } else if (!can_run_on(lease->gpu(), rubric_, step)) {
      keep_waiting(rubric_, step.case_id, fmt::format("the case is not for {}", lease->gpu().name),
                   grade);
    } else {
      is_stuck = run_case(step, lease->gpu(), *runs, emulated, grade) == Ending::kTimedOut;
    }
  }
}

void GpuBench::run_again(const ProgramPlace& place, const EmulatedSide& emulated,
                         GpuGrade& grade) const {
  const std::set<std::string> doubted = wrong_only_here(rubric_, grade.verdicts, emulated.verdicts);
  if (doubted.empty()) return;
  const Result<GpuLease> lease = services_.pool.take(GpuUse::kExclusive, kGpuPatience);
  if (!lease) return;
  const HoldNote note(lease->gpu(), true, services_.clock, grade.holds);
  const std::unique_ptr<Runner> runner = services_.runner_on(lease->gpu());
  const std::unique_ptr<ProgramRuns> runs =
      with_derived_outputs(runner->open(place), cases_.oracle(), derived_folder(place));
  for (const RunStep& step : steps(emulated.faults)) {
    if (!doubted.contains(step.case_id)) continue;
    GpuGrade alone;
    const Ending ending = run_case(step, lease->gpu(), *runs, emulated, alone);
    grade.unobserved.insert(grade.unobserved.end(), alone.unobserved.begin(),
                            alone.unobserved.end());
    // What was seen before stands where nothing is seen now.
    if (alone.observed_any) {
      std::erase_if(grade.verdicts,
                    [&](const CaseVerdict& verdict) { return verdict.case_id == step.case_id; });
      grade.verdicts.insert(grade.verdicts.end(), alone.verdicts.begin(), alone.verdicts.end());
    }
    if (ending == Ending::kTimedOut) return;
  }
}

std::map<std::string, CaseRun> GpuBench::run_together(const std::vector<RunStep>& steps,
                                                      ProgramRuns& runs) const {
  std::vector<CaseToRun> cases;
  for (const RunStep& step : steps) {
    const Result<CaseData>& data = cases_.get(step.case_id);
    if (data) cases.push_back({step, data->inputs});
  }
  std::map<std::string, CaseRun> found;
  const std::optional<RunResult> ran = runs.run_together(cases);
  if (!ran) return found;
  std::vector<std::optional<CaseRun>> each = told_apart(*ran, cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    if (each[i]) found.emplace(cases[i].step.case_id, std::move(*each[i]));
  }
  return found;
}

Ending GpuBench::run_case(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                          const EmulatedSide& emulated, GpuGrade& grade) const {
  const Result<CaseData>& data = cases_.get(step.case_id);
  if (!data) return Ending::kSystemError;
  const RunResult ran = run_patiently(runs, step, data->inputs);
  const Ending ending = ran.process.ending;
  if (!ran.gpu_trouble.empty()) services_.pool.set_aside(gpu.uuid, ran.gpu_trouble);
  const Result<Trace> trace = parse_trace(ran.trace);
  // Where nothing was recorded, nothing can be said about the program.
  if (trace.ok() && trace->source != "gpu") {
    if (emulated.used.contains(step.case_id) || ending == Ending::kSystemError)
      grade.unobserved.push_back({step.case_id, end_of(ran.process, step.limits)});
    keep_waiting(rubric_, step.case_id, "nothing was recorded of the program on the GPU", grade);
    return ending;
  }
  grade.observed_any = true;
  std::vector<CaseVerdict> verdicts = judge(step, gpu, runs, ran, trace, emulated.faults);
  if (ending != Ending::kTimedOut) look_before_faults(step, gpu, runs, emulated, verdicts);
  grade.verdicts.insert(grade.verdicts.end(), std::make_move_iterator(verdicts.begin()),
                        std::make_move_iterator(verdicts.end()));
  return ending;
}

void GpuBench::look_before_faults(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                                  const EmulatedSide& emulated,
                                  std::vector<CaseVerdict>& verdicts) const {
  const auto faults = emulated.faults.find(step.case_id);
  if (faults == emulated.faults.end() || has_endless(faults->second)) return;
  const auto is_doubted = [&](const CaseVerdict& mine) {
    return is_lost_only_here(mine, emulated.verdicts);
  };
  if (std::none_of(verdicts.begin(), verdicts.end(), is_doubted)) return;
  RunStep whole = step;
  whole.left_out.clear();
  const RunResult ran = run_patiently(runs, whole, cases_.get(step.case_id)->inputs);
  const Result<Trace> trace = parse_trace(ran.trace);
  if (!trace.ok() || trace->source != "gpu") return;
  // Both are in the rubric's order.
  std::vector<CaseVerdict> before = judge(whole, gpu, runs, ran, trace, {});
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (is_doubted(verdicts[i]) && before[i].status != Outcome::kSystemError)
      verdicts[i] = std::move(before[i]);
  }
}

std::vector<CaseVerdict> GpuBench::judge(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                                         const RunResult& ran, const Result<Trace>& trace,
                                         const Faults& faults) const {
  const Result<CaseData>& data = cases_.get(step.case_id);
  const InstrumentReadings readings =
      ran.process.succeeded() ? read_instruments(services_.instruments, rubric_, step, ran, runs,
                                                 data->inputs, services_.sandbox, gpu.major)
                              : InstrumentReadings();
  CaseRuns all{ran, trace, {}, step, ran, trace};
  if (const auto found = faults.find(step.case_id); found != faults.end())
    all.faults = found->second;
  std::vector<CaseVerdict> verdicts =
      judge_around_faults(rubric_, all, data->expected, {}, readings, reader_of(*data));
  // Speed is for timed runs.
  std::erase_if(verdicts, [&](const CaseVerdict& verdict) {
    return rubric_.find_item(verdict.item_id)->kind == ItemKind::kPerformance;
  });
  return verdicts;
}

void GpuBench::time_cases(const ProgramPlace& place, const EmulatedSide& emulated,
                          GpuGrade& grade) const {
  std::vector<TimeStep> steps = steps_of<TimeStep>(rubric_, Target::kGpu);
  for (TimeStep& step : steps) {
    const auto found = emulated.faults.find(step.run.case_id);
    if (found != emulated.faults.end()) step.run.left_out = ranges_of(found->second);
  }
  const TimingPlan plan = services_.timing.shared_by(steps.size());
  for (const TimeStep& step : steps) {
    const std::string& id = step.run.case_id;
    const std::vector<const Item*> items = items_to_time(rubric_, id, emulated.verdicts);
    if (items.empty()) continue;
    const Result<TimedCaseData>& data = cases_.get_timed(id);
    if (!data) {
      fail_all(items, id, data.error().message, grade);
      continue;
    }
    const Result<GpuLease> lease = services_.pool.take(GpuUse::kExclusive, kGpuPatience);
    if (!lease) {
      fail_all(items, id, lease.error().message, grade);
      continue;
    }
    const HoldNote note(lease->gpu(), true, services_.clock, grade.holds);
    grade.gpu_name = lease->gpu().name;
    const Measured measured =
        time_one(step, items, place, lease->gpu(), *data, plan, judged_work(step, emulated));
    for (const Item* item : items)
      grade.verdicts.push_back(verdict_of(id, *item, judge_measured(*item, measured)));
    grade.measured.push_back({id, measured});
  }
}

std::optional<JudgedWork> GpuBench::judged_work(const TimeStep& step,
                                                const EmulatedSide& emulated) const {
  const std::string& id = step.run.case_id;
  if (emulated.work == nullptr || !emulated.work->contains(id)) return std::nullopt;
  const std::vector<RunStep> judged = steps_of<RunStep>(rubric_, Target::kEmulated);
  const bool is_same = std::any_of(judged.begin(), judged.end(), [&](const RunStep& run) {
    return run.case_id == id && run.words == step.run.words;
  });
  return JudgedWork{emulated.work->at(id), is_same ? Sizes::kSame : Sizes::kOther};
}

Measured GpuBench::time_one(const TimeStep& step, const std::vector<const Item*>& items,
                            const ProgramPlace& place, const Gpu& gpu, const TimedCaseData& data,
                            const TimingPlan& plan, std::optional<JudgedWork> judged) const {
  Measured measured{
      {gpu.name, gpu.uuid, services_.driver, gpu.peak_gb_per_s(), gpu.peak_gflop_per_s()},
      {},
      step.run.values};
  const std::unique_ptr<Runner> runner = services_.runner_on(gpu);
  const int repetitions = plan.repetitions_per_process + 1;
  // Lists, because the programs are referred to.
  std::list<std::unique_ptr<ProgramRuns>> runs;
  std::list<TimedProcess> processes;
  std::vector<NamedProgram> programs;
  const auto add = [&](const std::string& name, const ProgramPlace& where,
                       std::vector<OutputRule> outputs, std::optional<JudgedWork> work) {
    runs.push_back(runner->open(where));
    processes.emplace_back(*runs.back(), step.run, data, std::move(outputs), seed_, repetitions,
                           std::move(work));
    programs.push_back({name, processes.back()});
  };
  add(kStudentProgram, {place.program, place.folder / "timed", place.slot},
      timed_outputs(rubric_, step.run.case_id), std::move(judged));
  for (const std::string& name : step.baselines) {
    const Result<fs::path> program = baselines_.program(name);
    if (program) {
      add(name, {*program, place.folder / ("baseline-" + name), place.slot}, {}, {});
    } else {
      measured.timed.failure = TimingFailure{name, 0, program.error().message, true};
      return measured;
    }
  }
  std::vector<TimedRange> wanted;
  for (const Item* item : items) wanted.push_back({item->metric->range, item->metric->over});
  const auto settles = [&](const TimedCase& timed) {
    Measured now = measured;
    now.timed = timed;
    now.wrong_output = processes.front().wrong_output();
    return std::none_of(items.begin(), items.end(),
                        [&](const Item* item) { return judge_measured(*item, now).undecided; });
  };
  const std::unique_ptr<GpuWatch> watch = services_.watch(gpu);
  measured.timed = time_case(plan, programs, wanted, services_.clock, *watch, settles);
  for (const TimedProcess& process : processes) {
    if (!process.gpu_trouble().empty()) services_.pool.set_aside(gpu.uuid, process.gpu_trouble());
  }
  measured.wrong_output = processes.front().wrong_output();
  measured.other_work = processes.front().other_work();
  return measured;
}

}  // namespace warpgrade
