// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/proof_policy.h"

namespace warpgrade {

/// The id at the start of "class: G1. What is wrong", empty where `mistakes` lack it. A course that lists no kinds of
/// mistakes takes any id.
std::string mutant_class_of(std::string_view text, const std::vector<MistakeKind>& mistakes);

}  // namespace warpgrade
