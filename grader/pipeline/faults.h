// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/trace.h"
#include "pipeline/judge.h"
#include "plan/plan.h"
#include "rubric/rubric.h"
#include "run/runner.h"
#include "score/score.h"

namespace warpgrade {

/// A range whose calls ended a run of a case badly, and how.
struct Fault {
  std::string range;
  Sentence end;  ///< Empty: the program went on to its end, on a device that a kernel had broken.
  bool endless = false;  ///< It ran into the time limit, or called the runtime without end.
};

/// By the case that they happened in.
using Faults = std::map<std::string, std::vector<Fault>>;

/// The range whose calls ended the run badly: the one of the checker's finding that ended it, or the
/// one that was still open. Nothing where the run ended well, or where no range is to blame.
std::optional<Fault> fault_of(const RunStep& step, const RunResult& run, const Trace& trace);

/// The runs of one case. Where a call ended the first one badly, the grader runs the case again
/// without that call, until the rest of it ends well.
struct CaseRuns {
  RunResult first;
  Result<Trace> first_trace = Trace();
  std::vector<Fault> faults = {};
  RunStep last_step = {};
  RunResult last = {};                 ///< The first run where there are no faults.
  Result<Trace> last_trace = Trace();  ///< With the findings of all runs.

  int time_outs() const;
};

/// Calls of `known` faults are left out from the start.
CaseRuns run_around_faults(ProgramRuns& runs, RunStep step, const fs::path& inputs,
                           const std::vector<Fault>& known = {});

/// Each item by the run that says more for the student: the first one, or the last, which had to do
/// without the calls that ended those before it. What needs these calls fails by their faults.
std::vector<CaseVerdict> judge_around_faults(const Rubric& rubric, const CaseRuns& runs,
                                             const Arrays& expected,
                                             const std::map<std::string, BaselineTimes>& baselines,
                                             const InstrumentReadings& readings = {},
                                             const InputReader& inputs = {});

/// The ranges that an item's rules, counter and outputs are about.
std::vector<std::string> ranges_of(const Item& item);

/// The ranges of faults.
std::set<std::string> ranges_of(const std::vector<Fault>& faults);

}  // namespace warpgrade
