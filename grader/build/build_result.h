// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "build/diagnostics.h"

namespace warpgrade {

enum class BuildStatus { kBuilt, kRejected, kSystemError };

/// kRejected is the student's: `reason` says why, in one sentence. kSystemError is ours, or is_doubtful: nothing but the
/// tools' words, or that they fail on this file, speaks against the machine.
struct BuildResult {
  BuildStatus status = BuildStatus::kSystemError;
  fs::path program;
  std::vector<Diagnostic> diagnostics;
  std::string reason;
  bool is_doubtful = false;

  long warnings() const;
};

}  // namespace warpgrade
