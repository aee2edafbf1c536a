// SPDX-License-Identifier: MIT
#include "check/launch_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.h"
#include "check/arrivals.h"
#include "check/no_launch.h"
#include "check/on_device.h"
#include "check/outside.h"
#include "check/rules.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

std::string device_text(const Trace& trace, int number) {
  const auto index = static_cast<size_t>(number);
  if (index >= trace.devices.size()) return fmt::format("device {}", number);
  const DeviceInfo& device = trace.devices[index];
  return fmt::format("device {} ({}, capability {}.{})", number, device.name, device.major,
                     device.minor);
}

bool has_major(const Trace& trace, int number, long major) {
  const auto index = static_cast<size_t>(number);
  return index < trace.devices.size() && trace.devices[index].major == major;
}

/// The last recording of an event before `until`; nullptr where there is none.
const ApiCall* recording(const Trace& trace, uint64_t event, long until) {
  const ApiCall* last = nullptr;
  for (const ApiCall* call : calls_in(trace, "", "cudaEventRecord")) {
    if (call->seq < until && call->number("event") == event) last = call;
  }
  return last;
}

bool encloses(const Trace& trace, const ApiCall& elapsed, const KernelLaunch& launch) {
  const ApiCall* start = recording(trace, elapsed.number("start"), elapsed.seq);
  const ApiCall* end = recording(trace, elapsed.number("end"), elapsed.seq);
  return start != nullptr && end != nullptr && start->seq < launch.seq && launch.seq < end->seq &&
         start->number("stream") == launch.stream && end->number("stream") == launch.stream;
}

/// Whether the host goes on only after `end` is recorded on the device. An event that was recorded
/// earlier tells nothing of that.
bool waits_for(const Trace& trace, const ApiCall& end, const ApiCall& call) {
  if (call.seq < end.seq) return false;
  if (is_read_back(call)) return true;
  if (call.result != 0) return false;
  if (call.name == "cudaEventSynchronize" || call.name == "cudaEventQuery") {
    const ApiCall* of = recording(trace, call.number("event"), call.seq);
    return of != nullptr && of->seq >= end.seq;
  }
  if (call.name == "cudaStreamSynchronize" || call.name == "cudaStreamQuery")
    return call.number("stream") == end.number("stream");
  return call.name == "cudaDeviceSynchronize" || call.name == "cudaFree";
}

/// Whether a call may stand between two events that enclose launches alone: it launches a kernel, belongs
/// to events, or asks for the error of a launch.
bool belongs_to_launches(const std::string& name) {
  constexpr const char* kBeginnings[] = {
      "cudaLaunchKernel",    "cudaLaunchCooperative", "cudaGraphLaunch",
      "cudaEventRecord",     "cudaEventCreate",       "cudaGetLastError",
      "cudaPeekAtLastError", "cudaGetError",          "cudaStreamWaitEvent"};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](const char* beginning) { return name.rfind(beginning, 0) == 0; });
}

/// Whether a call between two events puts more than the kernels' time between them. Copies and fills
/// always do; where only launches may stand there, each other call does, since the device may be idle
/// while the host makes it.
bool adds_to_the_time(const ApiCall& call, Between allowed) {
  const std::string& name = call.alike();
  const bool moves = name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset");
  return !call.transfers.empty() || (moves && call.result == 0) ||
         (allowed != Between::kNoCopies && !belongs_to_launches(call.name));
}

/// A launch of another kernel between the two; nullptr where there is none.
const KernelLaunch* other_kernel(const Trace& trace, const ApiCall& start, const ApiCall& end,
                                 const std::string& kernel) {
  for (const KernelLaunch& launch : trace.launches) {
    if (start.seq < launch.seq && launch.seq < end.seq && launch.kernel != kernel) return &launch;
  }
  return nullptr;
}

/// Why the time between two events is not the own one of `timed`: other calls or kernels between them, or
/// nothing waited for the second. Empty where it is.
Sentence flaw_of(const Trace& trace, const ApiCall& elapsed, const KernelLaunch& timed,
                 Between allowed) {
  const ApiCall* start = recording(trace, elapsed.number("start"), elapsed.seq);
  const ApiCall* end = recording(trace, elapsed.number("end"), elapsed.seq);
  if (start == nullptr || end == nullptr) return say("times.unrecorded");
  bool waited = false;
  for (const ApiCall& call : trace.calls) {
    const bool between = start->seq < call.seq && call.seq < end->seq;
    if (between && adds_to_the_time(call, allowed)) {
      const bool is_alone = allowed == Between::kOneKernel;
      return say(is_alone ? "times.between" : "times.between_kernels", {{"call", call.name}});
    }
    waited = waited || (call.seq < elapsed.seq && waits_for(trace, *end, call));
  }
  if (allowed == Between::kOneKernel) {
    const KernelLaunch* other = other_kernel(trace, *start, *end, timed.kernel);
    if (other != nullptr) return say("times.between", {{"call", other->kernel}});
  }
  return waited ? Sentence() : say("times.not_waited");
}

