// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "intake/submitted.h"
#include "pipeline/bench.h"

namespace warpgrade {

struct GradeOptions {
  fs::path output;  ///< DIR: results/<student>.json, grades.csv, seed
  int jobs = 1;
  bool force = false;                                    ///< grade again what is up to date
  std::function<bool()> stopped = [] { return false; };  ///< asked before each submission
  std::optional<uint64_t> seed;  ///< of the inputs; none: DIR's own, made from the system's entropy
  SubmissionTimes times = {};    ///< a student whose time nobody knows is not late
};

/// Called after each submission, from any thread but never twice at once.
using Progress = std::function<void(const SubmissionResult&, size_t done, size_t all)>;

/// Grades what is missing or stale in DIR and returns the results of all submissions in their order. An Error means that nothing could be
/// graded at all.
Result<std::vector<SubmissionResult>> grade(const Installation& installation, const Rubric& rubric,
                                            const std::vector<Submission>& submissions,
                                            const GradeOptions& options, const Progress& progress);

/// These results and those of the assignment's other students that DIR holds already, by student.
std::vector<SubmissionResult> whole_class(const fs::path& output, const std::string& assignment,
                                          const std::vector<SubmissionResult>& results);

/// Grades without keeping anything.
Result<std::vector<SubmissionResult>> grade_all(const Installation& installation,
                                                const Rubric& rubric,
                                                const std::vector<Submission>& submissions,
                                                int jobs, uint64_t seed);

/// A seed that nobody can guess.
uint64_t fresh_seed();

/// The rubric as a student sees it: public cases only, and of those the ones named, if any is. Items without a case are gone.
Rubric student_view(const Rubric& rubric, const std::vector<std::string>& case_ids);

}  // namespace warpgrade
