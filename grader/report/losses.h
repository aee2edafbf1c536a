// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// Items that did not pass, for one and the same reason.
struct Loss {
  Outcome status = Outcome::kFailed;
  std::string reason;  ///< One line.
  std::vector<std::string> ids;
  double points = 0;  ///< What they would have earned together.

  /// "product, pitch", or "everything" where no item passed.
  std::string subject(const SubmissionResult& result) const;
};

/// The heart of a reason: without "3 of 7 cases, first 'edges': ", which the full report tells.
std::string without_case(const std::string& reason);

/// In the order of the first item of each.
std::vector<Loss> losses_of(const SubmissionResult& result);

}  // namespace warpgrade
