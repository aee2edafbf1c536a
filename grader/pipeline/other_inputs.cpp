// SPDX-License-Identifier: MIT
#include "pipeline/other_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "base/npy.h"
#include "check/arrivals.h"
#include "check/compare.h"
#include "check/internal_copies.h"
#include "check/provenance.h"
#include "check/rules.h"
#include "observe/trace.h"
#include "observe/work.h"
#include "pipeline/seen_by_host.h"
#include "pipeline/swapped_cases.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// Kernels may take another way for other numbers, but not one that costs much more or less. Right answers of the course differ by
/// 6 % of their instructions at most, and by 0.3 us in short kernels.
constexpr double kMostShare = 0.125, kLeastMs = 0.0005;
constexpr const char* kComparedCounters[] = {"ptx__inst_executed.sum",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
/// A result is surely the host's where the device's answer lies so many times further from the host's.
constexpr double kSurelyNearer = 64;

using OutputsByRange = std::map<std::string, std::vector<OutputRule>>;

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
  for (const KernelLaunch* launch : launches_run_in(trace, range)) {
    if (!launch->time_ms) return 0;
    ms += launch->time_ms->value;
  }
  return ms;
}

/// The devices that the range's kernels ran on, by launch.
std::vector<int> devices_of(const Trace& trace, const std::string& range) {
  std::vector<int> devices;
  for (const KernelLaunch* launch : launches_run_in(trace, range))
    devices.push_back(launch->device);
  return devices;
}

/// Whether one is much more or less than the other.
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
      if (is_hosts && was_brought(rule)) continue;
      if (is_hosts)
        return doubt(say("device_work.hosts", {{"array", rule.array}, {"range", range_}}), true);
      return doubt(say(kOtherNumbers, {{"array", rule.array}, {"range", range_}}));
    }
    return std::nullopt;
  }

  std::optional<Doubt> of_work(const char* sentence = kOtherWay) const {
    const std::string difference = difference_of_work();
    if (difference.empty()) return std::nullopt;
    return doubt(say(sentence, {{"range", range_}, {"difference", difference}}));
  }

  std::optional<Doubt> of_what_was_seen(const std::vector<OutputRule>& outputs,
                                        const Copies& harmless) const {
    if (!has_seen_much(outputs, harmless)) return std::nullopt;
    return doubt(say(kReadBack, {{"range", range_},
                                 {"bytes", seen_bytes(other_.trace, range_, harmless)},
                                 {"allowed", allowed_bytes(outputs)}}));
  }

  bool has_seen_much(const std::vector<OutputRule>& outputs, const Copies& harmless) const {
    return seen_bytes(other_.trace, range_, harmless) > allowed_bytes(outputs);
  }

  /// Copies that brought the host an output of the range.
  void add_results(const std::vector<OutputRule>& outputs, Copies& results) const {
    long first = std::numeric_limits<long>::max();
    for (const KernelLaunch* launch : launches_in(other_.trace, range_))
      first = std::min(first, launch->seq);
    for (const OutputRule& rule : outputs) {
      const auto array = other_.run.outputs.find(rule.array);
      if (array == other_.run.outputs.end()) continue;
      for (const Arrival& arrival : arrivals_of(array->second, other_.trace, "")) {
        for (const ArrivedPart& part : arrival) {
          for (const CopiedBytes& source : *part.sources)
            if (source.copy->seq > first) results.insert(source.copy);
        }
      }
    }
  }

  Doubt doubt(Sentence why, bool is_certain = false) const {
    return {range_, std::move(why), is_certain, step_.case_id};
  }

  bool is_right(const OutputRule& rule, const Arrays& expected, const RunOnInputs& run) const {
    const auto wanted = expected.find(rule.array);
    if (wanted == expected.end() || run.run.outputs.count(rule.array) == 0) return false;
    return compare(rule, wanted->second, {run.trace, run.run.outputs, step_.values}).passed;
  }

 private:
  /// Whether the range's kernels brought the host the right result, and the host wrote its own over it, as a student does who
  /// adds the last n % block elements once more.
  bool was_brought(const OutputRule& rule) const {
    const NpyArray& wanted = other_.expected.at(rule.array);
    const CaseFacts facts{other_.trace, {}, step_.values};
    const std::vector<Arrival> arrivals = arrivals_of(wanted, other_.trace, "");
    return std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& each) {
      return not_computed(rule.array, wanted, each, range_, facts).empty();
    });
  }

  /// Empty where the range did as much in both runs.
  std::string difference_of_work() const {
    if (const auto difference =
            compare_work(work_of(same_.trace), work_of(other_.trace), Sizes::kSame))
      return in_words(*difference);
    for (const char* name : kComparedCounters) {
      const double same = counter_of(same_.trace, range_, name),
                   other = counter_of(other_.trace, range_, name);
      if (differ(same, other)) return fmt::format("{} is {:.4g} and {:.4g}", name, same, other);
    }
    // Which device is the current one may follow from what another range did, which was left out.
    if (devices_of(same_.trace, range_) != devices_of(other_.trace, range_)) return "";
    const double same_ms = time_ms_of(same_.trace, range_),
                 other_ms = time_ms_of(other_.trace, range_);
    if (!differ(same_ms, other_ms) || std::abs(same_ms - other_ms) < kLeastMs) return "";
    return fmt::format("time_ms is {:.4g} and {:.4g}", same_ms, other_ms);
  }

  uint64_t allowed_bytes(const std::vector<OutputRule>& outputs) const {
    uint64_t bytes = 0;
    for (const OutputRule& rule : outputs) {
      const auto array = other_.expected.find(rule.array);
      if (array != other_.expected.end()) bytes += bytes_view(array->second).size();
    }
    return bytes_allowed_to_be_seen(other_.input_bytes, bytes);
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

/// By array: the range that computes it, as an item says that judges the case, or else any.
std::map<std::string, std::string> ranges_by_output(const Rubric& rubric,
                                                    const std::string& case_id) {
  std::map<std::string, std::string> ranges;
  for (const bool judged : {true, false}) {
    for (const Item& item : rubric.items) {
      if (item.is_judged_by(case_id) != judged) continue;
      for (const OutputRule& rule : item.outputs)
        if (!rule.computed_in.empty()) ranges.emplace(rule.array, rule.computed_in);
      for (const Rule& rule : item.rules)
        if (const auto* on_device = std::get_if<OnDeviceRule>(&rule))
          ranges.emplace(on_device->array, on_device->range);
    }
  }
  return ranges;
}

/// The rule of each output that a range computes: of an item that judges the case, or else of any, because a case may be
/// about something else that the same kernels do.
OutputsByRange computed_outputs(const Rubric& rubric, const std::string& case_id) {
  std::map<std::string, const OutputRule*> rules;
  for (const bool judged : {true, false}) {
    for (const Item& item : rubric.items) {
      if (item.is_judged_by(case_id) != judged) continue;
      for (const OutputRule& rule : item.outputs) rules.emplace(rule.array, &rule);
    }
  }
  OutputsByRange found;
  for (const auto& [array, range] : ranges_by_output(rubric, case_id)) {
    const auto rule = rules.find(array);
    if (rule != rules.end()) found[range].push_back(*rule->second);
  }
  return found;
}

/// Those for which the inputs make something else than the others do.
OutputsByRange outputs_by_range(const Rubric& rubric, const RunStep& step, const Arrays& same,
                                const Arrays& other) {
  OutputsByRange found = computed_outputs(rubric, step.case_id);
  for (auto& [range, outputs] : found) {
    std::erase_if(outputs, [&](const OutputRule& rule) {
      const auto one = same.find(rule.array), two = other.find(rule.array);
      return one == same.end() || two == other.end() || one->second == two->second;
    });
  }
  std::erase_if(found, [](const auto& each) { return each.second.empty(); });
  return found;
}

bool have_same_outputs(const std::vector<OutputRule>& outputs, const RunResult& one,
                       const RunResult& two) {
  return std::all_of(outputs.begin(), outputs.end(), [&](const OutputRule& rule) {
    const auto first = one.outputs.find(rule.array), second = two.outputs.find(rule.array);
    const bool are_there = first != one.outputs.end() && second != two.outputs.end();
    return are_there && first->second == second->second;
  });
}

}  // namespace

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

