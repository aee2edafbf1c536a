// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sentence.h"
#include "intake/downloads/claim.h"

namespace warpgrade {

/// Which of a student's files is the one to grade.
struct Choice {
  std::optional<ClaimedFile> file;
  std::vector<fs::path> earlier = {};  ///< Uploads that it replaces.
  std::string note = {};  ///< Where the name is not the assignment's, a sentence for the staff.
  Sentence problem = {};  ///< Why none is, for the student; empty where one is.
};

/// Chooses `wanted` by its name, in the uppermost folder that has it; else by its name in other cases of letters; else
/// the only source file that there is. Names in `not_theirs` are the staff's. Several that may be meant are a problem.
Choice choose_file(const std::vector<ClaimedFile>& files, const std::string& wanted,
                   const std::vector<std::string>& not_theirs);

/// The index of a student's latest attempt, by the LMS's time where each attempt has one, else by the attempt's number.
size_t latest_attempt(const std::vector<Claim>& attempts);

}  // namespace warpgrade
