// SPDX-License-Identifier: MIT
#include "pipeline/faults.h"

#include <algorithm>
#include <variant>

namespace warpgrade {
namespace {

// A program whose every function faults shows it in so many runs; the rest is not worth the time.
constexpr size_t kMostFaults = 8;
constexpr int kMostTimeOutsOfACase = 2;

/// The range of the finding that ended a kernel, and with it the program.
std::string range_of_last_finding(const Trace& trace) {
  const auto last = std::find_if(
      trace.findings.rbegin(), trace.findings.rend(),
      [](const Finding& finding) { return may_end_a_run(finding) && !finding.range.empty(); });
  return last == trace.findings.rend() ? "" : last->range;
}

/// The range of the first kernel after whose fault a call or a launch of another range failed: CUDA's
/// errors of kernels stay with the device.
std::string range_of_broken_device(const Trace& trace) {
  for (const Finding& finding : trace.findings) {
    if (!may_end_a_run(finding) || finding.range.empty() || finding.kernel.empty()) continue;
    const auto suffers = [&](const auto& event) {
      return event.seq > finding.seq && event.result != 0 && !event.range.empty() &&
             event.range != finding.range;
    };
    if (std::any_of(trace.launches.begin(), trace.launches.end(), suffers) ||
        std::any_of(trace.calls.begin(), trace.calls.end(), suffers))
      return finding.range;
  }
  return "";
}

bool is_same(const Finding& a, const Finding& b) {
  return a.checker == b.checker && a.message == b.message && a.kernel == b.kernel &&
         a.file == b.file && a.line == b.line && a.range == b.range;
}

/// The findings of earlier runs, which a run without the faulty calls cannot show again.
void add_findings(const Trace& from, Trace& to) {
  std::vector<Finding> added;
  for (const Finding& finding : from.findings) {
    const bool known = std::any_of(to.findings.begin(), to.findings.end(),
                                   [&](const Finding& other) { return is_same(finding, other); });
    if (!known) added.push_back(finding);
  }
  to.findings.insert(to.findings.begin(), added.begin(), added.end());
}

/// The ranges that a rule is about.
std::vector<std::string> ranges_of(const Rule& rule) {
  return std::visit(
      [](const auto& typed) {
        std::vector<std::string> ranges;
        if constexpr (requires { typed.range; }) ranges.push_back(typed.range);
        return ranges;
      },
      rule);
}

/// The fault for want of which the item cannot be judged; nullptr where no fault touches it.
const Fault* fault_behind(const Item& item, const CaseRuns& runs) {
  const std::vector<std::string> ranges = ranges_of(item);
  const bool lacks_output = std::any_of(
      item.outputs.begin(), item.outputs.end(),
      [&](const OutputRule& output) { return runs.last.outputs.count(output.array) == 0; });
  for (const Fault& fault : runs.faults) {
    if (std::count(ranges.begin(), ranges.end(), fault.range) > 0) return &fault;
  }
  return lacks_output && !runs.faults.empty() ? &runs.faults.front() : nullptr;
}

/// A requirement such as "no race" holds where nothing ran: it must hold in the run that did more as well.
bool holds_where_nothing_ran(const Item& item) {
  return item.kind == ItemKind::kRequirement || item.kind == ItemKind::kEfficiency;
}

bool earns(const CaseVerdict& verdict) {
  return verdict.status == Outcome::kPassed || verdict.status == Outcome::kPartial;
}

}  // namespace

std::optional<Fault> fault_of(const RunStep& step, const RunResult& run, const Trace& trace) {
  const bool calls_without_end = run.endless_calls;
  const Sentence end =
      calls_without_end ? spoilt_by(run, trace) : bad_end_of(run, step.limits, trace);
  if (end.empty()) {
    const std::string broken = range_of_broken_device(trace);
    if (broken.empty() || step.left_out.contains(broken)) return std::nullopt;
    return Fault{broken, {}, false};
  }
  const bool is_exit = run.process.ending == Ending::kExited;
  const std::string open = open_range(trace), found = range_of_last_finding(trace);
  // A program may go on for a while after its kernel has failed; a crash happens where it is.
  const std::string& guilty = (is_exit && !found.empty()) || open.empty() ? found : open;
  if (guilty.empty() || step.left_out.contains(guilty)) return std::nullopt;
  return Fault{guilty, end, calls_without_end || run.process.ending == Ending::kTimedOut};
}

int CaseRuns::time_outs() const {
  const auto is_endless = [](const Fault& fault) { return fault.endless; };
  const auto known = std::count_if(faults.begin(), faults.end(), is_endless);
  return static_cast<int>(known) + (last.process.ending == Ending::kTimedOut ? 1 : 0);
}

std::vector<std::string> ranges_of(const Item& item) {
  std::vector<std::string> ranges;
  for (const Rule& rule : item.rules) {
    for (std::string& range : ranges_of(rule)) ranges.push_back(std::move(range));
  }
  if (item.metric) ranges.push_back(item.metric->range);
  for (const OutputRule& output : item.outputs) ranges.push_back(output.computed_in);
  return ranges;
}

std::set<std::string> ranges_of(const std::vector<Fault>& faults) {
  std::set<std::string> ranges;
  for (const Fault& fault : faults) ranges.insert(fault.range);
  return ranges;
}

CaseRuns run_around_faults(ProgramRuns& runs, RunStep step, const fs::path& inputs,
                           const std::vector<Fault>& known) {
  CaseRuns found;
  found.faults = known;
  step.left_out = ranges_of(known);
  found.first = run_patiently(runs, step, inputs);
  found.first_trace = parse_trace(found.first.trace);
  found.last = found.first;
  found.last_trace = found.first_trace;
  int time_outs = 0;
  while (found.last_trace.ok() && found.faults.size() < kMostFaults &&
         time_outs < kMostTimeOutsOfACase) {
    if (!found.last.endless_calls && !spoilt_by(found.last, found.last_trace).empty()) break;
    const std::optional<Fault> fault = fault_of(step, found.last, *found.last_trace);
    if (!fault) break;
    found.faults.push_back(*fault);
    time_outs += fault->endless;
    step.left_out.insert(fault->range);
    RunResult again = run_patiently(runs, step, inputs);
    Result<Trace> trace = parse_trace(again.trace);
    if (trace.ok()) add_findings(*found.last_trace, *trace);
    found.last = std::move(again);
    found.last_trace = std::move(trace);
  }
  found.last_step = std::move(step);
  return found;
}

std::vector<CaseVerdict> judge_around_faults(const Rubric& rubric, const CaseRuns& runs,
                                             const Arrays& expected,
                                             const std::map<std::string, BaselineTimes>& baselines,
                                             const InstrumentReadings& readings,
                                             const InputReader& inputs) {
  std::vector<CaseVerdict> first = judge_run(rubric, runs.last_step, runs.first, runs.first_trace,
                                             expected, baselines, readings, inputs);
  if (runs.faults.empty()) return first;
  std::vector<CaseVerdict> last = judge_run(rubric, runs.last_step, runs.last, runs.last_trace,
                                            expected, baselines, readings, inputs);
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i].status == Outcome::kSystemError) continue;
    const Item& item = *rubric.find_item(first[i].item_id);
    const Fault* const fault = fault_behind(item, runs);
    if (earns(first[i])) {
      if (fault == nullptr && holds_where_nothing_ran(item)) first[i] = std::move(last[i]);
      continue;
    }
    if (fault == nullptr) {
      first[i] = std::move(last[i]);
    } else if (!fault->end.empty()) {
      first[i] = failed_by(first[i].case_id, first[i].item_id, fault->end);
    } else {
      first[i].cut_off = true;
    }
  }
  return first;
}

}  // namespace warpgrade
