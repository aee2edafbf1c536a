// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "observe/trace.h"
#include "rubric/rubric.h"
#include "score/score.h"

namespace warpgrade {

/// The findings of a case's run that a report lists. Left out is what the driver or the assignment provokes: what an item of the
/// rubric demands to be found, errors of calls in a case that passed all its items, and whatever is found in such a case of
/// the kind "refused", whose program is to fail.
std::vector<Finding> told_findings(const Rubric& rubric, const std::string& case_id,
                                   const Trace& trace, const std::vector<CaseVerdict>& verdicts);

}  // namespace warpgrade
