// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
Sentence breach(const CallsRule& rule, const CaseFacts& facts);
Sentence breach(const LaunchesRule& rule, const CaseFacts& facts);
Sentence breach(const FreedRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