/// Copies that tell the range nothing: they brought what the host knew, or these results of the range's own.
Copies harmless_to(const RangeComparison& comparison, const std::vector<OutputRule>& results,
                   const RunOnInputs& same, const RunOnInputs& other) {
  Copies harmless = unchanged_copies(same.trace, other.trace);
  comparison.add_results(results, harmless);
  return harmless;
}

std::vector<OutputRule> right_ones(const RangeComparison& comparison,
                                   std::vector<OutputRule> outputs, const RunOnInputs& run) {
  std::erase_if(outputs, [&](const OutputRule& rule) {
    return !comparison.is_right(rule, run.expected, run);
  });
  return outputs;
}

/// Why the work of the range that makes these outputs is not its own; `is_alone`: no other range works on the inputs.
Doubts doubts_about(const RangeComparison& comparison, const std::vector<OutputRule>& outputs,
                    const RunOnInputs& same, const RunOnInputs& other, bool is_alone) {
  Doubts doubts;
  const auto add = [&](std::optional<Doubt> doubt) {
    if (doubt) doubts.push_back(std::move(*doubt));
  };
  add(comparison.of_outputs(outputs));
  // Whether the host saw too much for wrong results is asked where this doubt would be cleared.
  const bool are_right = doubts.empty();
  add(comparison.of_work());
  if (are_right && is_alone)
    add(comparison.of_what_was_seen(
        outputs, harmless_to(comparison, right_ones(comparison, outputs, other), same, other)));
  return doubts;
}

