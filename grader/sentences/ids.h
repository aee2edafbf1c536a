// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

/// The ids of all sentences that may be reasons: those without a hidden form's mark.
std::vector<std::string> sentence_ids();
/// Those that say why a submission loses something: those that have a form for hidden cases.
std::vector<std::string> evidence_ids();

}  // namespace warpgrade
