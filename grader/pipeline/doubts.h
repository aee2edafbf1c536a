// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "observe/trace.h"
#include "rubric/rubric.h"
#include "score/score.h"

namespace warpgrade {

/// Why the work of a range is not taken for the kernels' own.
struct Doubt {
  std::string range;
  Sentence why;
  bool is_certain = false;   ///< Costs the points; else the items wait for a person.
  std::string case_id = {};  ///< that raised it
};

using Doubts = std::vector<Doubt>;

// Reasons of doubts that wait.
extern const char *const kOtherNumbers,
    *const kOtherWay, *const kReadBack, *const kCarried, *const kAgainNumbers,
                                                             *const kAgainWay,
                                                                 *const kApart,
                                                                     *const kExtraRange,
                                                                         *const kHiddenDoubt;

/// Whether the sentence is that of a doubt that costs nothing before a person has looked.
bool is_waiting_doubt(const Sentence& why);

/// Whether a run in which the host, too, has what the device held could clear the doubt: it says that results or work
/// differed, and not what the host was shown.
bool may_be_cleared(const Doubt& doubt);

/// Ranges of the case whose kernels read what kernels of another range computed.
Doubts carried_work(const std::string& case_id, const Trace& trace);

/// Takes back what the items about these ranges have earned, in all cases. Certain doubts outrank the others. What a
/// hidden case showed is not told of a public one.
void cast_doubts(const Rubric& rubric, const Doubts& doubts, std::vector<CaseVerdict>& verdicts);

}  // namespace warpgrade
