// SPDX-License-Identifier: MIT
#include "pipeline/other_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/npy.h"
#include "check/arrivals.h"
#include "check/compare.h"
#include "check/internal_copies.h"
#include "check/rules.h"
#include "observe/work.h"
#include "pipeline/faults.h"
#include "pipeline/judge.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr const char *kOtherNumbers = "waits.other_numbers", *kOtherWay = "waits.other_way",
                     *kReadBack = "waits.read_back", *kCarried = "waits.carried";

/// Kernels may take another way for other numbers, but not one that costs much more or less.
constexpr double kMostShare = 0.25;
constexpr const char* kComparedCounters[] = {"ptx__inst_executed.sum",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
/// A result is surely the host's where the device's answer lies so many times further from the host's.
constexpr double kSurelyNearer = 64;
/// Sizes, sums and errors that a program looks at while it works, and sums of blocks.
constexpr uint64_t kSeenSlackBytes = 256, kSeenPartOfInputs = 32;

using Copies = std::set<const ApiCall*>;
using OutputsByRange = std::map<std::string, std::vector<OutputRule>>;

/// A copy to the host, whatever makes it: a call, a node of a graph, an array's.
bool shows_the_device(const ApiCall& call) {
  return call.result == 0 && call.text("direction") == "DtoH" && !call.args.contains("captured");
}

/// What the host has seen of the device while it could still send the range's kernels something. What comes later
/// comes too late for the result.
uint64_t seen_bytes(const Trace& trace, const std::string& range, const Copies& harmless) {
  uint64_t bytes = 0;
  long last = 0;
  for (const KernelLaunch* launch : launches_in(trace, range)) last = std::max(last, launch->seq);
  for (const ApiCall& call : trace.calls) {
    if (call.seq > last) continue;
    // Several copies in one call, of which the last may have failed, and copies of arrays.
    bytes += call.number("moved");
    if (call.result != 0) continue;
    bytes += call.number("shown");
    // The time that a kernel takes depends on what it reads.
    if (call.name.starts_with("cudaEventElapsedTime")) bytes += sizeof(float);
    if (shows_the_device(call) && harmless.count(&call) == 0) bytes += bytes_of(call);
  }
  return bytes;
}

bool moved_the_same(const ApiCall& one, const ApiCall& other) {
  const std::string hash = one.text("content_hash");
  // The hash is one copy's, where a call makes several.
  const bool are_single = !one.args.contains("moved") && !other.args.contains("moved");
  return are_single && !hash.empty() && hash == other.text("content_hash") &&
         bytes_of(one) == bytes_of(other) && one.words("row_hashes") == other.words("row_hashes");
}

/// Copies that brought the host what the copy at the same place of the same range of the run on its own inputs brought:
/// they tell nothing of the device's.
void add_unchanged(const Trace& same, const Trace& other, Copies& unchanged) {
  const auto read_back = [](const Trace& trace) {
    std::map<std::string, std::vector<const ApiCall*>> copies;
    for (const ApiCall& call : trace.calls)
      if (shows_the_device(call)) copies[call.range].push_back(&call);
    return copies;
  };
  const auto sames = read_back(same);
  for (const auto& [range, others] : read_back(other)) {
    const auto found = sames.find(range);
    const size_t both = found == sames.end() ? 0 : std::min(found->second.size(), others.size());
    for (size_t i = 0; i < both; ++i)
      if (moved_the_same(*found->second[i], *others[i])) unchanged.insert(others[i]);
  }
}

uint64_t swapped_bytes(const Trace& trace) {
  uint64_t bytes = 0;
  for (const ApiCall& call : trace.calls) bytes += call.number("swapped");
  return bytes;
}

double counter_of(const Trace& trace, const std::string& range, const char* name) {
  double sum = 0;
  for (const KernelLaunch& launch : trace.launches) {
    const auto found = launch.metrics.find(name);
    if (launch.range == range && found != launch.metrics.end()) sum += found->second;
  }
  return sum;
}

/// The time of the range's kernels, as a model or a GPU says; 0 where neither does.
double time_ms_of(const Trace& trace, const std::string& range) {
  double ms = internal_copies_ms(trace, range);
  for (const KernelLaunch* launch : launches_in(trace, range)) {
    if (!launch->time_ms) return 0;
    ms += launch->time_ms->value;
  }
  return ms;
}

/// Whether one is a quarter more or less than the other.
bool differ(double one, double other) {
  return std::abs(one - other) > kMostShare * std::max(one, other);
}

/// Whether more than luck makes a result the host's answer. By luck a wrong sum comes near it, and kernels that compute
/// nothing leave 0, 1 or -1, which may be the host's answer in one case. Only elements whose two answers differ count.
bool is_surely_the_hosts(const NpyArray& hosts, const NpyArray& devices, const NpyArray& result) {
  const std::vector<double> one = hosts.as_doubles(), other = devices.as_doubles(),
                            got = result.as_doubles();
  if (got.size() != one.size() || other.size() != one.size()) return true;
  double off = 0, apart = 0;
  bool is_poor = true;
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    off += std::abs(got[i] - one[i]);
    apart += std::abs(other[i] - one[i]);
    is_poor = is_poor && (one[i] == 0 || std::abs(one[i]) == 1);
  }
  return !is_poor && off * kSurelyNearer <= apart;
}

