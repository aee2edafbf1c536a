// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Each says what breaks the rule; empty where it holds.
std::string breach(const DeviceRule& rule, const CaseFacts& facts);
std::string breach(const TimedByEventsRule& rule, const CaseFacts& facts);
std::string breach(const WarmedUpRule& rule, const CaseFacts& facts);
std::string breach(const OnDeviceRule& rule, const CaseFacts& facts);
/// Whether a GPU leaves it open: it tells that a kernel wrote to memory only where that changed something.
bool may_have_come_from_device(const OnDeviceRule& rule, const CaseFacts& facts);
std::string breach(const NoFindingsRule& rule, const CaseFacts& facts);
std::string breach(const FindingsRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