/// Whether what the host saw counts against the range: items ask who computed its output, and no other range of the case computes
/// something of the inputs, or all of them are left out.
bool is_alone(const Rubric& rubric, const RunStep& step, const std::string& range,
              const RunOnInputs& same, const RunOnInputs& other) {
  if (!asks_who_computes(rubric, step.case_id, range)) return false;
  const OutputsByRange all = outputs_by_range(rubric, step, same.expected, other.expected);
  return std::all_of(all.begin(), all.end(), [&](const auto& each) {
    return each.first == range || step.left_out.contains(each.first);
  });
}

bool is_charged(const std::vector<OutputRule>& outputs, const RunOnInputs& run) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const OutputRule& rule) { return run.charged.contains(rule.array); });
}

/// A part that is charged to the host already says why the whole follows neither inputs. Where chance chose the case, a
/// student would lose more than the case for it by chance alone.
void leave_certain(const Rubric& rubric, Doubts& doubts) {
  std::erase_if(doubts, [&](const Doubt& doubt) {
    return !doubt.is_certain || !is_swapped(rubric, doubt.case_id);
  });
}

}  // namespace

Doubts doubts_of(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                 const RunOnInputs& other) {
  Doubts doubts;
  for (const auto& [range, outputs] : outputs_to_follow(rubric, step, same, other.expected)) {
    const RangeComparison comparison(step, range, same, other);
    if (tells_runs_apart(same.trace) || tells_runs_apart(other.trace))
      doubts.push_back(comparison.doubt(say(kApart)));
    Doubts found =
        doubts_about(comparison, outputs, same, other, is_alone(rubric, step, range, same, other));
    if (is_charged(outputs, same)) leave_certain(rubric, found);
    std::move(found.begin(), found.end(), std::back_inserter(doubts));
  }
  return doubts;
}

std::vector<RangeAlone> ranges_told_results(const Rubric& rubric, const RunStep& step,
                                            const RunOnInputs& same, const RunOnInputs& other) {
  std::vector<RangeAlone> told;
  const OutputsByRange all = outputs_by_range(rubric, step, same.expected, other.expected);
  for (const auto& [range, outputs] : outputs_to_follow(rubric, step, same, other.expected)) {
    if (!asks_who_computes(rubric, step.case_id, range)) continue;
    const RangeComparison comparison(step, range, same, other);
    if (!comparison.has_seen_much(
            outputs, harmless_to(comparison, right_ones(comparison, outputs, other), same, other)))
      continue;
    RangeAlone alone{range, {}};
    for (const auto& [each, results] : all)
      if (each != range) alone.left_out.insert(each);
    if (!alone.left_out.empty()) told.push_back(std::move(alone));
  }
  return told;
}

Doubts doubts_of_range_alone(const Rubric& rubric, const RunStep& step, const std::string& range,
                             const RunOnInputs& same, const RunOnInputs& alone) {
  const OutputsByRange by_range = outputs_to_follow(rubric, step, same, alone.expected);
  const auto found = by_range.find(range);
  if (found == by_range.end()) return {};
  Doubts doubts = doubts_about({step, range, same, alone}, found->second, same, alone, true);
  if (is_charged(found->second, same)) leave_certain(rubric, doubts);
  return doubts;
}

Doubts doubts_of_run_again(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                           const RunOnInputs& again, const std::string& range) {
  Doubts doubts;
  for (const auto& [each, outputs] : computed_outputs(rubric, step.case_id)) {
    const RangeComparison comparison(step, each, same, again);
    const std::vector<OutputRule> right = right_ones(comparison, outputs, same);
    if (right.empty() || (!range.empty() && each != range)) continue;
    const auto wrong = std::find_if(right.begin(), right.end(), [&](const OutputRule& rule) {
      return !comparison.is_right(rule, again.expected, again);
    });
    if (wrong != right.end())
      doubts.push_back(
          comparison.doubt(say(kAgainNumbers, {{"array", wrong->array}, {"range", each}})));
    if (auto doubt = comparison.of_work(kAgainWay)) doubts.push_back(std::move(*doubt));
  }
  return doubts;
}

void clear_doubts(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                  const RunOnInputs& other, const RunOnInputs& on_both, Doubts& doubts) {
  const OutputsByRange outputs = computed_outputs(rubric, step.case_id);
  std::set<std::string> cleared;
  std::erase_if(doubts, [&](const Doubt& doubt) {
    const auto its = outputs.find(doubt.range);
    const bool is_same = may_be_cleared(doubt) && its != outputs.end() &&
                         have_same_outputs(its->second, other.run, on_both.run) &&
                         !RangeComparison(step, doubt.range, on_both, other).of_work();
    if (is_same) cleared.insert(doubt.range);
    return is_same;
  });
  for (const std::string& range : cleared) {
    const bool is_doubted = std::any_of(doubts.begin(), doubts.end(),
                                        [&](const Doubt& doubt) { return doubt.range == range; });
    if (is_doubted || !is_alone(rubric, step, range, same, other)) continue;
    const RangeComparison comparison(step, range, same, other);
    const Copies harmless = harmless_to(comparison, outputs.at(range), same, other);
    if (auto seen = comparison.of_what_was_seen(outputs.at(range), harmless))
      doubts.push_back(std::move(*seen));
  }
}

}  // namespace warpgrade
