// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Judges a performance item by what was measured on a GPU: its curve at both ends of the 95 %
/// interval, in half points. Where they differ, the better one counts and the judgement is
/// `undecided`. Pending where the measurement says too little, or more than can be.
Judgement judge_measured(const Item& item, const Measured& measured);

}  // namespace warpgrade
