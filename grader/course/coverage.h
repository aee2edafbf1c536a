// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rubric/rubric.h"

namespace warpgrade {

/// How a rule stands to one kind of cases.
enum class Coverage { kJudged, kLeftOut, kMissing };

/// "judged", "left out", "MISSING"
std::string_view to_string(Coverage coverage);

/// One rule, metric or output array, and the items that judge by it.
struct CoverageRow {
  std::string what;  ///< In words.
  std::vector<std::string> items;
  std::map<std::string, Coverage> kinds;  ///< By the kinds that concern it.
};

/// In which kinds of cases each demand of a rubric is judged.
struct CoverageTable {
  std::vector<std::string> kinds;  ///< That the assignment has, in the order of case_kinds().
  std::vector<CoverageRow> rows;
  std::vector<std::string>
      complaints;  ///< Cases without a kind, gaps without a reason, and reasons for nothing.
};

/// Arrays by case.
using ArraysOfCases = std::map<std::string, std::set<std::string>>;

/// Holds every requirement and efficiency item to the rule that it is judged in cases of each kind, and
/// every array of `outputs` (which the reference writes and the oracle expects) to the same where it is
/// written. Items that ask the same count together.
CoverageTable cover(const Rubric& rubric, const ArraysOfCases& outputs);

}  // namespace warpgrade
