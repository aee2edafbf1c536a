// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
std::string breach(const AllocationsRule& rule, const CaseFacts& facts);
std::string breach(const CopiesRule& rule, const CaseFacts& facts);
std::string breach(const PitchedParamsRule& rule, const CaseFacts& facts);
std::string breach(const PaddingUntouchedRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
