// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/case_store.h"
#include "pipeline/faults.h"
#include "pipeline/other_inputs.h"
#include "pipeline/withheld.h"
#include "run/emulated_runner.h"

namespace warpgrade {

// Theory of operation: when all cases have run as they are, some run again on a device that does something otherwise: it holds
// other inputs, it withholds something, it lacks the work of other ranges. A program that knew that it runs again could let
// the host compute at first, and do in these runs whatever raises no doubt. So each of them has a room of its own at one and
// the same place, and among them stand control runs, which repeat a case as it was; chance decides the order. What a control
// run does otherwise than the first run raises a doubt that nothing clears.

/// Runs one program's cases again.
class RepeatedRuns {
 public:
  /// All must outlive it. No other run of the slot may be under way.
  RepeatedRuns(const Rubric& rubric, const EmulatedRunner& runner, const CaseStore& cases,
               ProgramPlace place)
      : rubric_(rubric), runner_(runner), cases_(cases), place_(std::move(place)) {}

  /// The case, as it ran at last, on a device with other inputs. `charged`: see RunOnInputs.
  Doubts on_other_inputs(const CaseRuns& ran, const std::set<std::string>& charged) const;

  /// The cases without what the rule says that their results depend on. Applies to the verdicts what that comes to.
  Doubts without_dependence(const DependsOnRule& rule, const std::vector<CaseRuns>& cases,
                            std::vector<CaseVerdict>& verdicts) const;

 private:
  using Judge = std::function<void(const RunOnInputs&)>;
  struct Swap;

  RunResult run(const OtherInputs& changes, const fs::path& inputs, const RunStep& step) const;
  void run_swapped(const Swap& swap, const RunStep& step, const Judge& judge) const;
  void clear(const Swap& swap, const RunStep& step, const RunOnInputs& other, Doubts& doubts) const;
  /// What the control run of `step` did otherwise than the first run of the case, in one range or (empty) in all.
  Doubts run_control(const CaseRuns& ran, const RunStep& step, const std::string& range) const;

  const Rubric& rubric_;
  const EmulatedRunner& runner_;
  const CaseStore& cases_;
  const ProgramPlace place_;
};

}  // namespace warpgrade