/// Compares the two runs of one case for one range.
class RangeComparison {
 public:
  RangeComparison(const RunStep& step, std::string range, const RunOnInputs& same,
                  const RunOnInputs& other)
      : step_(step), range_(std::move(range)), same_(same), other_(other) {}

  /// Nothing where the outputs follow the device's inputs.
  std::optional<Doubt> of_outputs(const std::vector<OutputRule>& outputs) const {
    for (const OutputRule& rule : outputs) {
      if (is_right(rule, other_.expected, other_)) continue;
      const bool is_hosts =
          swapped_bytes(other_.trace) > 0 && is_right(rule, same_.expected, other_) &&
          is_surely_the_hosts(same_.expected.at(rule.array), other_.expected.at(rule.array),
                              other_.run.outputs.at(rule.array));
      if (is_hosts)
        return Doubt{say("device_work.hosts", {{"array", rule.array}, {"range", range_}}), true};
      return Doubt{say(kOtherNumbers, {{"array", rule.array}, {"range", range_}})};
    }
    return std::nullopt;
  }

  std::optional<Doubt> of_work() const {
    if (const auto difference =
            compare_work(work_of(same_.trace), work_of(other_.trace), Sizes::kSame))
      return Doubt{say(kOtherWay, {{"range", range_}, {"difference", in_words(*difference)}})};
    for (const char* name : kComparedCounters) {
      const double same = counter_of(same_.trace, range_, name),
                   other = counter_of(other_.trace, range_, name);
      if (differ(same, other)) return other_way(name, same, other);
    }
    const double same_ms = time_ms_of(same_.trace, range_),
                 other_ms = time_ms_of(other_.trace, range_);
    if (differ(same_ms, other_ms)) return other_way("time_ms", same_ms, other_ms);
    return std::nullopt;
  }

  std::optional<Doubt> of_what_was_seen(const Copies& harmless) const {
    if (!has_seen_much(harmless)) return std::nullopt;
    return Doubt{say(kReadBack, {{"range", range_},
                                 {"bytes", seen_bytes(other_.trace, range_, harmless)},
                                 {"allowed", allowed_bytes()}})};
  }

  bool has_seen_much(const Copies& harmless) const {
    return seen_bytes(other_.trace, range_, harmless) > allowed_bytes();
  }

  /// Copies that brought the host an output of the range that is right.
  void add_results(const std::vector<OutputRule>& outputs, Copies& results) const {
    long first = std::numeric_limits<long>::max();
    for (const KernelLaunch* launch : launches_in(other_.trace, range_))
      first = std::min(first, launch->seq);
    for (const OutputRule& rule : outputs) {
      if (!is_right(rule, other_.expected, other_)) continue;
      const NpyArray& array = other_.run.outputs.at(rule.array);
      for (const Arrival& arrival : arrivals_of(array, other_.trace, "")) {
        for (const ArrivedPart& part : arrival) {
          for (const CopiedBytes& source : *part.sources)
            if (source.copy->seq > first) results.insert(source.copy);
        }
      }
    }
  }

  bool is_right(const OutputRule& rule, const Arrays& expected, const RunOnInputs& run) const {
    const auto wanted = expected.find(rule.array);
    if (wanted == expected.end() || run.run.outputs.count(rule.array) == 0) return false;
    return compare(rule, wanted->second, {run.trace, run.run.outputs, step_.values}).passed;
  }

 private:
  Doubt other_way(const char* name, double same, double other) const {
    return {say(kOtherWay,
                {{"range", range_},
                 {"difference", fmt::format("{} is {:.4g} and {:.4g}", name, same, other)}})};
  }

