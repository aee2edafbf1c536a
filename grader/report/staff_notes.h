// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// What is for the staff to look at: about what, and why.
struct StaffNote {
  std::string subject;
  std::string what;
  std::string evidence;
};

/// All of them: flags, undecided items, and where a GPU said otherwise or nothing.
std::vector<StaffNote> staff_notes(const SubmissionResult& result);

/// A line each where they are few; where they are many, a line for each kind, with their number and where to read them.
std::vector<std::string> brief_staff_notes(const SubmissionResult& result);

}  // namespace warpgrade
