// SPDX-License-Identifier: MIT
#include "pipeline/repeated_runs.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "base/remove_tree.h"
#include "check/array_folder.h"
#include "pipeline/derived_outputs.h"
#include "pipeline/held_inputs.h"

namespace warpgrade {
namespace {

constexpr std::chrono::seconds kInputsPatience{10};  // with a folder of ours

/// Nothing where our own folders cannot be read.
std::vector<Arrays> read_held_inputs(const Trace& other, const CaseData& data,
                                     const CaseData& others) {
  const Result<Arrays> given = read_arrays(RealFiles(), data.inputs),
                       swapped = read_arrays(RealFiles(), others.inputs);
  if (!given || !swapped) return {};
  return inputs_that_may_be_held(other, *given, *swapped);
}

uint64_t bytes_of_inputs(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed))
    bytes += each.file_size(failed);
  return bytes;
}

void append(Doubts& all, Doubts more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Trace trace_of(const RunResult& run) {
  Result<Trace> trace = parse_trace(run.trace);
  return trace ? std::move(*trace) : Trace();
}

/// Calls both in an order that no program can foresee.
template <class First, class Second>
void in_any_order(const First& one, const Second& other) {
  const bool is_first = std::random_device()() % 2 == 0;
  if (is_first) one();
  other();
  if (!is_first) one();
}

bool has_some_to_clear(const Doubts& doubts) {
  return std::any_of(doubts.begin(), doubts.end(), may_be_cleared);
}

}  // namespace

/// A case with its own inputs and with others.
struct RepeatedRuns::Swap {
  const CaseData& data;
  const CaseData& others;
  const RunOnInputs& same;
};

RunResult RepeatedRuns::run(const OtherInputs& changes, const fs::path& inputs,
                            const RunStep& step) const {
  return run_patiently(
      *with_derived_outputs(runner_.open(place_, changes), cases_.oracle(), derived_folder(place_)),
      step, inputs);
}

void RepeatedRuns::run_swapped(const Swap& swap, const RunStep& step, const Judge& judge) const {
  const OtherInputs changes{swap.data.inputs, swap.others.inputs, swap.others.has_new_elements};
  const RunResult other = run(changes, swap.data.inputs, step);
  const Trace trace = trace_of(other);
  judge({other, trace, swap.others.expected, bytes_of_inputs(swap.others.inputs)});
}

/// Where the host, too, has what the device held, an honest program does just what it did with its host's own.
void RepeatedRuns::clear(const Swap& swap, const RunStep& step, const RunOnInputs& other,
                         Doubts& doubts) const {
  if (!has_some_to_clear(doubts)) return;
  for (const Arrays& held : read_held_inputs(other.trace, swap.data, swap.others)) {
    const fs::path inputs = place_.folder.string() + "-held-inputs";
    if (!has_some_to_clear(doubts) || !write_arrays(inputs, held)) break;
    const RunResult on_both = run(OtherInputs{}, inputs, step);
    const Trace trace = trace_of(on_both);
    clear_doubts(rubric_, step, swap.same, other, {on_both, trace, swap.others.expected}, doubts);
    remove_tree(inputs, kInputsPatience);
  }
}

Doubts RepeatedRuns::run_control(const CaseRuns& ran, const RunStep& step,
                                 const std::string& range) const {
  const Result<CaseData>& data = cases_.get(step.case_id);
  if (!data || !ran.last_trace) return {};
  const RunResult again = run(OtherInputs{}, data->inputs, step);
  // A busy machine, and not the program, may have used up the time.
  const bool is_machines = again.process.ending == Ending::kSystemError && !again.device_crashed;
  if (again.process.ending == Ending::kTimedOut || is_machines) return {};
  const Trace trace = trace_of(again);
  return doubts_of_run_again(rubric_, step, {ran.last, *ran.last_trace, data->expected},
                             {again, trace, data->expected}, range);
}

Doubts RepeatedRuns::on_other_inputs(const CaseRuns& ran,
                                     const std::set<std::string>& charged) const {
  const RunStep& step = ran.last_step;
  const Result<CaseData>&data = cases_.get(step.case_id), &others = cases_.get_other(step.case_id);
  if (!ran.last_trace || !data || !others) return {};
  const RunOnInputs same{ran.last, *ran.last_trace, data->expected, 0, charged};
  const Swap swap{*data, *others, same};
  Doubts doubts;
  std::vector<RangeAlone> told;
  const auto swapped = [&] {
    run_swapped(swap, step, [&](const RunOnInputs& other) {
      Doubts found = doubts_of(rubric_, step, same, other);
      told = ranges_told_results(rubric_, step, same, other);
      clear(swap, step, other, found);
      append(doubts, std::move(found));
    });
  };
  in_any_order(swapped, [&] { append(doubts, run_control(ran, step, "")); });
  for (const RangeAlone& each : told) {
    RunStep alone = step;
    alone.left_out.insert(each.left_out.begin(), each.left_out.end());
    const auto swapped_alone = [&] {
      run_swapped(swap, alone, [&](const RunOnInputs& other) {
        Doubts found = doubts_of_range_alone(rubric_, alone, each.range, same, other);
        clear(swap, alone, other, found);
        append(doubts, std::move(found));
      });
    };
    in_any_order(swapped_alone, [&] { append(doubts, run_control(ran, alone, each.range)); });
  }
  return doubts;
}

Doubts RepeatedRuns::without_dependence(const DependsOnRule& rule,
                                        const std::vector<CaseRuns>& cases,
                                        std::vector<CaseVerdict>& verdicts) const {
  Doubts doubts;
  std::map<std::string, Dependence> found;  // by case
  bool has_control = false;
  for (const WithheldRun& way : runs_without(rule)) {
    for (const CaseRuns& ran : cases) {
      const std::string& id = ran.last_step.case_id;
      const Result<CaseData>& data = cases_.get(id);
      if (found[id].settled || !data || ran.last.outputs.count(rule.array) == 0) continue;
      const auto withheld = [&] {
        OtherInputs changes;
        changes.withheld = way.what;
        const RunResult without = run(changes, data->inputs, ran.last_step);
        found[id].add(way, judge_dependence(rule, ran.last.outputs, without));
      };
      // One for all cases: a program that acts otherwise in every repeated run does so in this one.
      const auto control = [&] {
        if (!std::exchange(has_control, true))
          append(doubts, run_control(ran, ran.last_step, rule.range));
      };
      in_any_order(withheld, control);
    }
  }
  for (const auto& [id, dependence] : found)
    apply_dependence(rubric_, id, rule, dependence.judgement, verdicts);
  return doubts;
}

}  // namespace warpgrade
