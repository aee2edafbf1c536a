// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/files.h"

namespace warpgrade {

/// DIR/attempts/<student>: a mark that stands there as long as the student's submission is being graded. One that is
/// left over counts the graders that ended meanwhile.
class Attempts {
 public:
  explicit Attempts(const fs::path& folder) : folder_(folder / "attempts") {}

  /// How many graders ended while they graded it. One that is still at work on this machine does not count.
  int failed(const std::string& student) const;

  Status begin(const std::string& student) const;
  void end(const std::string& student) const;

 private:
  fs::path folder_;
};

/// A submission that so many graders did not survive waits for --retry-parked.
constexpr int kMostAttempts = 3;

}  // namespace warpgrade
