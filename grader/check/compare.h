// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Compares an array of the program with the oracle's. A missing array, another shape or element
/// type, NaN and infinity never pass. The message tells how many elements are wrong, the first of
/// them, the thread that owns it as far as the trace shows one, and what the pattern of errors
/// hints at.
Judgement compare(const OutputRule& rule, const NpyArray& expected, const CaseFacts& facts);

/// The largest error of an array that passes as a fraction of what its element is allowed: 1 is the
/// limit. 0 where only equal arrays pass.
double tolerance_used(const OutputRule& rule, const NpyArray& expected, const NpyArray& got,
                      const Expression::Values& values);

}  // namespace warpgrade