/// A launch with this share of the busiest launch's instructions counts as one of the busiest.
constexpr double kNearlyAll = 0.99;

constexpr const char* kInstructions = "ptx__inst_executed.sum";

double counted(const KernelLaunch& launch, const char* metric) {
  const auto found = launch.metrics.find(metric);
  return found == launch.metrics.end() ? 0 : found->second;
}

/// An atomic reads what it changes.
bool reads(const KernelLaunch& launch) {
  constexpr const char* kReading[] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                      "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                      "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"};
  return std::any_of(std::begin(kReading), std::end(kReading),
                     [&](const char* metric) { return counted(launch, metric) > 0; });
}

/// Counts the instructions of a launch as work. A launch that only writes prepares (it clears memory) where another one
/// reads, and counts none.
double instructions(const KernelLaunch& launch, bool some_read) {
  return some_read && !reads(launch) ? 0 : counted(launch, kInstructions);
}

/// The launches that do the most: what is timed, unlike a warm-up of something else, one with nothing
/// to do or a kernel that clears memory. Where no launch multiplies, the count of instructions decides.
/// Both counts differ a little between equal launches: the square root of a rare number multiplies more.
std::vector<const KernelLaunch*> heaviest(const std::vector<const KernelLaunch*>& launches) {
  const bool some_read = std::any_of(launches.begin(), launches.end(),
                                     [](const KernelLaunch* launch) { return reads(*launch); });
  double most = 0, most_instructions = 0;
  for (const KernelLaunch* launch : launches) {
    most = std::max(most, multiplications({launch}));
    most_instructions = std::max(most_instructions, instructions(*launch, some_read));
  }
  std::vector<const KernelLaunch*> found;
  for (const KernelLaunch* launch : launches) {
    const bool heavy = most > 0
                           ? multiplications({launch}) >= kNearlyAll * most
                           : instructions(*launch, some_read) >= kNearlyAll * most_instructions;
    if (heavy) found.push_back(launch);
  }
  return found;
}

/// Those of the last launch's kernel that do as much as it.
std::vector<const KernelLaunch*> like_last(std::vector<const KernelLaunch*> launches) {
  const KernelLaunch& last = *launches.back();
  const double wanted = counted(last, kInstructions);
  std::erase_if(launches, [&](const KernelLaunch* launch) {
    const double had = counted(*launch, kInstructions);
    return launch->kernel != last.kernel ||
           std::min(had, wanted) < kNearlyAll * std::max(had, wanted);
  });
  return launches;
}

/// Why no pair of events around a heaviest launch gave a time.
Sentence why_untimed(const Trace& trace, const std::vector<const ApiCall*>& measured,
                     const std::vector<const KernelLaunch*>& launches, Between allowed) {
  for (const KernelLaunch* launch : heaviest(launches)) {
    for (const ApiCall* elapsed : measured) {
      if (encloses(trace, *elapsed, *launch)) return flaw_of(trace, *elapsed, *launch, allowed);
    }
  }
  return say("times.not_enclosed", {{"kernel", heaviest(launches)[0]->kernel}});
}

/// The times that a pair of events lets a program tell: all between them where the rule takes that
/// for a time, and one launch of these.
struct PairTimes {
  double all_ms, one_ms;
  long launches;
  bool all_counts;
};

/// The times of each pair of events around heaviest launches.
std::vector<PairTimes> times_of_heaviest(const Trace& trace,
                                         const std::vector<const ApiCall*>& measured,
                                         const std::vector<const KernelLaunch*>& launches,
                                         const TimedByEventsRule& rule) {
  const std::vector<const KernelLaunch*> timed = heaviest(launches);
  std::vector<PairTimes> pairs;
  for (const ApiCall* elapsed : measured) {
    const auto is_around = [&](const KernelLaunch* launch) {
      return encloses(trace, *elapsed, *launch);
    };
    const auto around = std::count_if(timed.begin(), timed.end(), is_around);
    const auto first = std::find_if(timed.begin(), timed.end(), is_around);
    if (first == timed.end() || !flaw_of(trace, *elapsed, **first, rule.between).empty()) continue;
    // A float, as the program got it.
    const double ms = static_cast<float>(elapsed->real("ms", -1));
    pairs.push_back({ms, ms / static_cast<double>(around), around, rule.of == TimeOf::kAllOrOne});
  }
  return pairs;
}

/// As the program got it: a float.
std::string short_ms(double ms) { return fmt::format("{}", static_cast<float>(ms)); }

