// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "intake/submission.h"

namespace warpgrade {

/// DIR/submissions/<student>/: what was graded, so that it can be graded again when the download is gone.
class KeptSubmissions {
 public:
  /// `file_name` is the one file handed in.
  KeptSubmissions(const fs::path& folder, std::string file_name)
      : folder_(folder / "submissions"), file_name_(std::move(file_name)) {}

  /// Writes what differs from what is kept. What this machine could not read is not kept.
  Status keep(const Submission& submission) const;

  /// An Error where nothing of the student is kept.
  Result<Submission> read(const std::string& student) const;

 private:
  fs::path folder_;
  std::string file_name_;
};

}  // namespace warpgrade
