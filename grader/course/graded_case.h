// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/arrays.h"
#include "course/known_submission.h"
#include "observe/trace.h"
#include "rubric/rubric.h"
#include "run/runner.h"

namespace warpgrade {

/// What a run of a known submission showed beside its verdicts.
struct GradedCase {
  std::string case_id;
  std::map<std::string, size_t>
      arrays;  ///< That it wrote and the oracle expects: their numbers of elements.
  std::set<std::string> ranges;                                   ///< That the driver opened.
  std::map<std::string, std::set<std::string>> ranges_of_kernel;  ///< "" is outside of all.
  std::set<std::string> counters;                                 ///< All launches' counters.
  std::vector<Finding> findings;
};

/// Where the trace cannot be read, only the arrays are known.
GradedCase note_case(const std::string& case_id, const RunResult& run, const Arrays& expected);

/// One line for each finding about kernels of a range that contradicts an item which passed, in
/// whichever case it was found; and for right answers one for each finding of memory, init, race, sync
/// or padding in kernels of the graded calls that no `findings` rule asks for.
std::vector<std::string> contradictions(const Rubric& rubric, Role role,
                                        const SubmissionResult& result,
                                        const std::vector<GradedCase>& cases);

/// One line for each range of the rubric that the driver opened in none of the reference's cases.
std::vector<std::string> unopened_ranges(const Rubric& rubric,
                                         const std::vector<GradedCase>& cases);

/// One line for each item that names more elements of an array than the array has in any of the item's cases.
std::vector<std::string> names_without_elements(const Rubric& rubric,
                                                const std::vector<GradedCase>& cases);

/// One line for each counter of the runs that emulator::metric_names(), by which rubrics are read, lacks.
std::vector<std::string> unknown_counters(const std::vector<GradedCase>& cases);

}  // namespace warpgrade
