// SPDX-License-Identifier: MIT
#include "pipeline/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "check/compare.h"
#include "check/metric.h"
#include "check/rules.h"

namespace warpgrade {
namespace {

/// The last line that a program wrote to its standard error, which is where it says why it gave up.
std::string last_words(const std::string& err) {
  const std::string line = split(trim(err), '\n').back();
  return line.empty() ? "" : fmt::format(": {}", printable(line.substr(0, 200)));
}

/// What ended a run: the first thing wrong with the kernel that was the last in which something was.
std::string where(const Trace& trace) {
  const auto last = std::find_if(trace.findings.rbegin(), trace.findings.rend(), may_end_a_run);
  if (last == trace.findings.rend()) return "";
  const auto first =
      std::find_if(trace.findings.begin(), trace.findings.end(), [&](const Finding& finding) {
        return may_end_a_run(finding) && finding.checker == last->checker &&
               finding.kernel == last->kernel;
      });
  return fmt::format(" ({})", describe_finding(*first));
}

/// Whether all that the item is judged by was there before the program came to a bad end. Of what a
/// program did on its device, only where a finished output came from is judged from half a run, and
/// only where the record of the run is whole.
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

/// The kind of a bad end, without a word of the program's.
std::string category_of_end(const ProcessOutcome& process) {
  switch (process.ending) {
    case Ending::kExited:
      return process.code == 0 ? "" : "the program ended with an error";
    case Ending::kSignalled:
      return process.code == SIGKILL ? "the program was killed" : "the program crashed";
    case Ending::kTimedOut:
      return "the program did not end in time";
    case Ending::kMemoryExceeded:
      return "the program took more memory than it may use";
    case Ending::kOutputExceeded:
      return "the program wrote more than it may";
    case Ending::kSystemError:
      break;
  }
  return "";
}

CaseVerdict in_category(CaseVerdict verdict, std::string category) {
  verdict.category = std::move(category);
  return verdict;
}

bool is_all_zeros(const NpyArray& array) {
  return std::all_of(array.bytes.begin(), array.bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

bool is_for_tools(const Rule& rule) { return std::holds_alternative<SanitizerRule>(rule); }

/// Judges the items of one case from what its run left behind.
class CaseJudge {
 public:
  CaseJudge(const RunResult& run, const Arrays& expected, CaseFacts facts)
      : run_(run), expected_(expected), facts_(std::move(facts)) {}

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
        return in_category(verdict_of(case_id, item, judgement), category_of(rule));
      // Where an item waits for a GPU's tools, the emulated device has judged all else that it asks.
      if (judgement.pending && (is_for_tools(rule) || !asks_tools)) waits = judgement;
    }
    for (const OutputRule& rule : item.outputs) {
      const auto wanted = expected_.find(rule.array);
      if (wanted == expected_.end()) {
        return {case_id, item.id, Outcome::kSystemError,
                fmt::format("the oracle gives no {} for this case", rule.array)};
      }
      const Judgement judgement = judge_output(rule, wanted->second);
      if (judgement.pending) {
        waits = judgement;
      } else if (!judgement.passed) {
        return in_category(verdict_of(case_id, item, judgement), category_of(rule, wanted->second));
      }
    }
    return verdict_of(case_id, item, waits);
  }

 private:
  static std::string category_of(const Rule& rule) {
    return std::holds_alternative<NoFindingsRule>(rule) || is_for_tools(rule)
               ? "a checker found a mistake"
               : "what is asked for was not seen";
  }

  std::string category_of(const OutputRule& rule, const NpyArray& wanted) const {
    if (run_.unreadable.count(rule.array) != 0) return "the result cannot be read";
    if (run_.outputs.count(rule.array) == 0) return "the program ended before writing its result";
    return compare(rule, wanted, facts_).passed ? "the result is right, but no kernel computed it"
                                                : "the result is wrong";
  }

  Judgement judge_output(const OutputRule& rule, const NpyArray& wanted) const {
    if (rule.judged_on == JudgedOn::kEmulated && !facts_.trace.is_counted())
      return Judgement::waits("judged on the emulated device alone");
    const auto unreadable = run_.unreadable.find(rule.array);
    if (unreadable != run_.unreadable.end()) return Judgement::failed(unreadable->second);
    if (run_.outputs.count(rule.array) == 0)
      return Judgement::failed(fmt::format("the program ended before writing {}", rule.array));
    const Judgement right = compare(rule, wanted, facts_);
    if (!right.passed || rule.computed_in.empty() || is_all_zeros(wanted)) return right;
    const Judgement seen = judge_rule(OnDeviceRule{rule.computed_in, rule.array, {}}, facts_);
    // What a GPU is not seen to do costs no right answer its points: the emulated device knows.
    return seen.passed || facts_.trace.is_counted() ? seen : Judgement::waits(seen.message);
  }

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
  return verdict;
}

std::string describe_end(const ProcessOutcome& process, const Limits& limits, const Trace& trace) {
  switch (process.ending) {
    case Ending::kExited:
      return process.code == 0 ? ""
                               : fmt::format("the program ended with status {}{}{}", process.code,
                                             last_words(process.err), where(trace));
    case Ending::kSignalled:
      if (process.code == SIGKILL) return "the program was killed by signal 9, before it had ended";
      return fmt::format("the program crashed with signal {}, {}{}{}", process.code,
                         strsignal(process.code), last_words(process.err), where(trace));
    case Ending::kTimedOut:
      return fmt::format("stopped after {} s, before the program had ended{}", limits.wall_s,
                         where(trace));
    case Ending::kMemoryExceeded:
      return fmt::format("the program took more than the {} MB of memory it may use",
                         limits.memory_mb);
    case Ending::kOutputExceeded:
      return fmt::format(
          "the program wrote more than the {} KB of text it may print, or files that are too large "
          "or too many",
          limits.output_kb);
    case Ending::kSystemError:
      break;
  }
  return process.error;
}

std::vector<CaseVerdict> judge_all(const Rubric& rubric, const std::string& case_id,
                                   Outcome outcome, const std::string& why,
                                   const std::string& category) {
  std::vector<CaseVerdict> verdicts;
  for (const Item& item : rubric.items) {
    if (item.is_judged_by(case_id))
      verdicts.push_back(in_category({case_id, item.id, outcome, why, false}, category));
  }
  return verdicts;
}

std::optional<Spoilt> spoilt_by(const RunResult& run, const Result<Trace>& trace) {
  const std::string forged = "the program wrote to the grader's record of what it did";
  if (!run.forged.empty()) return Spoilt{fmt::format("{}: {}", forged, run.forged), forged};
  const Finding* const found = trace ? tampering(*trace) : nullptr;
  if (found != nullptr)
    return Spoilt{found->message, "the program meddled with the grader's means"};
  if (run.endless_calls)
    return Spoilt{"the program never ended: it called the CUDA runtime again and again",
                  "the program never ended"};
  return std::nullopt;
}

std::vector<CaseVerdict> judge_run(const Rubric& rubric, const RunStep& step, const RunResult& run,
                                   const Result<Trace>& trace, const Arrays& expected,
                                   const std::map<std::string, BaselineTimes>& baselines,
                                   const InstrumentReadings& readings) {
  if (run.process.ending == Ending::kSystemError)
    return judge_all(rubric, step.case_id, Outcome::kSystemError, run.process.error);
  if (const std::optional<Spoilt> spoilt = spoilt_by(run, trace))
    return judge_all(rubric, step.case_id, Outcome::kFailed, spoilt->why, spoilt->category);
  if (!trace) return judge_all(rubric, step.case_id, Outcome::kSystemError, trace.error().message);
  std::string bad_end = describe_end(run.process, step.limits, *trace);
  std::string category = category_of_end(run.process);
  if (bad_end.empty() && is_cut_short(*trace)) {
    bad_end = "the program left by _exit(), before the record of what it did was complete";
    category = "the program left by _exit()";
  }
  const CaseJudge judge(
      run, expected,
      {*trace, run.outputs, step.values, baselines, readings.sanitizer, readings.hardware});
  std::vector<CaseVerdict> verdicts;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(step.case_id)) continue;
    if (bad_end.empty() || was_finished(item, run, *trace)) {
      verdicts.push_back(judge.judge(item, step.case_id));
    } else {
      verdicts.push_back(
          in_category({step.case_id, item.id, Outcome::kFailed, bad_end, false}, category));
    }
  }
  return verdicts;
}

}  // namespace warpgrade
