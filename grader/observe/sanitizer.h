// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/trace.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// What one tool of compute-sanitizer said of one run, or why that says nothing.
struct SanitizerRun {
  std::string tool;     ///< "memcheck", "racecheck", "initcheck" or "synccheck".
  std::string why_not;  ///< Empty where the run was checked.
  long errors = 0;      ///< By the tool's own summary; it may print fewer.
  std::vector<Finding> findings;

  bool measured() const { return why_not.empty(); }
};

/// Reads what compute-sanitizer wrote. Without its own summary nothing was checked. `source` is the
/// student's file: where an error has several places, the one in there is named.
SanitizerRun parse_sanitizer(const std::string& tool, std::string_view log,
                             const std::string& source);

/// `program` as the tool runs it, with room for being slower; the tool's words go to `log`, apart
/// from those of the program.
Command sanitizer_command(const fs::path& sanitizer, const std::string& tool, Command program,
                          const fs::path& log);

/// Runs `program` under the tool. `proof` is asked after a run without an error and says what of
/// the program's outputs is not as in the plain run; empty where all is, which proves that it ran.
SanitizerRun run_sanitizer(const Sandbox& sandbox, const fs::path& sanitizer,
                           const std::string& tool, const Command& program, const fs::path& log,
                           const std::string& source, const std::function<std::string()>& proof);

}  // namespace warpgrade
