// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"
#include "commands/slurm.h"
#include "pipeline/grade.h"
#include "pipeline/shard.h"

namespace warpgrade {

/// How `grade` takes part in grading a large class.
struct BatchOptions {
  Shard shard;
  bool retry_parked = false;
  SlurmOptions slurm;

  /// Leaves those submissions that belong to this shard.
  void keep_own(std::vector<Submission>& submissions) const;
};

/// Adds --shard, --retry-parked and what asks for Slurm.
void add_batch_options(CLI::App& command, BatchOptions& batch);
/// Adds --retry-parked.
void add_retry_option(CLI::App& command, bool& retry_parked);

/// DIR/decisions.csv about these submissions and the students whose results DIR holds. None where there is no such file.
Result<Decisions> load_decisions(const fs::path& folder, const Rubric& rubric,
                                 const std::vector<Submission>& submissions);

/// Names on stderr what was not graded because graders did not survive it. Whether there is none.
bool tell_of_parked(const GradedClass& graded);

/// Grades and shows on stderr how far it has come.
Result<GradedClass> grade_with_progress(const Installation& installation, const Rubric& rubric,
                                        const std::vector<Submission>& submissions,
                                        GradeOptions how);

/// Has the tasks of a job array grade into DIR what this command line asks for, and prints what came of it. The exit code.
int grade_by_slurm(const fs::path& folder, const std::string& slug, const SlurmOptions& slurm);

/// The assignment whose results DIR holds. An Error with a remedy where it holds none.
Result<std::string> assignment_in(const fs::path& folder);

/// Adds merge and regrade.
void add_batch(CLI::App& app, Options& options);
/// Adds course and release.
void add_gradebook(CLI::App& app, Options& options);

}  // namespace warpgrade
