// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "course/handout.h"

namespace warpgrade {

/// How an autograder behaves at Gradescope.
struct AutograderSettings {
  std::string slug;
  std::string hidden_items = "visible";  ///< As `export --hidden-items` takes it.
  bool keep_best = false;                ///< The best submission counts, rather than the last.
  bool leaderboard = false;
  bool unsafe_no_sandbox = false;  ///< Grades where Gradescope's container permits no sandbox too.
};

/// What grades one assignment at Gradescope, beside the engine: setup.sh, run_autograder, and a course of that assignment
/// alone with its hidden parts: rubric, oracle, driver, and the programs that speed is compared with.
Result<FileTree> autograder_files(const Installation& installation,
                                  const AutograderSettings& settings);

}  // namespace warpgrade
