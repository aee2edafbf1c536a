// SPDX-License-Identifier: MIT
#pragma once

#include "base/refusal.h"
#include "base/sentence.h"

namespace warpgrade {

/// The refusal in the spoken language; an empty sentence for an empty one.
Sentence say_refusal(const Refusal& refusal);

/// The same where only the caller knows what was refused.
Sentence say_refusal(Refusal refusal, const std::string& name);

}  // namespace warpgrade
