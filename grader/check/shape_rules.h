// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
std::string breach(const BlockRule& rule, const CaseFacts& facts);
std::string breach(const GridRule& rule, const CaseFacts& facts);
std::string breach(const SharedMemoryRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
