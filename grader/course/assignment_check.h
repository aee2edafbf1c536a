// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "course/coverage.h"
#include "course/graded_case.h"
#include "course/known_submission.h"
#include "course/quick.h"
#include "course/seed_memory.h"
#include "course/wrong_answers.h"
#include "pipeline/bench.h"

namespace warpgrade {

/// How near the reference came to the limit of a tolerance.
struct Margin {
  double used = 0;  ///< 1 is the limit; 0 where all outputs are compared exactly
  std::string item_id;
  std::string case_id;
};

/// All that was found out about one assignment.
struct AssignmentReport {
  std::string slug;
  std::string error;  ///< why nothing was graded, one line for each mistake; empty where it was
  std::vector<CourseRow> rows;
  std::vector<CaseProof> cases;         ///< those whose outputs are compared
  CoverageTable coverage;               ///< in which kinds of cases the rubric judges what
  std::vector<std::string> complaints;  ///< about rubric, cases and handout
  std::vector<std::string> unproved;    ///< items that no wrong answer lost by itself
  size_t items = 0;
  Margin margin;
  double busy_s = 0;        ///< sum over the tasks, however many ran at a time
  bool is_partial = false;  ///< not all tasks were done: nothing is proved
  size_t left_out = 0;      ///< known submissions that a quick proof did not grade

  bool ok() const;
};

/// Proves one assignment in tasks that may run at the same time, in any order.
class AssignmentCheck {
 public:
  /// What needs no program is found out at once. `memory` may be nullptr.
  AssignmentCheck(const Installation& installation, std::string slug, uint64_t seed,
                  ProofScope scope, AssignmentMemory* memory);

  /// What is wrong with the files of the assignment, before any task has run.
  std::vector<std::string> found_at_once() const;

  size_t tasks() const;
  /// What the task is about.
  std::string name_of(size_t task) const;
  /// Has the cases made and the driver compiled, which every task waits for. It may be left out. `own_slot` and those
  /// behind it are nobody else's.
  void open(int own_slot);
  /// Tasks at the same time have different slots.
  void run(size_t task, int slot, int own_slot);
  /// Whether there is something for repeat_alone(). Call it when no task runs any more.
  bool has_to_repeat() const { return !out_of_time_.empty(); }
  /// Grades once more, one at a time, what ran out of time while others were graded and is not as it
  /// should be: a busy machine is no mistake of the course.
  void repeat_alone(int own_slot);
  /// Call it when no task runs any more. The report leaves out tasks that did not run.
  AssignmentReport finish();

 private:
  Status prepare();
  void complain(const std::string& what);
  void check_table();
  void check_translations();
  void prove_unseeded();
  std::vector<std::string> search_handout() const;
  AssignmentMemory::Unseeded prove_cases() const;
  void check_reference();
  /// What one grading of a known submission showed.
  struct Graded {
    CourseRow row;
    std::vector<GradedCase> cases;
    std::set<std::string> telling;  ///< cases that show all that it lost
    bool timed_out = false;
  };
  void grade(const KnownSubmission& known, int slot, int own_slot);
  /// In all cases, or for a wrong answer in those that told under an earlier seed where these tell again.
  Graded grade_enough(const Bench& judge, const KnownSubmission& known, int slot);
  Graded grade_in(const Bench& judge, const KnownSubmission& known, int slot,
                  const std::set<std::string>& only_cases);
  const Bench* bench(int own_slot);
  void note_margin(const RunStep& step, const RunResult& run, const Arrays& expected);

  const Installation& installation_;
  uint64_t seed_;
  ProofScope scope_;
  AssignmentMemory own_memory_;
  AssignmentMemory& memory_;
  VerdictMemo* verdicts_;  ///< nullptr where no other seed is checked
  Rubric rubric_;
  std::vector<KnownSubmission> known_;
  std::mutex lock_;  ///< of all below
  AssignmentReport report_;
  size_t done_ = 0;
  std::vector<size_t> out_of_time_;  ///< tasks
  std::unique_ptr<Bench> bench_;
  bool bench_failed_ = false;
};

}  // namespace warpgrade
