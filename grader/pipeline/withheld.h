// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "check/arrays.h"
#include "check/judgement.h"
#include "rubric/rubric.h"
#include "run/runner.h"
#include "score/score.h"

namespace warpgrade {

// Theory of operation: that a kernel declares shared memory, or changes something by an atomic, does not show that its result
// comes from there. So a case runs once more, and the emulated device takes from the kernels of one range what the rubric
// says that the result depends on. Where the result stays the same, nothing of it came from there.

/// The `depends_on` rules of items that the case judges, each once.
std::vector<DependsOnRule> dependencies_of(const Rubric& rubric, const std::string& case_id);

/// A run in which the device withholds something. The run that withholds all decides. A run that withholds a part can only
/// show that the result depends on it, also for a program that never ends without all, such as one whose barriers lie in
/// shared memory.
struct WithheldRun {
  std::string what;  ///< as the device takes it: "shared_memory:range"
  bool takes_all;
};
/// In the order in which they are made, until one settles it.
std::vector<WithheldRun> runs_without(const DependsOnRule& rule);

/// What the runs of one case have shown about a rule. `settled`: the case needs no further run.
struct Dependence {
  Judgement judgement;
  bool settled = false;

  void add(const WithheldRun& run, const Judgement& judged);
};

/// Holds where the array that the program wrote differs from the one of `without` in at least half of the elements that are not
/// 0. Waits where the program did not write it without.
Judgement judge_dependence(const DependsOnRule& rule, const Arrays& outputs,
                           const RunResult& without);

/// Gives the items of the case that have such a rule, and would earn points, what the rule came to, where no item says that the
/// array is wrong anyway.
void apply_dependence(const Rubric& rubric, const std::string& case_id, const DependsOnRule& rule,
                      const Judgement& judgement, std::vector<CaseVerdict>& verdicts);

}  // namespace warpgrade
