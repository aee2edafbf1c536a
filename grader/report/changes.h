// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result.h"

namespace warpgrade {

/// How two results of one student differ in points and statuses, a line for the score and one for each item:
/// "ann: 70 -> 80 of 100\n  product: 0 -> 10 of 10, was: ...\n". Empty where they do not.
std::string describe_change(const SubmissionResult& before, const SubmissionResult& after);

}  // namespace warpgrade
