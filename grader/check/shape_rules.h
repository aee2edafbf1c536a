// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
Sentence breach(const BlockRule& rule, const CaseFacts& facts);
Sentence breach(const GridRule& rule, const CaseFacts& facts);
Sentence breach(const SharedMemoryRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