bool is_the_time(double told_ms, double ms) {
  return std::abs(ms - told_ms) <= 1e-5 * std::abs(ms);
}

bool tells(double told_ms, const PairTimes& pair) {
  return (pair.all_counts && is_the_time(told_ms, pair.all_ms)) ||
         is_the_time(told_ms, pair.one_ms);
}

/// Where the told time is that of several launches, and that of one is asked; else empty.
Sentence told_of_several(double told_ms, const std::vector<PairTimes>& pairs) {
  for (const PairTimes& pair : pairs) {
    if (pair.all_counts || pair.launches == 1 || !is_the_time(told_ms, pair.all_ms)) continue;
    return say("times.of_several", {{"returned", short_ms(told_ms)},
                                    {"launches", pair.launches},
                                    {"one", short_ms(pair.one_ms)}});
  }
  return {};
}

double mean_of(const std::vector<PairTimes>& pairs) {
  double sum_ms = 0;
  for (const PairTimes& pair : pairs) sum_ms += pair.one_ms;
  return sum_ms / static_cast<double>(pairs.size());
}

/// Gives each told time a pair of events that measured it, and each pair to one of them at most.
class OwnPairs {
 public:
  OwnPairs(const std::vector<double>& told_ms, const std::vector<PairTimes>& pairs)
      : told_ms_(told_ms), pairs_(pairs), owners_(pairs.size()) {}

  /// The first told time for which no pair is left.
  std::optional<size_t> first_without() {
    for (size_t index = 0; index < told_ms_.size(); ++index) {
      std::vector<bool> asked(pairs_.size());
      if (!finds_one(index, asked)) return index;
    }
    return std::nullopt;
  }

 private:
  /// Takes a free pair, or one whose owner finds another.
  bool finds_one(size_t index, std::vector<bool>& asked) {
    for (size_t pair = 0; pair < pairs_.size(); ++pair) {
      if (asked[pair] || !tells(told_ms_[index], pairs_[pair])) continue;
      asked[pair] = true;
      if (owners_[pair] && !finds_one(*owners_[pair], asked)) continue;
      owners_[pair] = index;
      return true;
    }
    return false;
  }

  const std::vector<double>& told_ms_;
  const std::vector<PairTimes>& pairs_;
  std::vector<std::optional<size_t>> owners_;
};

/// Why some pair of events around a heaviest launch gave no time; empty where each gave one.
Sentence first_flaw(const Trace& trace, const std::vector<const ApiCall*>& measured,
                    const std::vector<const KernelLaunch*>& launches, Between allowed) {
  for (const KernelLaunch* launch : heaviest(launches)) {
    for (const ApiCall* elapsed : measured) {
      if (!encloses(trace, *elapsed, *launch)) continue;
      if (Sentence flaw = flaw_of(trace, *elapsed, *launch, allowed); !flaw.empty()) return flaw;
    }
  }
  return {};
}

}  // namespace

const Finding* first_finding(const Trace& trace, const std::vector<std::string>& checkers,
                             const std::string& range, Outside outside) {
  std::set<std::string> kernels;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.range == range) kernels.insert(launch.kernel);
  }
  if (outside == Outside::kCounts) {
    for (const KernelLaunch* launch : launches_outside(trace)) kernels.insert(launch->kernel);
  }
  for (const Finding& finding : trace.findings) {
    // The race checker finds what `fences` asks for.
    const bool asked = std::any_of(checkers.begin(), checkers.end(), [&](const auto& checker) {
      return finding.checker == (checker == "fences" ? "race" : checker);
    });
    const bool here = range.empty() || (finding.range.empty() ? kernels.count(finding.kernel) != 0
                                                              : finding.range == range);
    if (asked && here) return &finding;
  }
  return nullptr;
}

Sentence breach(const DeviceRule& rule, const CaseFacts& facts) {
  const Result<long> major = rule.major.value(facts.values);
  if (!major) return uncomputable(major.error());
  const Trace& trace = facts.trace;
  for (const KernelLaunch* launch : launches_run_in(trace, "")) {
    if (has_major(trace, launch->device, *major)) continue;
    return say("device.wrong", {{"kernel", launch->kernel},
                                {"device", device_text(trace, launch->device)},
                                {"major", *major}});
  }
  if (!launches_in(trace, "").empty()) return {};
  for (size_t number = 0; number < trace.devices.size(); ++number) {
    if (!has_major(trace, static_cast<int>(number), *major)) continue;
    if (Sentence failed = why_failed(trace, ""); !failed.empty()) return failed;
    return say("device.unused",
               {{"device", device_text(trace, static_cast<int>(number))}, {"major", *major}});
  }
  return trace.devices.empty() ? say("device.none") : Sentence();
}

