// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
std::string breach(const CallsRule& rule, const CaseFacts& facts);
std::string breach(const LaunchesRule& rule, const CaseFacts& facts);
std::string breach(const FreedRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
