// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// What breaks the rule; empty where it holds. The emulated device says of every byte of the array
/// what wrote it last; a GPU says which allocations a kernel wrote to.
Sentence breach(const OnDeviceRule& rule, const CaseFacts& facts);

/// Whether a GPU leaves it open: it tells that a kernel wrote to memory only where that changed something.
bool may_have_come_from_device(const OnDeviceRule& rule, const CaseFacts& facts);

/// Multiplications of all threads, fused ones included.
double multiplications(const std::vector<const KernelLaunch*>& launches);

}  // namespace warpgrade
