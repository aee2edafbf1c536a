// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// What breaks the rule; empty where it holds. The emulated device says of every byte of the array
/// what wrote it last; a GPU says which allocations a kernel wrote to.
Sentence breach(const OnDeviceRule& rule, const CaseFacts& facts);

/// Whether a GPU leaves the answer open. A GPU shows a kernel's write only where it changed a value.
bool may_have_come_from_device(const OnDeviceRule& rule, const CaseFacts& facts);

/// Multiplications of all threads, fused ones included.
double multiplications(const std::vector<const KernelLaunch*>& launches);

}  // namespace warpgrade