  uint64_t allowed_bytes() const {
    return kSeenSlackBytes + other_.input_bytes / kSeenPartOfInputs;
  }

  Work work_of(const Trace& trace) const {
    const WorkByRange all = work_by_range(trace);
    const auto found = all.find(range_);
    return found == all.end() ? Work() : found->second;
  }

  const RunStep& step_;
  const std::string range_;
  const RunOnInputs& same_;
  const RunOnInputs& other_;
};

/// By array: the range that computes it, as the items of the case say.
std::map<std::string, std::string> computing_ranges(const Rubric& rubric, const RunStep& step) {
  std::map<std::string, std::string> ranges;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(step.case_id)) continue;
    for (const OutputRule& rule : item.outputs)
      if (!rule.computed_in.empty()) ranges[rule.array] = rule.computed_in;
    for (const Rule& rule : item.rules)
      if (const auto* on_device = std::get_if<OnDeviceRule>(&rule))
        ranges[on_device->array] = on_device->range;
  }
  return ranges;
}

/// Outputs of the case by the range that computes them, each once, where other inputs make others.
OutputsByRange outputs_by_range(const Rubric& rubric, const RunStep& step, const Arrays& same,
                                const Arrays& other) {
  const std::map<std::string, std::string> ranges = computing_ranges(rubric, step);
  OutputsByRange found;
  std::set<std::string> known;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(step.case_id)) continue;
    for (const OutputRule& rule : item.outputs) {
      const auto one = same.find(rule.array), two = other.find(rule.array);
      const auto range = ranges.find(rule.array);
      if (range == ranges.end() || one == same.end() || two == other.end()) continue;
      if (one->second == two->second || !known.insert(rule.array).second) continue;
      found[range->second].push_back(rule);
    }
  }
  return found;
}

bool have_same_outputs(const std::set<std::string>& arrays, const RunResult& one,
                       const RunResult& two) {
  return std::all_of(arrays.begin(), arrays.end(), [&](const std::string& array) {
    const auto first = one.outputs.find(array), second = two.outputs.find(array);
    const bool are_there = first != one.outputs.end() && second != two.outputs.end();
    return are_there && first->second == second->second;
  });
}

}  // namespace

bool is_swapped(const Rubric& rubric, const std::string& case_id) {
  const Case* const found = rubric.find_case(case_id);
  return found != nullptr &&
         std::find(found->kinds.begin(), found->kinds.end(), "swapped") != found->kinds.end();
}

std::set<std::string> charged_outputs(const std::vector<CaseVerdict>& verdicts) {
  std::set<std::string> charged;
  for (const CaseVerdict& verdict : verdicts) {
    if (verdict.status != Outcome::kFailed || !verdict.message.id.starts_with("device_work."))
      continue;
    const auto array = verdict.message.args.find("array");
    if (array != verdict.message.args.end()) charged.insert(array->second);
  }
  return charged;
}

namespace {

/// The outputs of each range that are to follow the device's inputs: those that were right on the case's own.
OutputsByRange outputs_to_follow(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                                 const Arrays& others) {
  OutputsByRange by_range = outputs_by_range(rubric, step, same.expected, others);
  for (auto& [range, outputs] : by_range) {
    const RangeComparison comparison(step, range, same, same);
    std::erase_if(outputs, [&](const OutputRule& rule) {
      return !comparison.is_right(rule, same.expected, same);
    });
  }
  std::erase_if(by_range, [](const auto& each) { return each.second.empty(); });
  return by_range;
}

/// Copies that tell the range nothing: they brought what the host knew, or the range's own result.
Copies harmless_to(const RangeComparison& comparison, const std::vector<OutputRule>& outputs,
                   const RunOnInputs& same, const RunOnInputs& other) {
  Copies harmless;
  add_unchanged(same.trace, other.trace, harmless);
  comparison.add_results(outputs, harmless);
  return harmless;
}

/// Why the work of the range that makes these outputs is not its own; `is_alone`: no other range works on the inputs.
std::optional<Doubt> doubt_of(const RangeComparison& comparison,
                              const std::vector<OutputRule>& outputs, const RunOnInputs& same,
                              const RunOnInputs& other, bool is_alone) {
  std::optional<Doubt> doubt = comparison.of_outputs(outputs);
  if (!doubt) doubt = comparison.of_work();
  if (!doubt && is_alone)
    doubt = comparison.of_what_was_seen(harmless_to(comparison, outputs, same, other));
  return doubt;
}

}  // namespace

