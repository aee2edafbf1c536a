// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "intake/identity.h"

namespace warpgrade {

/// What one student handed in.
struct Submission {
  std::string
      student;  ///< [A-Za-z0-9._-]{1,64}, unique among those read together, safe as a file name.
  fs::path path;
  std::string source;   ///< Text of the one file.
  std::string problem;  ///< Why it cannot be graded and earns 0, a sentence for the student; empty
                        ///< where it can.
  std::string system_error;  ///< Why this machine could not read it; never the student's loss.
                             ///< Empty where it could.
  Identity identity = {};
};

struct Submissions {
  std::vector<Submission> all;
  std::vector<fs::path> skipped;  ///< files that are no student's work, such as a README.md
};

/// Every submission under `path`. A file, or a folder that holds `file_name`, is one; of any other
/// folder each subfolder, and each file that ends as `file_name` does, is one. Follows no links
/// below `path`. An Error where `path` is missing or holds nothing.
Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const std::string& file_name);

}  // namespace warpgrade
