// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "commands/options.h"
#include "intake/people/roster.h"
#include "intake/submitted.h"

namespace warpgrade {

/// What `grade` knows about the class before it grades.
struct ClassIntake {
  std::vector<Submission> submissions;
  SubmissionTimes times;
  std::vector<Extension> extensions;  ///< The rubric's, by the students' ids.
};

/// What parse_roster() makes of the file; an Error where it cannot be read.
Result<Roster> read_roster(const std::string& file);

/// Adds --name-pattern, --roster, --submitted and --strict.
void add_intake_options(CLI::App& command, Options& options);

/// Reads submissions, roster and times, and says on the terminal what was taken for what and who is missing. `output`
/// holds results of earlier runs. An Error where nothing may be graded; then `status` is the exit code, by whose fault it is.
Result<ClassIntake> take_in(const Options& options, const Rubric& rubric, const fs::path& output,
                            int& status);

/// With the id of each student whom one of the people is, in place of a name or another id.
std::vector<Extension> resolve_extensions(std::vector<Extension> extensions,
                                          const std::vector<Submission>& people);

}  // namespace warpgrade
