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
#include "plan/plan.h"
#include "run/runner.h"
#include "score/score.h"

namespace warpgrade {

// Theory of operation: a case of the kind "swapped" runs a second time, in which the emulated device holds
// other inputs than the host. Kernels that compute the result from what they read get it right for the
// device's inputs. What the host computed is right for the host's inputs and wrong for the device's,
// whatever way it takes to the output and whatever work kernels do beside it. The program cannot tell
// the two runs apart but by reading inputs back from the device: what it has seen of the device, whatever way that took,
// before its last kernel is measured. Where one case calls several functions, a second one could hand out the result of
// the first: it runs once more without the others.

/// Whether the case runs a second time.
bool is_swapped(const Rubric& rubric, const std::string& case_id);

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

/// Why the work of a range is not taken for the kernels' own.
struct Doubt {
  Sentence why;
  bool is_certain = false;  ///< Costs the points; else the items wait for a person.
};
/// Whether the sentence is that of a doubt that costs nothing before a person has looked.
bool is_waiting_doubt(const Sentence& why);

using Doubts = std::map<std::string, Doubt>;  ///< by range

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
std::optional<Doubt> doubt_of_range_alone(const Rubric& rubric, const RunStep& step,
                                          const std::string& range, const RunOnInputs& same,
                                          const RunOnInputs& alone);

/// Whether a third run could clear the doubt: it says that results or work differed, and not what the host was shown.
bool may_be_cleared(const Doubt& doubt);

/// Takes back such doubts about ranges that did the same work with the same results in a run in which the host, too, had what
/// the device may have held: then these results, right or wrong, are the kernels' own.
void clear_doubts(const Rubric& rubric, const RunStep& step, const RunOnInputs& other,
                  const RunOnInputs& on_both, Doubts& doubts);

/// Ranges whose kernels read what kernels of another range computed.
Doubts carried_work(const Trace& trace);

/// Adds another case's doubts: certain ones outrank the others.
void add_doubts(Doubts more, Doubts& all);

/// Takes back what the items about these ranges have earned, in all cases.
void cast_doubts(const Rubric& rubric, const Doubts& doubts, std::vector<CaseVerdict>& verdicts);

}  // namespace warpgrade