Sentence breach(const TimedByEventsRule& rule, const CaseFacts& facts) {
  std::vector<const KernelLaunch*> launches = launches_in(facts.trace, rule.range);
  if (launches.empty()) return why_no_launch(facts.trace, rule.range);
  if (rule.timed == TimedLaunches::kLikeLast) launches = like_last(std::move(launches));
  const auto times = facts.outputs.find(rule.time_array);
  const std::vector<double> told =
      times == facts.outputs.end() ? std::vector<double>{} : times->second.as_doubles();
  const auto index = static_cast<size_t>(rule.index);
  if (told.empty() || (rule.elements == TimedElements::kOne && index >= told.size()))
    return say("times.not_written", {{"array", rule.time_array}, {"index", rule.index}});

  const std::vector<const ApiCall*> measured =
      calls_in(facts.trace, rule.range, "cudaEventElapsedTime");
  if (measured.empty()) {
    Sentence failed = why_failed(facts.trace, rule.range);
    return failed.empty() ? say("times.no_elapsed", {{"range", rule.range}}) : failed;
  }
  const std::vector<PairTimes> pairs = times_of_heaviest(facts.trace, measured, launches, rule);
  if (pairs.empty()) return why_untimed(facts.trace, measured, launches, rule.between);
  if (rule.elements == TimedElements::kEach) {
    const std::optional<size_t> without = OwnPairs(told, pairs).first_without();
    if (!without) return {};
    if (Sentence several = told_of_several(told[*without], pairs); !several.empty()) return several;
    Sentence flaw = first_flaw(facts.trace, measured, launches, rule.between);
    return flaw.empty() ? say("times.not_own", {{"array", rule.time_array},
                                                {"index", static_cast<long>(*without)},
                                                {"returned", short_ms(told[*without])}})
                        : flaw;
  }
  const bool honest = is_the_time(told[index], mean_of(pairs)) ||
                      std::any_of(pairs.begin(), pairs.end(),
                                  [&](const PairTimes& pair) { return tells(told[index], pair); });
  if (honest) return {};
  if (Sentence several = told_of_several(told[index], pairs); !several.empty()) return several;
  return say("times.other",
             {{"returned", short_ms(told[index])}, {"measured", short_ms(pairs.front().all_ms)}});
}

namespace {

/// The calls that ask for a time between two events, answered or too early.
std::vector<const ApiCall*> asked_times(const Trace& trace, const std::string& range) {
  constexpr int kNotReady = 600;
  std::vector<const ApiCall*> found;
  for (const ApiCall& call : trace.calls) {
    const bool is_answered = call.result == 0 || call.result == kNotReady;
    if (call.name == "cudaEventElapsedTime" && call.range == range && is_answered)
      found.push_back(&call);
  }
  return found;
}

}  // namespace

Sentence breach(const WarmedUpRule& rule, const CaseFacts& facts) {
  const std::vector<const KernelLaunch*> launches = launches_in(facts.trace, rule.range);
  if (launches.empty()) return why_no_launch(facts.trace, rule.range);
  const ApiCall* start = nullptr;  // the first event of all that are compared
  const KernelLaunch* first = nullptr;
  for (const ApiCall* elapsed : asked_times(facts.trace, rule.range)) {
    const ApiCall* begins = recording(facts.trace, elapsed->number("start"), elapsed->seq);
    if (begins != nullptr && (start == nullptr || begins->seq < start->seq)) start = begins;
    for (const KernelLaunch* launch : launches) {
      if (first == nullptr && encloses(facts.trace, *elapsed, *launch)) first = launch;
    }
  }
  if (start == nullptr) {
    Sentence failed = why_failed(facts.trace, rule.range);
    return failed.empty() ? say("warm.untimed", {{"range", rule.range}}) : failed;
  }
  const bool warm = std::any_of(launches.begin(), launches.end(), [&](const KernelLaunch* launch) {
    return launch->seq < start->seq && (first == nullptr || launch->kernel == first->kernel);
  });
  if (warm) return {};
  return say("warm.cold", {{"kernel", (first == nullptr ? launches[0] : first)->kernel}});
}

Sentence breach(const NoFindingsRule& rule, const CaseFacts& facts) {
  const Finding* found = first_finding(facts.trace, rule.checkers, rule.range, Outside::kCounts);
  return found == nullptr ? Sentence() : finding_sentence(*found);
}

Sentence breach(const FindingsRule& rule, const CaseFacts& facts) {
  if (launches_in(facts.trace, rule.range).empty()) return why_no_launch(facts.trace, rule.range);
  if (first_finding(facts.trace, rule.checkers, rule.range, Outside::kLeftOut) != nullptr)
    return {};
  return say("findings.none", {{"checkers", join(rule.checkers, " or ")}, {"range", rule.range}});
}

}  // namespace warpgrade
