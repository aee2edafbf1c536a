// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "intake/submitted.h"
#include "pipeline/bench.h"
#include "pipeline/results_folder.h"
#include "report/decisions.h"

namespace warpgrade {

struct GradeOptions {
  fs::path output;  ///< DIR: results/<student>.json, grades.csv, seed
  int jobs = 1;
  bool force = false;                                    ///< grade again what is up to date
  std::function<bool()> stopped = [] { return false; };  ///< asked before each submission
  std::optional<uint64_t> seed;  ///< of the inputs; none: DIR's own, made from the system's entropy
  SubmissionTimes times = {};    ///< a student whose time nobody knows is not late
  Decisions decisions = {};      ///< in force for all of these submissions' results
  bool is_trial = false;         ///< nothing is written
  bool retry_parked = false;     ///< also what brought the grader down kMostAttempts times
  /// Called before each submission that is graded, from any thread and several at once.
  std::function<void(const std::string& student)> begun = [](const std::string&) {};
};

/// Called after each submission, from any thread but never twice at once.
using Progress = std::function<void(const SubmissionResult&, size_t done, size_t all)>;

/// A student whose stored result keeps its points, since what came now holds nothing to grade, and why it holds nothing.
struct LeftStanding {
  std::string student;
  std::string problem;
};

/// What grading came to. Where `not_written` says something, the rest was not graded.
struct GradedClass {
  std::vector<SubmissionResult> results;  ///< of the submissions, in their order, as far as it came
  std::vector<SubmissionResult> whole;    ///< these and what DIR holds of other students
  Versions versions;                      ///< what `results` were graded with
  std::map<std::string, std::string>
      changes;  ///< by student: how a result differs from the one that it replaced
  std::vector<LeftStanding> left_standing;
  std::vector<std::string> parked;      ///< not graded again: graders did not survive them
  std::vector<DamagedResult> regraded;  ///< of submissions; the files are kept under other names
  std::vector<DamagedResult> unread;    ///< of other students: they have no row
  std::optional<Error> not_written;     ///< a file that could not be written
};

/// What judges the submissions of a class: a Bench, or a simulation of one.
class SubmissionGrader {
 public:
  virtual ~SubmissionGrader() = default;
  virtual const Rubric& rubric() const = 0;
  virtual bool is_on_gpu() const = 0;
  /// Equal hashes mean an equal result.
  virtual Versions input_hashes(const Submission& submission) const = 0;
  virtual Versions versions() const = 0;
  /// From one thread a slot.
  virtual SubmissionResult grade(const Submission& submission, int slot) const = 0;
};

/// Grades by `grader` what is missing or stale in DIR.
GradedClass grade_class(const SubmissionGrader& grader, const std::vector<Submission>& submissions,
                        const GradeOptions& options, const Progress& progress);

/// Grades what is missing or stale in DIR. An Error means that nothing could be graded at all.
Result<GradedClass> grade(const Installation& installation, const Rubric& rubric,
                          const std::vector<Submission>& submissions, const GradeOptions& options,
                          const Progress& progress);

/// Writes DIR/grades.csv of `graded.results` and of what DIR holds of other students, and fills `whole` and `unread`.
/// Several processes may do so at once: the table of the last one is complete.
Status write_grades(const fs::path& output, const std::string& assignment, GradedClass& graded);

/// These results and those of the assignment's other students that DIR holds already, by student;
/// into `unread` those of them that are damaged.
std::vector<SubmissionResult> whole_class(const fs::path& output, const std::string& assignment,
                                          const std::vector<SubmissionResult>& results,
                                          std::vector<DamagedResult>* unread = nullptr);

/// Grades without keeping anything.
Result<std::vector<SubmissionResult>> grade_all(const Installation& installation,
                                                const Rubric& rubric,
                                                const std::vector<Submission>& submissions,
                                                int jobs, uint64_t seed);

/// The rubric as a student sees it: public cases only, and of those the ones named, if any is. Items without a case are gone.
Rubric student_view(const Rubric& rubric, const std::vector<std::string>& case_ids);

}  // namespace warpgrade
