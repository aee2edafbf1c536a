// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/leaderboard.h"
#include "report/passage.h"
#include "report/result.h"
#include "report/similarity/similar_pair.h"

namespace warpgrade {

/// What the page shows beside the results.
struct ClassExtras {
  SourceOf source_of = {};  ///< Without it nothing quotes a source.
  std::vector<SimilarPair> similar = {};
  std::optional<LeaderboardTerms> leaderboard = {};  ///< None: no leaderboard.
};

/// A page of a class for its staff, which stands alone: a table of the students with links to their pages
/// (students/<student>.html), the scores, how each item was passed, groups of equal failures, what persons decided, and
/// apart from these who is late, provisional, flagged or not gradable.
std::string format_class_page(const std::vector<SubmissionResult>& results,
                              const ClassExtras& extras = {});

}  // namespace warpgrade
