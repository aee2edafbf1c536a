// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Which copy of the range brought its kernels something other than an input of the case, or which kernel got an
/// array by value; empty where none did. A copy fits an input as a whole, row by row, or as one of several pieces
/// that lie side by side on the host.
Sentence breach(const SendsInputsRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
