// SPDX-License-Identifier: MIT
#pragma once

#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Judges one requirement from what the program did on its devices. Where nothing was done there is
/// nothing that meets it.
Judgement judge_rule(const Rule& rule, const CaseFacts& facts);

/// "matmul-pitched.cu:12: message (kernel f, block (0, 0, 0), thread (1, 0, 0))", as far as it is
/// known; its id is by the checker.
Sentence finding_sentence(const Finding& finding);

}  // namespace warpgrade
