// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "course/known_submission.h"

namespace warpgrade {

/// How much of an assignment's proof `warpgrade check` carries out.
enum class ProofScope {
  kWhole,
  kQuick  ///< Few wrong answers, which still lose every item.
};

/// Keeps the reference, the skeleton, the file that does not compile, the accepted answers, and a small set of mutants
/// and sample students whose headers name every item that any of them loses by itself. The set comes from a greedy
/// cover: each step takes the one that adds most items. Exploits are left out.
std::vector<KnownSubmission> quick_set(const Rubric& rubric, std::vector<KnownSubmission> all);

}  // namespace warpgrade
