// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
Sentence breach(const AllocationsRule& rule, const CaseFacts& facts);
Sentence breach(const CopiesRule& rule, const CaseFacts& facts);
Sentence breach(const PitchedParamsRule& rule, const CaseFacts& facts);
Sentence breach(const PaddingUntouchedRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
