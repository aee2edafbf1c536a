// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/charts/plot.h"

namespace warpgrade {

/// The plots for a terminal of that many columns, in the language that is spoken: a line's points are its number, and
/// `*` stands where several lines meet. Below each plot, what the numbers stand for.
std::string format_plots(const std::vector<DrawnPlot>& plots, size_t columns);

}  // namespace warpgrade
