// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "check/arrays.h"
#include "observe/trace.h"

namespace warpgrade {

/// False where some output mostly holds elements of the inputs, as a transposed matrix does, so that a host which moves
/// elements does the work.
bool computes_new_elements(const Arrays& inputs, const Arrays& expected);

/// What a range's kernels may have held in a run on other inputs, the likeliest first: all inputs that the device swapped, all
/// but one of them, one. The host may have uploaded the rest of `given` in a form that the device does not know, as filter taps
/// in half precision; these stay.
std::vector<Arrays> inputs_that_may_be_held(const Trace& other, const Arrays& given,
                                            const Arrays& others);

}  // namespace warpgrade
