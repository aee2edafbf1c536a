// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/result.h"

namespace warpgrade {

/// How a class is ranked.
struct LeaderboardTerms {
  uint64_t seed = 0;  ///< Pseudonyms come from it: the results' secret.
  std::vector<std::string>
      less_is_better;  ///< Items whose numbers are times, not speedups or rates.
};

/// The items that are times, as JSON, and back. An Error for anything else.
std::string format_less_is_better(const std::vector<std::string>& items);
Result<std::vector<std::string>> parse_less_is_better(std::string_view json);

/// One student's place in a ranking.
struct Ranked {
  size_t rank = 0;     ///< From 1; equal speeds share one.
  size_t student = 0;  ///< Place in the results.
  double value = 0;
  bool is_measured = false;  ///< On a GPU; else by the time model.
};

/// The ranking of one performance item in one case.
struct Ranking {
  std::string item, title, case_id;
  std::vector<Ranked> rows;
};

/// A ranking for each performance item, in the last case that it is judged in. Students who earned
/// nothing for the item are left out. Measured speeds come before modelled ones, which do not compare.
std::vector<Ranking> rankings_of(const std::vector<SubmissionResult>& results,
                                 const LeaderboardTerms& terms);

/// A section of the class's page: the rankings, with pseudonyms and students. Empty where there is none.
std::string leaderboard_section(const std::vector<SubmissionResult>& results,
                                const LeaderboardTerms& terms);

/// A page for students: the rankings under pseudonyms alone. Empty where there is none.
std::string format_leaderboard(const std::vector<SubmissionResult>& results,
                               const LeaderboardTerms& terms);

}  // namespace warpgrade
