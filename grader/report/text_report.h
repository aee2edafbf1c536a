// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

enum class Colour { kNever, kAlways };

/// One student's full report on 100 columns: each item with its reason, findings, kernels, compiler
/// messages.
std::string format_report(const SubmissionResult& result, Colour colour = Colour::kNever);

/// The class: students with their scores, one line per lost item. In the order given.
std::string format_class(const std::vector<SubmissionResult>& results,
                         Colour colour = Colour::kNever);

/// "87.5" and "100": points without needless digits.
std::string format_points(double points);

}  // namespace warpgrade
