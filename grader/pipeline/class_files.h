// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

/// Files in DIR by which staff add to the class's page: who resembles whom, and that speeds are ranked.
constexpr const char* kSimilarityFile = "similarity.json";
constexpr const char* kLeaderboardFile = "leaderboard.json";

}  // namespace warpgrade
