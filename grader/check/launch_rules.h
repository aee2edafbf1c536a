// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Whether what the program's kernels do outside the graded calls counts, too: the range may go on with what they made.
enum class Outside { kLeftOut, kCounts };

/// What one of the checkers found about kernels that were launched in the range, all where it is empty; nullptr where that is
/// nothing.
const Finding* first_finding(const Trace& trace, const std::vector<std::string>& checkers,
                             const std::string& range, Outside outside);

/// Each says what breaks the rule; empty where it holds.
Sentence breach(const DeviceRule& rule, const CaseFacts& facts);
Sentence breach(const TimedByEventsRule& rule, const CaseFacts& facts);
Sentence breach(const WarmedUpRule& rule, const CaseFacts& facts);
Sentence breach(const NoFindingsRule& rule, const CaseFacts& facts);
Sentence breach(const FindingsRule& rule, const CaseFacts& facts);

}  // namespace warpgrade
