// SPDX-License-Identifier: MIT
#include "pipeline/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "base/text.h"
#include "check/compare.h"
#include "check/metric.h"
#include "check/rules.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// The last line that a program wrote, which is where it says why it gave up: to its standard error, or else to its
/// standard output.
std::string last_words(const ProcessOutcome& process) {
  const std::string_view err = trim(process.err);
  const std::string line = split(err.empty() ? trim(process.out) : err, '\n').back();
  return line.empty() ? "" : fmt::format(": {}", printable(line.substr(0, 200)));
}

/// What ended a run: the first thing wrong with the kernel that was the last in which something was. Null where nothing was.
const Finding* ending(const Trace& trace) {
  const auto last = std::find_if(trace.findings.rbegin(), trace.findings.rend(), may_end_a_run);
  if (last == trace.findings.rend()) return nullptr;
  return &*std::find_if(trace.findings.begin(), trace.findings.end(), [&](const Finding& finding) {
    return may_end_a_run(finding) && finding.checker == last->checker &&
           finding.kernel == last->kernel;
  });
}

Filling where(const Finding* finding) {
  Filling place("where", "");
  if (finding == nullptr) return place;
  const Sentence sentence = finding_sentence(*finding);
  place.text = fmt::format(" ({})", sentence.text);
  place.kept = sentence.key();
  return place;
}

/// What a program did last in the range that was open when it ended, in words; nothing where none was.
Sentence last_act(const Trace& trace) {
  const std::string range = open_range(trace);
  if (range.empty()) return {};
  long begun = 0, calls = 0, launches = 0;
  for (const RangeMark& mark : trace.ranges) {
    if (mark.begins && mark.name == range) begun = mark.seq;
  }
  const ApiCall* call = nullptr;
  for (const ApiCall& each : trace.calls) {
    if (each.seq > begun) call = &each;
  }
  const KernelLaunch* launch = nullptr;
  for (const KernelLaunch& each : trace.launches) {
    if (each.seq > begun) launch = &each;
  }
  if (call == nullptr && launch == nullptr) return say("where.before_call", {{"range", range}});
  for (const ApiCall& each : trace.calls)
    calls += each.seq > begun && call != nullptr && each.name == call->name;
  for (const KernelLaunch& each : trace.launches)
    launches += each.seq > begun && launch != nullptr && each.kernel == launch->kernel;
  const bool is_launch = call == nullptr || (launch != nullptr && launch->seq > call->seq);
  return is_launch
             ? say("where.after_launch",
                   {{"range", range}, {"number", launches}, {"kernel", launch->kernel}})
             : say("where.after_call", {{"range", range}, {"number", calls}, {"call", call->name}});
}

/// Where a program was on the host as it crashed or was stopped; the same end in the same range is one mistake.
Filling where_on_host(const Trace& trace) {
  const Sentence act = last_act(trace);
  if (act.empty()) return where(nullptr);
  Filling place("where", fmt::format(" ({})", act.text));
  place.kept = say("where.before_call", {{"range", open_range(trace)}}).key();
  return place;
}

/// Whether all that the item is judged by was there before the program came to a bad end. Half a run
/// shows where a finished output came from, if its record is whole, and nothing else that the program did on its device.
bool was_finished(const Item& item, const RunResult& run, const Trace& trace) {
  const auto written = [&](const std::string& array) { return run.outputs.count(array) != 0; };
  const auto is_told = [&](const Rule& rule) {
    const auto* const on_device = std::get_if<OnDeviceRule>(&rule);
    return on_device != nullptr && written(on_device->array) && trace.exited;
  };
  const auto is_there = [&](const OutputRule& rule) {
    return written(rule.array) && (rule.computed_in.empty() || trace.exited);
  };
  const bool asks = !item.rules.empty() || !item.outputs.empty();
  return (item.kind == ItemKind::kCorrectness || item.kind == ItemKind::kRequirement) && asks &&
         std::all_of(item.rules.begin(), item.rules.end(), is_told) &&
         std::all_of(item.outputs.begin(), item.outputs.end(), is_there);
}

