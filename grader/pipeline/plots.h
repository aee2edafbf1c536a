// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "report/result.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// The rubric's plots, drawn from the kernels and baselines of the result's public cases. A kernel that ran at one x
/// alone is left out; where it ran often at one x, the best counts.
std::vector<DrawnPlot> plots_of(const Rubric& rubric, const SubmissionResult& result);

}  // namespace warpgrade
