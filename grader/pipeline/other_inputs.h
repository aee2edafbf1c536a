// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/arrays.h"
#include "check/judgement.h"
#include "observe/trace.h"
#include "pipeline/doubts.h"
#include "plan/plan.h"
#include "run/runner.h"
#include "score/score.h"

namespace warpgrade {

// Theory of operation: some cases (see swapped_cases.h) run a second time, in which the emulated device holds
// other inputs than the host. Kernels that compute the result from what they read get it right for the
// device's inputs. What the host computed is right for the host's inputs and wrong for the device's,
// whatever way it takes to the output and whatever work kernels do beside it. The program cannot tell
// the two runs apart but by reading inputs back from the device: what it has seen of the device, whatever way that took,
// before its last kernel is measured. Where one case calls several functions, a second one could hand out the result of
// the first: it runs once more without the others. A program that knew by something else which run it is in could act
// honestly in one of them alone: a run on the case's own inputs stands among them (see repeated_runs.h).

/// What one of the two runs did, and what is right for the inputs that its device held.
struct RunOnInputs {
  const RunResult& run;
  const Trace& trace;
  const Arrays& expected;
  uint64_t input_bytes = 0;
  std::set<std::string> charged = {};  ///< Outputs that lost points for who computed them.
};

/// The outputs that these verdicts say no kernel of their range computed.
std::set<std::string> charged_outputs(const std::vector<CaseVerdict>& verdicts);

/// Compares the runs range by range, where the items of the case say which range computes an output.
/// Outputs that are wrong already in the run on the case's own inputs raise no doubt, those that are charged there none but a
/// certain one.
Doubts doubts_of(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                 const RunOnInputs& other);

/// A range, and the other computing ranges of its case.
struct RangeAlone {
  std::string range;
  std::set<std::string> left_out;
};

/// Ranges before whose last kernel the host saw more of the device than the range's own results. Where other ranges work on
/// the same inputs, they may have shown it, be they right or wrong: this one then has to work on the other inputs alone.
std::vector<RangeAlone> ranges_told_results(const Rubric& rubric, const RunStep& step,
                                            const RunOnInputs& same, const RunOnInputs& other);

/// As doubts_of, for a range that no other computing range ran beside in `alone`.
Doubts doubts_of_range_alone(const Rubric& rubric, const RunStep& step, const std::string& range,
                             const RunOnInputs& same, const RunOnInputs& alone);

/// Compares a run with another one that should have been the same: results that were right are right again, by as much work.
/// Where `range` is not empty, of that range alone.
Doubts doubts_of_run_again(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                           const RunOnInputs& again, const std::string& range = "");

/// Takes back doubts about ranges that did the same work with the same results in a run in which the host, too, had what
/// the device may have held: then these results, right or wrong, are the kernels' own, unless the host saw the inputs.
void clear_doubts(const Rubric& rubric, const RunStep& step, const RunOnInputs& same,
                  const RunOnInputs& other, const RunOnInputs& on_both, Doubts& doubts);

}  // namespace warpgrade