/// Whether a program that ended well left without its exit handlers. One that made no CUDA call leaves no trace at all.
bool is_cut_short(const Trace& trace) { return trace.source == "emulated" && !trace.exited; }

/// What the device saw the program do to the grader's own means; nullptr where it left them alone.
const Finding* tampering(const Trace& trace) {
  const auto found =
      std::find_if(trace.findings.begin(), trace.findings.end(),
                   [](const Finding& finding) { return finding.checker == "harness"; });
  return found == trace.findings.end() ? nullptr : &*found;
}

bool is_all_zeros(const NpyArray& array) {
  return std::all_of(array.bytes.begin(), array.bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

using RangesByArray = std::map<std::string, std::set<std::string>>;

/// The ranges that each output is computed in.
RangesByArray computing_ranges(const Rubric& rubric) {
  RangesByArray ranges;
  for (const Item& item : rubric.items) {
    for (const OutputRule& rule : item.outputs)
      if (!rule.computed_in.empty()) ranges[rule.array].insert(rule.computed_in);
    for (const Rule& rule : item.rules)
      if (const auto* on_device = std::get_if<OnDeviceRule>(&rule))
        ranges[on_device->array].insert(on_device->range);
  }
  return ranges;
}

bool is_for_tools(const Rule& rule) { return std::holds_alternative<SanitizerRule>(rule); }

/// Judges the items of one case from what its run left behind.
class CaseJudge {
 public:
  CaseJudge(const Rubric& rubric, const RunResult& run, const Arrays& expected, CaseFacts facts)
      : computing_(computing_ranges(rubric)),
        run_(run),
        expected_(expected),
        facts_(std::move(facts)) {}

  CaseVerdict judge(const Item& item, const std::string& case_id) const {
    if (item.kind == ItemKind::kEfficiency)
      return verdict_of(case_id, item, judge_efficiency(item, facts_));
    if (item.kind == ItemKind::kPerformance)
      return verdict_of(case_id, item, judge_performance(item, facts_));
    // A demand that is not met says more than one that waits.
    Judgement waits;
    const bool asks_tools = std::any_of(item.rules.begin(), item.rules.end(), is_for_tools);
    for (const Rule& rule : item.rules) {
      const Judgement judgement = judge_rule(rule, facts_);
      if (!judgement.passed && !judgement.pending)
        return explained(verdict_of(case_id, item, judgement), rule);
      // Where an item waits for a GPU's tools, the emulated device has judged all else that it asks.
      if (judgement.pending && (is_for_tools(rule) || !asks_tools)) waits = judgement;
    }
    for (const OutputRule& rule : item.outputs) {
      const auto wanted = expected_.find(rule.array);
      if (wanted == expected_.end()) {
        return {case_id, item.id, Outcome::kSystemError,
                say("item.no_expected", {{"array", rule.array}})};
      }
      const Judgement judgement = judge_output(rule, wanted->second);
      if (judgement.pending) {
        waits = judgement;
      } else if (!judgement.passed) {
        return explained(verdict_of(case_id, item, judgement), rule);
      }
    }
    return verdict_of(case_id, item, waits);
  }

 private:
  /// Whether what happened in the range can explain the output: that range computed it, or may have where the rubric
  /// names none for it and no other output for the range.
  bool may_explain(const std::string& range, const OutputRule& rule) const {
    if (!rule.computed_in.empty()) return range == rule.computed_in;
    const auto known = computing_.find(rule.array);
    if (known != computing_.end()) return known->second.contains(range);
    return !range.empty() &&
           std::none_of(computing_.begin(), computing_.end(),
                        [&](const auto& each) { return each.second.contains(range); });
  }

  /// With the finding that explains a wrong output. Who reads before another thread has written finds nothing there, so
  /// that a race comes before what was not written.
  CaseVerdict explained(CaseVerdict verdict, const OutputRule& rule) const {
    for (const char* checker : {"memory", "sync", "padding", "race", "init"}) {
      for (const Finding& finding : facts_.trace.findings) {
        if (!may_explain(finding.range, rule) || finding.checker != checker) continue;
        verdict.because = finding_sentence(finding);
        return verdict;
      }
    }
    return verdict;
  }

  /// The same of copies that the CUDA runtime refused, and of results that did not come from a kernel.
  CaseVerdict explained(CaseVerdict verdict, const Rule& rule) const {
    std::string range;
    if (const auto* copies = std::get_if<CopiesRule>(&rule)) range = copies->range;
    if (const auto* on_device = std::get_if<OnDeviceRule>(&rule)) range = on_device->range;
    for (const Finding& finding : facts_.trace.findings) {
      const bool is_about_call = finding.kernel.empty() && !finding.at_exit;
      if (range.empty() || finding.range != range || !is_about_call) continue;
      verdict.because = finding_sentence(finding);
      break;
    }
    return verdict;
  }

  Judgement judge_output(const OutputRule& rule, const NpyArray& wanted) const {
    if (rule.judged_on == JudgedOn::kEmulated && !facts_.trace.is_counted())
      return Judgement::waits(say("waits.emulated"));
    const auto unreadable = run_.unreadable.find(rule.array);
    if (unreadable != run_.unreadable.end())
      return Judgement::failed(
          say("output.unreadable", {{"array", rule.array}, {"why", unreadable->second}}));
    if (run_.outputs.count(rule.array) == 0)
      return Judgement::failed(say("output.missing", {{"array", rule.array}}));
    const Judgement right = compare(rule, wanted, facts_);
    if (!right.passed || rule.computed_in.empty() || is_all_zeros(wanted)) return right;
    const Judgement seen = judge_rule(OnDeviceRule{rule.computed_in, rule.array, {}}, facts_);
    // What a GPU is not seen to do costs no right answer its points: the emulated device knows.
    return seen.passed || facts_.trace.is_counted()
               ? seen
               : Judgement::waits(say("waits.unseen_work", {{"why", seen.message}}));
  }

  const RangesByArray computing_;
  const RunResult& run_;
  const Arrays& expected_;
  CaseFacts facts_;
};

}  // namespace

CaseVerdict verdict_of(const std::string& case_id, const Item& item, const Judgement& judgement) {
  const auto outcome = [&] {
    if (judgement.system_error) return Outcome::kSystemError;
    if (judgement.pending) return Outcome::kPending;
    if (!judgement.passed) return Outcome::kFailed;
    return judgement.fraction < 1 ? Outcome::kPartial : Outcome::kPassed;
  };
  CaseVerdict verdict{case_id, item.id, outcome(), judgement.message};
  verdict.fraction = judgement.fraction;
  verdict.provisional = judgement.provisional;
  verdict.undecided = judgement.undecided;
  verdict.flags = judgement.flags;
  verdict.value = judgement.value;
  verdict.map = judgement.map;
  return verdict;
}

Sentence describe_end(const ProcessOutcome& process, const Limits& limits, const Trace& trace) {
  const Finding* const finding = ending(trace);
  const Filling words{"words", last_words(process)};
  const bool is_cut_short =
      process.ending == Ending::kSignalled || process.ending == Ending::kTimedOut;
  const Filling place = finding == nullptr && is_cut_short ? where_on_host(trace) : where(finding);
  const bool by_memory = finding != nullptr && finding->checker == "memory";
  switch (process.ending) {
    case Ending::kExited:
      if (process.code == 0) return {};
      return by_memory ? say("end.fault", {{"status", process.code}, words, place})
                       : say("end.status", {{"status", process.code}, words, place});
    case Ending::kSignalled:
      return process.code == SIGKILL
                 ? say("end.killed", {words, place})
                 : say("end.signal",
                       {{"signal", process.code}, {"name", strsignal(process.code)}, words, place});
    case Ending::kTimedOut:
      return say("end.time", {{"seconds", limits.wall_s}, place});
    case Ending::kMemoryExceeded:
      return say("end.memory", {{"megabytes", limits.memory_mb}});
    case Ending::kOutputExceeded:
      return say("end.output", {{"kilobytes", limits.output_kb}});
    case Ending::kSystemError:
      break;
  }
  return say("end.machine", {{"why", process.error}});
}

std::vector<CaseVerdict> judge_all(const Rubric& rubric, const std::string& case_id,
                                   Outcome outcome, const Sentence& why) {
  std::vector<CaseVerdict> verdicts;
  for (const Item& item : rubric.items) {
    if (item.is_judged_by(case_id)) verdicts.push_back({case_id, item.id, outcome, why, {}, false});
  }
  return verdicts;
}

namespace {

/// Another try ends like those before it, so none is worth waiting for; a person sees whose mistake it is.
std::vector<CaseVerdict> wait_for_crash(const Rubric& rubric, const std::string& case_id,
                                        const std::string& why) {
  std::vector<CaseVerdict> verdicts =
      judge_all(rubric, case_id, Outcome::kPending, say("waits.device_crashed"));
  for (CaseVerdict& verdict : verdicts)
    verdict.flags.push_back({"the program crashes the emulated device", why});
  return verdicts;
}

}  // namespace

Sentence spoilt_by(const RunResult& run, const Result<Trace>& trace) {
  const Finding* const found = trace ? tampering(*trace) : nullptr;
  if (found != nullptr) return say("end.harness", {found->filling("finding")});
  if (!run.endless_calls) return {};
  const bool names_one = trace && !trace->calls.empty();
  return say("end.calls", {names_one ? Filling("call", trace->calls.back().name)
                                     : Filling("call", say("doer.runtime"))});
}

Sentence bad_end_of(const RunResult& run, const Limits& limits, const Trace& trace) {
  Sentence why = describe_end(run.process, limits, trace);
  return why.empty() && is_cut_short(trace) ? say("end.early") : why;
}

CaseVerdict failed_by(const std::string& case_id, const std::string& item_id, const Sentence& end) {
  CaseVerdict verdict{case_id, item_id, Outcome::kFailed, end, {}, false};
  // Who leaves early, or never stops calling, may do so in order not to be judged.
  verdict.cut_off = !end.empty() && end.id != "end.early" && end.id != "end.calls";
  return verdict;
}

std::vector<CaseVerdict> judge_run(const Rubric& rubric, const RunStep& step, const RunResult& run,
                                   const Result<Trace>& trace, const Arrays& expected,
                                   const std::map<std::string, BaselineTimes>& baselines,
                                   const InstrumentReadings& readings, const InputReader& inputs) {
  if (run.device_crashed) return wait_for_crash(rubric, step.case_id, run.process.error);
  if (run.process.ending == Ending::kSystemError)
    return judge_all(rubric, step.case_id, Outcome::kSystemError,
                     say("end.machine", {{"why", run.process.error}}));
  if (const Sentence spoilt = spoilt_by(run, trace); !spoilt.empty())
    return judge_all(rubric, step.case_id, Outcome::kFailed, spoilt);
  if (!trace)
    return judge_all(rubric, step.case_id, Outcome::kSystemError,
                     say("end.machine", {{"why", trace.error().message}}));
  const Sentence bad_end = bad_end_of(run, step.limits, *trace);
  const CaseJudge judge(rubric, run, expected,
                        {*trace, run.outputs, step.values, baselines, readings.sanitizer,
                         readings.hardware, std::nullopt, inputs});
  std::vector<CaseVerdict> verdicts;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(step.case_id)) continue;
    verdicts.push_back(bad_end.empty() || was_finished(item, run, *trace)
                           ? judge.judge(item, step.case_id)
                           : failed_by(step.case_id, item.id, bad_end));
  }
  return verdicts;
}

}  // namespace warpgrade