Doubts doubts_of(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                 const RunOnInputs& other) {
  Doubts doubts;
  const bool is_alone = outputs_by_range(rubric, step, same.expected, other.expected).size() == 1;
  for (const auto& [range, outputs] : outputs_to_follow(rubric, step, same, other.expected)) {
    auto doubt = doubt_of({step, range, same, other}, outputs, same, other, is_alone);
    // A part that is charged to the host already says why the whole follows neither inputs.
    const bool is_charged =
        std::any_of(outputs.begin(), outputs.end(),
                    [&](const OutputRule& rule) { return same.charged.contains(rule.array); });
    if (doubt && (doubt->is_certain || !is_charged)) doubts.emplace(range, std::move(*doubt));
  }
  return doubts;
}

std::vector<RangeAlone> ranges_told_results(const Rubric& rubric, const RunStep& step,
                                            const RunOnInputs& same, const RunOnInputs& other) {
  std::vector<RangeAlone> told;
  const OutputsByRange all = outputs_by_range(rubric, step, same.expected, other.expected);
  for (const auto& [range, outputs] : outputs_to_follow(rubric, step, same, other.expected)) {
    const RangeComparison comparison(step, range, same, other);
    if (!comparison.has_seen_much(harmless_to(comparison, outputs, same, other))) continue;
    RangeAlone alone{range, {}};
    for (const auto& [each, results] : all)
      if (each != range) alone.left_out.insert(each);
    if (!alone.left_out.empty()) told.push_back(std::move(alone));
  }
  return told;
}

std::optional<Doubt> doubt_of_range_alone(const Rubric& rubric, const RunStep& step,
                                          const std::string& range, const RunOnInputs& same,
                                          const RunOnInputs& alone) {
  const OutputsByRange by_range = outputs_to_follow(rubric, step, same, alone.expected);
  const auto found = by_range.find(range);
  if (found == by_range.end()) return std::nullopt;
  return doubt_of({step, range, same, alone}, found->second, same, alone, true);
}

bool is_waiting_doubt(const Sentence& why) {
  return why.id == kOtherNumbers || why.id == kOtherWay || why.id == kReadBack ||
         why.id == kCarried;
}

bool may_be_cleared(const Doubt& doubt) {
  return !doubt.is_certain && (doubt.why.id == kOtherNumbers || doubt.why.id == kOtherWay);
}

void clear_doubts(const Rubric& rubric, const RunStep& step, const RunOnInputs& other,
                  const RunOnInputs& on_both, Doubts& doubts) {
  std::map<std::string, std::set<std::string>> arrays;
  for (const auto& [array, range] : computing_ranges(rubric, step)) arrays[range].insert(array);
  std::erase_if(doubts, [&](const auto& each) {
    const auto& [range, doubt] = each;
    return may_be_cleared(doubt) && have_same_outputs(arrays[range], other.run, on_both.run) &&
           !RangeComparison(step, range, on_both, other).of_work();
  });
}

Doubts carried_work(const Trace& trace) {
  Doubts doubts;
  for (const Finding& finding : trace.findings) {
    if (finding.checker == "carried")
      doubts[finding.range] = {say(kCarried, {finding.filling("what")})};
  }
  return doubts;
}

void add_doubts(Doubts more, Doubts& all) {
  for (auto& [range, doubt] : more) {
    Doubt& known = all[range];
    if (known.why.empty() || doubt.is_certain) known = std::move(doubt);
  }
}

void cast_doubts(const Rubric& rubric, const Doubts& doubts, std::vector<CaseVerdict>& verdicts) {
  for (CaseVerdict& verdict : verdicts) {
    const bool earns = verdict.status == Outcome::kPassed || verdict.status == Outcome::kPartial;
    const Item* const item = rubric.find_item(verdict.item_id);
    if (!earns || item == nullptr) continue;
    for (const std::string& range : ranges_of(*item)) {
      const auto doubt = doubts.find(range);
      if (doubt == doubts.end()) continue;
      const Sentence& why = doubt->second.why;
      Judgement judgement = Judgement::waits(why);
      if (doubt->second.is_certain) judgement = Judgement::failed(why);
      judgement.flags.push_back({"result may not come from what kernels read", why.text});
      verdict = verdict_of(verdict.case_id, *item, judgement);
      break;
    }
  }
}

}  // namespace warpgrade
