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
  std::string heart;   ///< The same without the case that it names.
  std::vector<std::string> ids;
  double points = 0;  ///< What they would have earned together.

  /// "product, pitch", or one word where no item passed.
  std::string subject(const SubmissionResult& result) const;
};

/// The heart of a note for the staff: without "case 'edges': ", which the full report tells.
std::string without_case(const std::string& note);

/// The heart of an item's reason in the language: without "3 of 7 cases, first 'edges': ".
std::string without_case(const std::string& reason, const std::string& case_id,
                         const std::string& language);

/// In the order of the first item of each.
std::vector<Loss> losses_of(const SubmissionResult& result);

}  // namespace warpgrade
