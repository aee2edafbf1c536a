// SPDX-License-Identifier: MIT
#include "pipeline/timed_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "check/compare.h"
#include "pipeline/judge.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// The items that `item` needs, and those that these need.
void add_needs(const Rubric& rubric, const Item& item, std::vector<const Item*>& found) {
  for (const std::string& id : item.needs) {
    const Item* needed = rubric.find_item(id);
    if (needed == nullptr || std::count(found.begin(), found.end(), needed) > 0) continue;
    found.push_back(needed);
    add_needs(rubric, *needed, found);
  }
}

/// `count` inputs, each as often as the others, in an order of the round's own.
std::vector<int> shuffled_inputs(size_t inputs, int count, uint64_t seed, int round) {
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i % static_cast<int>(inputs));
  std::seed_seq words{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                      static_cast<uint32_t>(round)};
  std::mt19937 random(words);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// The repetitions of a range that show less work than was judged.
constexpr int kOneInLess = 4;

}  // namespace

std::vector<OutputRule> timed_outputs(const Rubric& rubric, const std::string& case_id) {
  std::vector<const Item*> needed;
  for (const Item& item : rubric.items) {
    if (item.kind == ItemKind::kPerformance && item.is_judged_by(case_id))
      add_needs(rubric, item, needed);
  }
  // Some rules of other cases are stricter than this one's sizes allow.
  std::stable_partition(needed.begin(), needed.end(),
                        [&](const Item* item) { return item->is_judged_by(case_id); });
  std::vector<OutputRule> rules;
  for (const Item* item : needed) {
    for (const OutputRule& rule : item->outputs) {
      const bool known = std::any_of(rules.begin(), rules.end(), [&](const OutputRule& other) {
        return other.array == rule.array;
      });
      if (!known) rules.push_back(rule);
    }
  }
  // Only now: what this case leaves to the emulated device no other case's rule compares here.
  std::erase_if(rules, [](const OutputRule& rule) { return rule.judged_on != JudgedOn::kAny; });
  return rules;
}

Result<std::vector<RangeTiming>> TimedProcess::run_round(int round) {
  step_.repetitions = shuffled_inputs(data_.expected.size(), repetitions_, seed_, round);
  const RunResult run = run_patiently(runs_, step_, data_.inputs);
  gpu_trouble_ = run.gpu_trouble;
  if (run.process.ending == Ending::kSystemError) return give_up(run.process.error, true);
  const Result<Trace> trace = parse_trace(run.trace);
  if (const Sentence spoilt = spoilt_by(run, trace); !spoilt.empty())
    return give_up(spoilt.text, false);
  if (!trace) return give_up(trace.error().message, true);
  // Its driver opens a range before anything of the student's runs.
  if (trace->source != "gpu") return give_up("nothing was recorded of the program", true);
  const Sentence bad_end = describe_end(run.process, step_.limits, *trace);
  if (!bad_end.empty()) return give_up(bad_end.text, false);
  empty_range_ = trace->empty_range;
  compare_outputs(run);
  if (judged_) compare_work(trace->timings);
  return trace->timings;
}

void TimedProcess::compare_work(const std::vector<RangeTiming>& timings) {
  std::map<std::pair<int, std::string>, Work> done;
  for (const RangeTiming& timing : timings) {
    if (timing.repetition == 0 || !timing.work) continue;
    Work& all = done[{timing.repetition, timing.range}];
    all.insert(all.end(), timing.work->begin(), timing.work->end());
  }
  for (const auto& [repetition, timed] : done) {
    const Work& judged = judged_->ranges[repetition.second];
    Compared& compared = compared_[repetition.second];
    ++compared.repetitions;
    std::optional<WorkDifference> difference =
        warpgrade::compare_work(judged, timed, judged_->sizes);
    if (!difference) continue;
    const bool is_less = is_part_of(timed, judged, judged_->sizes);
    compared.less += is_less;
    std::optional<WorkDifference>& first = is_less ? compared.first_less : compared.first_other;
    if (!first) first = std::move(difference);
  }
}

std::map<std::string, WorkDifference> TimedProcess::other_work() const {
  std::map<std::string, WorkDifference> found;
  for (const auto& [range, compared] : compared_) {
    const bool lacks = compared.less > 0 && kOneInLess * compared.less >= compared.repetitions;
    if (compared.first_other)
      found.emplace(range, *compared.first_other);
    else if (lacks)
      found.emplace(range, *compared.first_less);
  }
  return found;
}

void TimedProcess::compare_outputs(const RunResult& run) {
  for (size_t i = 0; i < step_.repetitions.size() && wrong_output_.empty(); ++i) {
    const Arrays& expected = data_.expected.at(static_cast<size_t>(step_.repetitions[i]));
    const CaseFacts facts{
        {}, i < run.repetitions.size() ? run.repetitions[i] : Arrays(), step_.values};
    for (const OutputRule& rule : outputs_) {
      const auto wanted = expected.find(rule.array);
      // An array that the oracle does not give for this case is not what the time is about.
      if (wanted == expected.end()) continue;
      const Judgement judgement = compare(rule, wanted->second, facts);
      if (judgement.passed) continue;
      wrong_output_ = say("speed.wrong", {{"repetition", i + 1}, {"what", judgement.message}});
      break;
    }
  }
}

Error TimedProcess::give_up(std::string why, bool machines) {
  machine_failed_ = machines;
  return Error{std::move(why)};
}

}  // namespace warpgrade
