// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"

namespace warpgrade {

/// Whether and how a class is graded by Slurm.
struct SlurmOptions {
  bool is_asked = false;
  int tasks = 8;
  std::vector<std::string> sbatch;  ///< More options for sbatch.
};

/// Adds --executor, --tasks and --sbatch.
void add_slurm_options(CLI::App& command, SlurmOptions& slurm);

/// A text as one word of a POSIX shell.
std::string shell_word(const std::string& text);

/// What a task runs: the command line `words`, as a shard and without what asks for Slurm. Its exit status goes to
/// FOLDER/shard-I.status, whole or not at all.
std::string task_script(const std::vector<std::string>& words, const fs::path& folder, int tasks);

/// How the tasks ended: an exit status by the index of the shard.
struct SlurmRun {
  std::map<int, int> statuses;
  std::vector<int> lost;  ///< They ended three times without a status.
};

/// Submits `script` as a job array, follows it, and submits tasks again that ended without a status or by a signal.
/// Tasks may run more than once. An Error where Slurm refuses, or where somebody stops the following.
Result<SlurmRun> run_on_slurm(const std::string& script, const fs::path& folder,
                              const SlurmOptions& slurm);

}  // namespace warpgrade
