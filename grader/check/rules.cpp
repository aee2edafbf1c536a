// SPDX-License-Identifier: MIT
#include "check/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/text.h"
#include "check/call_rules.h"
#include "check/launch_rules.h"
#include "check/memory_rules.h"
#include "check/on_device.h"
#include "check/shape_rules.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

template <class T>
constexpr bool kIsAboutFindings = std::is_same_v<T, FindingsRule>;

/// Passed where there is nothing to say. What the rubric has wrong is not the program's fault.
Judgement judgement_of(Sentence broken) {
  if (broken.empty()) return {};
  Judgement judgement = Judgement::failed(std::move(broken));
  judgement.system_error = judgement.message.id == "rubric.formula";
  return judgement;
}

template <class T>
Judgement judge(const T& rule, const CaseFacts& facts) {
  if (kIsAboutFindings<T> && !facts.trace.is_counted())
    return Judgement::waits(say("waits.checkers"));
  return judgement_of(breach(rule, facts));
}

/// A launch that the race checker could not follow to its end may race, found or not.
Judgement judge(const NoFindingsRule& rule, const CaseFacts& facts) {
  if (!facts.trace.is_counted()) return Judgement::waits(say("waits.checkers"));
  Judgement judgement = judgement_of(breach(rule, facts));
  if (!judgement.passed || !contains(rule.checkers, "race")) return judgement;
  const Finding* const unchecked =
      first_finding(facts.trace, {"unchecked"}, rule.range, Outside::kCounts);
  if (unchecked == nullptr) return judgement;
  judgement = Judgement::waits(say("waits.unchecked", {unchecked->filling("what")}));
  judgement.flags.push_back({"a checker gave up", judgement.message.text});
  return judgement;
}

/// The run that shows it comes later: pipeline/withheld.h.
Judgement judge(const DependsOnRule&, const CaseFacts& facts) {
  return facts.trace.is_counted() ? Judgement() : Judgement::waits(say("waits.checkers"));
}

/// Where all GPUs are alike there is nothing to choose.
Judgement judge(const DeviceRule& rule, const CaseFacts& facts) {
  Judgement judgement = judgement_of(breach(rule, facts));
  if (!judgement.passed) return judgement;
  const std::vector<DeviceInfo>& devices = facts.trace.devices;
  const bool alike = std::all_of(devices.begin(), devices.end(), [&](const DeviceInfo& device) {
    return device.major == devices.front().major;
  });
  if (!alike || facts.trace.is_counted()) return {};
  return Judgement::waits(say("waits.one_capability"));
}

/// Where the array came from a GPU can tell, mostly.
Judgement judge(const OnDeviceRule& rule, const CaseFacts& facts) {
  Judgement judgement = judgement_of(breach(rule, facts));
  if (!judgement.passed && may_have_come_from_device(rule, facts))
    return Judgement::waits(say("waits.unchanged"));
  if (!judgement.passed) return judgement;
  if (!rule.multiply_adds || facts.trace.is_counted()) return {};
  const Result<long> wanted = rule.multiply_adds->value(facts.values);
  if (wanted && *wanted <= 0) return {};
  return Judgement::waits(say("waits.multiplications"));
}

Sentence found_by(const SanitizerRun& run) {
  Filling first("first", "");
  if (!run.findings.empty()) {
    const Sentence finding = finding_sentence(run.findings[0]);
    first.text = "; first " + finding.text;
    first.kept = finding.key();
  }
  return say("sanitizer.found", {{"tool", run.tool}, {"count", run.errors}, first});
}

/// What one tool found says more than that another could not be asked.
Judgement judge(const SanitizerRule& rule, const CaseFacts& facts) {
  std::string why_not;
  for (const std::string& tool : rule.tools) {
    const auto found = facts.sanitizer.find(tool);
    if (found == facts.sanitizer.end()) {
      why_not = "no GPU";
    } else if (!found->second.measured()) {
      why_not = found->second.why_not;
    } else if (found->second.errors > 0) {
      return Judgement::failed(found_by(found->second));
    }
  }
  return why_not.empty() ? Judgement() : Judgement::waits(say("waits.tools", {{"why", why_not}}));
}

/// Whether a GPU ran a graph in the rule's range: it does not tell which memory its kernels and copies work on.
template <class T>
bool is_about_unseen(const T& rule, const Trace& trace) {
  const auto is_in_range = [&](const auto& event) {
    if constexpr (requires { rule.range; }) return rule.range.empty() || event.range == rule.range;
    return true;
  };
  const auto is_unseen_launch = [&](const KernelLaunch& launch) {
    return launch.is_unseen && is_in_range(launch);
  };
  // A graph of which no kernel was seen is told of by its call.
  const auto is_unseen_call = [&](const ApiCall& call) {
    return call.name == "cudaGraphLaunch" && call.result == 0 && is_in_range(call);
  };
  return !trace.is_counted() &&
         (std::any_of(trace.launches.begin(), trace.launches.end(), is_unseen_launch) ||
          std::any_of(trace.calls.begin(), trace.calls.end(), is_unseen_call));
}

bool is_about_unseen(const SanitizerRule&, const Trace&) { return false; }

/// The sentence of the finding's own kind where there is one, or else that of its checker.
std::string finding_id(const Finding& finding) {
  for (const std::string& kind : {finding.id, finding.checker}) {
    const std::string id = "finding." + kind;
    if (!hidden_form({id}).empty()) return id;
  }
  return "finding.memory";
}

}  // namespace

Judgement judge_rule(const Rule& rule, const CaseFacts& facts) {
  return std::visit(
      [&](const auto& typed) {
        const Judgement judgement = judge(typed, facts);
        const bool is_broken = !judgement.passed && !judgement.pending;
        return is_broken && is_about_unseen(typed, facts.trace)
                   ? Judgement::waits(say("waits.graph"))
                   : judgement;
      },
      rule);
}

Sentence finding_sentence(const Finding& finding) {
  const std::string place =
      finding.file.empty() ? "" : fmt::format("{}:{}: ", finding.file, finding.line);
  const Sentence who =
      finding.kernel.empty()
          ? Sentence()
          : say("who.thread", {{"kernel", finding.kernel},
                               {"block", fmt::format("{}", fmt::join(finding.block, ", "))},
                               {"thread", fmt::format("{}", fmt::join(finding.thread, ", "))}});
  return say(finding_id(finding), {{"place", place}, finding.filling("what"), {"who", who}});
}

}  // namespace warpgrade
