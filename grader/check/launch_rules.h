// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
Sentence breach(const DeviceRule& rule, const CaseFacts& facts);
Sentence breach(const TimedByEventsRule& rule, const CaseFacts& facts);
Sentence breach(const WarmedUpRule& rule, const CaseFacts& facts);
Sentence breach(const NoFindingsRule& rule, const CaseFacts& facts);
Sentence breach(const FindingsRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
