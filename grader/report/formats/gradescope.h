// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/result.h"

namespace warpgrade {

/// What an autograder of Gradescope says beside the scores.
struct GradescopeOptions {
  /// The visibility of tests with a hidden case: visible, hidden, after_due_date or after_published.
  std::string hidden_items = "visible";
  bool leaderboard = false;  ///< The score and each speedup, for students who joined it.
  std::optional<double> best =
      {};  ///< The highest score of earlier submissions, where that one counts.
};

/// results.json of one student, with nothing that a student may not read. An Error where the result has a system
/// error: without the file, Gradescope says that the autograder failed, and nobody gets a score.
Result<std::string> format_gradescope(const SubmissionResult& result,
                                      const GradescopeOptions& options);

/// The highest score that submission_metadata.json tells of, in points of this assignment: nothing where there is none.
/// A failed run of the autograder has none. An Error where the text is no such file.
Result<std::optional<double>> best_earlier_score(std::string_view metadata,
                                                 const SubmissionResult& result);

}  // namespace warpgrade
