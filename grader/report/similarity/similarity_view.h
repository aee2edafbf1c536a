// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/passage.h"
#include "report/similarity/similar_pair.h"

namespace warpgrade {

/// A section of the class's page: pairs by similarity, and the sources of the first ones side by side with the shared
/// passages marked. Pairs whose submissions have changed since are counted and not shown. Empty without pairs.
std::string similarity_section(const std::vector<SubmissionResult>& results,
                               const std::vector<SimilarPair>& pairs, const SourceOf& source_of);

}  // namespace warpgrade
