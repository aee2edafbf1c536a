// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// What the margin of a source shows of one line.
struct LineCost {
  LineCounts counts;      ///< Summed over all kernels that the line belongs to.
  double share = 0;       ///< The largest share of one kernel's instructions,
  double time_share = 0;  ///< and of its modelled time; 0 = not known.
  std::string kernel;     ///< The kernel in which it weighs most,
  std::string case_id;    ///< and the case in which it was counted.
};

/// By line. Empty where nothing was counted.
std::map<int, LineCost> line_costs(const std::vector<LineRow>& rows);

/// Headings of cost_cells().
std::vector<std::string> cost_headings(const std::string& language);

/// Table cells about one line, with the ideal beside each number; empty cells for null.
std::string cost_cells(const LineCost* cost, const std::string& language);

/// A list of the lines that lose most against the ideal, with links to them, and how to read the margin.
std::string costs_in_words(const std::map<int, LineCost>& costs, const std::string& language);

}  // namespace warpgrade
