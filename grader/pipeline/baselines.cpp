// SPDX-License-Identifier: MIT
#include "pipeline/baselines.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/metric.h"
#include "pipeline/judge.h"

namespace warpgrade {
namespace {

constexpr const char* kModelAnswer = "reference";
// As a multiple of the time that a student has: a busy machine must not cost a whole class its comparison.
constexpr int kPatience = 10;

/// Steps of the cases that some item compares with the baseline `name`.
std::vector<RunStep> steps_of(const std::string& name, const Rubric& rubric,
                              const std::vector<RunStep>& steps) {
  std::vector<RunStep> found;
  for (const RunStep& step : steps) {
    const bool wanted =
        std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
          return item.metric && item.metric->over == name && item.is_judged_by(step.case_id);
        });
    if (wanted) found.push_back(step);
  }
  return found;
}

/// What the launches within ranges did.
ProgramWork work_of(const std::string& case_id, const Trace& trace) {
  ProgramWork work;
  work.case_id = case_id;
  for (const KernelLaunch& launch : trace.launches) {
    if (!launch.range.empty()) work.add(launch.metrics, launch.time_ms);
  }
  return work;
}

BaselineTimes times_of(ProgramRuns& runs, const RunStep& step, const CaseStore& cases,
                       ProgramWork& work) {
  const Result<CaseData>& data = cases.get(step.case_id);
  if (!data) return data.error();
  RunStep patient = step;
  patient.limits.wall_s *= kPatience;
  const RunResult run = run_patiently(runs, patient, data->inputs);
  if (run.process.ending == Ending::kSystemError) return Error{run.process.error};
  const Result<Trace> trace = parse_trace(run.trace);
  if (!trace) return trace.error();
  const Sentence bad_end = describe_end(run.process, patient.limits, *trace);
  if (!bad_end.empty()) return Error{bad_end.text};
  work = work_of(step.case_id, *trace);
  return times_by_range(*trace);
}

Baselines::Baseline run_all(const std::string& source, const std::vector<RunStep>& steps, int slot,
                            const BaselineTools& tools) {
  const fs::path folder = tools.folder / std::to_string(slot);
  std::error_code failed;
  fs::create_directories(folder, failed);
  Baselines::Baseline found{tools.build(source, {folder, slot, tools.compile_s}), {}, {}};
  const Result<fs::path>& program = found.program;
  std::unique_ptr<ProgramRuns> runs;
  if (program) runs = tools.runner.open({*program, folder / "run", slot});
  for (const RunStep& step : steps)
    found.times.emplace(step.case_id,
                        program ? times_of(*runs, step, tools.cases, found.work[step.case_id])
                                : BaselineTimes(program.error()));
  return found;
}

}  // namespace

Result<std::map<std::string, std::string>> read_baselines(const Paths& paths,
                                                          const Rubric& rubric) {
  const RealFiles files;
  const fs::path reference = paths.reference(rubric.assignment);
  std::map<std::string, std::string> sources;
  if (!files.is_folder(reference)) return sources;
  for (const Item& item : rubric.items) {
    if (!item.metric || item.metric->over.empty()) continue;
    const std::string& name = item.metric->over;
    const fs::path path = name == kModelAnswer ? reference / rubric.submission
                                               : reference / "baselines" / (name + ".cu");
    const Result<std::string> source = files.read(path);
    if (!source)
      return Error{fmt::format("item '{}' is compared with '{}': {}", item.id, name,
                               source.error().message)};
    sources[name] = *source;
  }
  return sources;
}

Baselines::Baselines(const Rubric& rubric, const std::map<std::string, std::string>& sources,
                     const std::vector<RunStep>& steps, const BaselineTools& tools) {
  int slot = tools.first_slot;
  for (const auto& [name, source] : sources) {
    runs_[name] =
        std::async(std::launch::async, [source = source, steps = steps_of(name, rubric, steps),
                                        slot, tools] {
          return run_all(source, steps, slot, tools);
        }).share();
    ++slot;
  }
}

Baselines::~Baselines() {
  for (const auto& [name, run] : runs_) run.wait();
}

std::map<std::string, BaselineTimes> Baselines::times(const std::string& case_id) const {
  std::map<std::string, BaselineTimes> times;
  for (const auto& [name, run] : runs_) {
    const auto found = run.get().times.find(case_id);
    if (found != run.get().times.end()) times.emplace(name, found->second);
  }
  return times;
}

std::vector<ProgramWork> Baselines::work(const std::string& case_id) const {
  std::vector<ProgramWork> all;
  for (const auto& [name, run] : runs_) {
    const auto found = run.get().work.find(case_id);
    if (found == run.get().work.end() || found->second.ms == 0) continue;
    all.push_back(found->second);
    all.back().program = name;
  }
  return all;
}

Result<fs::path> Baselines::program(const std::string& name) const {
  const auto found = runs_.find(name);
  if (found == runs_.end()) return Error{fmt::format("there is no baseline '{}'", name)};
  return found->second.get().program;
}

}  // namespace warpgrade
